import { expect } from 'chai';
import { EvmClient } from '../../../../../src/domain/chain/evm/client.ts';
import { Refused } from '../../../../../src/domain/chain/rpc/refused.ts';
import { ChainHalted } from '../../../../../src/domain/chain/port.ts';
import { Follower } from '../../../../support/follower.ts';
import { contractOf, useEvmStand } from '../../../../support/evm-stand.ts';
import { startLyingProxy, type LyingProxy } from '../../../../support/lying-proxy.ts';
import { wordOf } from '../../../../support/anvil.ts';

/** Answers every call with a number. */
const codeOf = (decimals: number) => `0x60${decimals.toString(16).padStart(2, '0')}60005260206000f3`;

const DECIMALS_CALL = '0x313ce567';

describe('the decimals of tokens', () => {
  const standOf = useEvmStand(undefined, 'bnb');
  let proxy: LyingProxy;
  let followers: Follower[];
  beforeEach(async () => {
    proxy = await startLyingProxy(standOf().anvil);
    followers = [];
  });
  afterEach(async () => {
    await Promise.all(followers.map(({ client }) => client.close()));
    await proxy.close();
  });

  const follow = (...urls: readonly string[]) => {
    const client = new EvmClient({ ...standOf().options, urls }, () => new Date());
    const follower = new Follower(client, [], 'bnb');
    followers.push(follower);
    return follower;
  };
  const says = (decimals: number) => {
    proxy.lie = ({ method, params: [call] }, truth) =>
      method === 'eth_call' && (call as { data: string }).data === DECIMALS_CALL
        ? wordOf(BigInt(decimals))
        : truth;
  };
  const thrownBy = (follower: Follower): Promise<unknown> =>
    follower.poll().then(
      () => null,
      (error: unknown) => error,
    );

  it('are asked for once, before anything is read, and halt the network where they are others', async () => {
    const usdt = contractOf('USDT', 'bnb');
    await standOf().rpc('anvil_setCode', usdt, codeOf(6));
    const wrong = await thrownBy(follow(standOf().anvil.url));
    expect(wrong).to.be.instanceOf(ChainHalted);
    expect((wrong as Error).message).to.match(
      new RegExp(`^USDT on bnb has 6 decimals by its contract ${usdt.toLowerCase()}, and 18 in the table`),
    );
    await standOf().rpc('anvil_setCode', usdt, codeOf(18));
    const follower = follow(proxy.url);
    for (let polls = 0; polls < 2; polls += 1) expect((await follower.poll()).next).to.equal('head');
    const asked = proxy.calls.filter(({ method }) => method === 'eth_call');
    expect(asked.map(({ params: [call] }) => (call as { to: string }).to)).to.have.members(
      (['USDT', 'USDC'] as const).map((coin) => contractOf(coin, 'bnb').toLowerCase()),
    );
  });

  it('contradict nothing where a contract is not there, or tells none', async () => {
    await standOf().rpc('anvil_setCode', contractOf('USDT', 'bnb'), '0x');
    expect((await follow(standOf().anvil.url).poll()).next).to.equal('head');
  });

  it('of a provider that another host contradicts count as a lie: the other one is read', async () => {
    says(6);
    await standOf().rpc('anvil_setCode', contractOf('USDT', 'bnb'), codeOf(18));
    const follower = follow(proxy.url, standOf().anvil.url);
    const refused = await thrownBy(follower);
    expect(refused).to.be.instanceOf(Refused);
    expect((refused as Error).message).to.include('says of USDT what no other one says: 6 decimals');
    expect((await follower.poll()).next).to.equal('head');
  });

  it('halt the network where providers of two hosts agree', async () => {
    says(6);
    await standOf().rpc('anvil_setCode', contractOf('USDT', 'bnb'), codeOf(6));
    expect(await thrownBy(follow(proxy.url, standOf().anvil.url))).to.be.instanceOf(ChainHalted);
  });
});
