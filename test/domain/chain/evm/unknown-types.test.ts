import { expect } from 'chai';
import { encode, integerBytes, keccak } from '../../../../src/domain/chain/evm/proofs/rlp.ts';
import type { Header } from '../../../../src/domain/chain/evm/proofs/header.ts';
import { readTransaction } from '../../../../src/domain/chain/evm/proofs/transactions.ts';
import { listRoot } from '../../../../src/domain/chain/evm/proofs/trie.ts';
import { transfersTo } from '../../../../src/domain/chain/evm/read.ts';
import type { JsonRpc } from '../../../../src/domain/chain/rpc/json-rpc.ts';
import { Coins } from '../../../../src/domain/chain/evm/transfers.ts';
import { newAddress, useEvmStand } from '../../../support/evm-stand.ts';
import { startLyingProxy, type LyingProxy } from '../../../support/lying-proxy.ts';

interface Sent {
  readonly transactions: readonly { readonly hash: string }[];
}

/** One ether. */
const VALUE = '0xde0b6b3a7640000';

describe('a transaction of a type that is not known', () => {
  const standOf = useEvmStand();
  let proxy: LyingProxy;
  beforeEach(async () => {
    proxy = await startLyingProxy(standOf().anvil);
  });
  afterEach(() => proxy.close());

  /** Says of a transaction that it has such a type and pays somebody; `hasBytes`: it also shows its bytes. */
  const claim = (txHash: string, to: string, hasBytes: boolean) => {
    proxy.lie = ({ method, params }, truth) => {
      if (method === 'eth_getRawTransactionByHash' && !hasBytes)
        throw Object.assign(new Error('no'), { code: -32_601 });
      if (!method.startsWith('eth_getBlockBy') || params[1] !== true || truth === null) return truth;
      const block = truth as Sent;
      const transactions = block.transactions.map((one) =>
        one.hash === txHash ? { ...one, type: '0x50', to, value: VALUE } : one,
      );
      return { ...block, transactions };
    };
  };

  it('brings no money by what a provider says of its receiver and value: no hash covers them', async () => {
    const ours = newAddress();
    const bytes = Buffer.from('50c0', 'hex');
    const logsBloom = `0x${'0'.repeat(512)}`;
    const receipt = { type: '0x50', status: '0x1', cumulativeGasUsed: '0x0', logsBloom, logs: [] };
    const body = encode([integerBytes(1n), integerBytes(0n), Buffer.alloc(256), []]);
    const header = {
      height: 1,
      transactionsRoot: listRoot([bytes]),
      receiptsRoot: listRoot([Buffer.concat([Buffer.of(0x50), body])]),
    } as Header;
    const sent = { type: '0x50', hash: keccak(bytes), from: newAddress(), nonce: '0x0', input: '0x' };
    const transactions = [readTransaction({ ...sent, to: ours, value: VALUE })];
    const provider = {
      call: (method: string) => Promise.resolve(method === 'eth_getBlockReceipts' ? [receipt] : '0x50c0'),
    } as unknown as JsonRpc;
    const own = { has: (address: string) => address === ours };
    expect(
      await transfersTo({ provider, coins: new Coins('ethereum') }, { header, transactions }, own, null),
    ).to.deep.equal([]);
  });

  it('is no disguise for one that pays us: its bytes have a type that is known', async () => {
    const stand = standOf();
    const ours = newAddress();
    const follower = stand.follow([ours], { urls: [proxy.url], hasSightings: false });
    await follower.pollAll();
    claim(await stand.send(newAddress(), 5n), ours, true);
    await stand.mine();
    expect((await follower.pollAll()).next).to.include({ why: 'inconsistent' });
    expect(follower.at(ours)).to.deep.equal([]);
  });

  it('hides no token in its block, also where its bytes are not to be had', async () => {
    const stand = standOf();
    const ours = newAddress();
    const follower = stand.follow([ours], { urls: [proxy.url], hasSightings: false });
    await follower.pollAll();
    claim(await stand.send(newAddress(), 5n), newAddress(), false);
    const txHash = await stand.pay('USDC', ours, 7n);
    await stand.mine();
    expect((await follower.pollAll()).next).to.equal('head');
    expect(follower.at(ours).map((one) => [one.txHash, one.amount])).to.deep.equal([[txHash, '0.000007']]);
    expect(proxy.calls.filter(({ method }) => method === 'eth_getRawTransactionByHash')).to.have.length(1);
  });
});
