import { expect } from 'chai';
import { ChainHalted } from '../../../../src/domain/chain/port.ts';
import { wordOf } from '../../../support/anvil.ts';
import type { Follower } from '../../../support/follower.ts';
import { contractOf, FINAL_DEPTH, newAddress, ROUTER_CODE, useEvmStand } from '../../../support/evm-stand.ts';
import { startLyingProxy } from '../../../support/lying-proxy.ts';

describe('reorganisations of an EVM network', () => {
  const standOf = useEvmStand();
  let address: string;
  let follower: Follower;

  beforeEach(async () => {
    address = newAddress();
    follower = standOf().follow([address], { hasSightings: false });
    await follower.pollAll();
  });

  /** Pays, mines the block and some more, and polls. */
  const paid = async (more = 0) => {
    const stand = standOf();
    const hash = await stand.pay('USDC', address, 5n);
    const raw = await stand.rawOf(hash);
    await stand.mine();
    const height = await stand.height();
    if (more > 0) await stand.mine(more);
    await follower.pollAll();
    expect(follower.at(address).at(-1)?.block?.height).to.equal(height);
    return { hash, raw, height };
  };
  const states = () =>
    follower.at(address).map(({ txHash, block, reason, replacedBy, amount }) => ({
      txHash,
      height: block?.height ?? null,
      reason,
      replacedBy,
      amount,
    }));
  const valid = { reason: null, replacedBy: null, amount: '0.000005' };
  const settle = async () => {
    await standOf().mine(FINAL_DEPTH + 1);
    await follower.pollAll();
  };

  for (const depth of [1, 3, FINAL_DEPTH - 2])
    it(`of depth ${depth} return a transfer to the pool, and it counts again where it is mined again`, async () => {
      const stand = standOf();
      const { hash, raw, height } = await paid(depth - 1);
      await stand.reorganise(depth);
      const forked = await follower.pollAll();
      expect(forked.next, 'not longer yet').to.deep.include({ why: 'forked' });
      expect(forked.transfers).to.deep.equal([]);
      await stand.mine();
      await follower.pollAll();
      expect(states()).to.deep.equal([{ ...valid, txHash: hash, height: null }]);
      await stand.rpc('eth_sendRawTransaction', raw);
      await stand.mine();
      await follower.pollAll();
      expect(states()).to.deep.equal([{ ...valid, txHash: hash, height: height + depth + 1 }]);
      await settle();
      expect(follower.confirmed.size).to.equal(1);
    });

  it('return a transfer once that is mined at another height of the new branch', async () => {
    const stand = standOf();
    const { hash, raw, height } = await paid(3);
    await stand.reorganise(4, [[raw, 2]]);
    await stand.mine();
    const { transfers } = await follower.pollAll();
    expect(transfers).to.have.length(1);
    expect(states()).to.deep.equal([{ ...valid, txHash: hash, height: height + 2 }]);
    await settle();
    expect(follower.confirmed.size).to.equal(1);
  });

  it('drop a transfer whose number another transaction has, once that is final', async () => {
    const stand = standOf();
    const account = stand.account();
    const nonce = await stand.rpc<string>('eth_getTransactionCount', account, 'latest');
    const lost = await stand.pay('USDC', address, 5n, { from: account, nonce });
    await stand.mine();
    await follower.pollAll();
    await stand.reorganise(1);
    const other = await stand.pay('USDC', newAddress(), 5n, { from: account, nonce });
    await stand.mine();
    await follower.pollAll();
    expect(states()).to.deep.equal([{ ...valid, txHash: lost, height: null }]);
    await settle();
    expect(states()).to.deep.equal([
      { ...valid, txHash: lost, height: null, reason: 'replaced', replacedBy: other },
    ]);
  });

  it('take a drop for the same money back when the first transaction wins after all', async () => {
    const stand = standOf();
    const account = stand.account();
    const nonce = await stand.rpc<string>('eth_getTransactionCount', account, 'latest');
    const first = await stand.pay('USDC', address, 5n, { from: account, nonce });
    const raw = await stand.rawOf(first);
    await stand.mine();
    await follower.pollAll();
    await stand.reorganise(1);
    const second = await stand.pay('USDC', address, 5n, {
      from: account,
      nonce,
      maxPriorityFeePerGas: '0x3b9aca01',
    });
    await stand.mine();
    await follower.pollAll();
    expect(states().map(({ txHash, reason }) => [txHash, reason])).to.deep.equal([
      [first, 'replaced'],
      [second, null],
    ]);
    await stand.reorganise(1);
    await stand.rpc('eth_sendRawTransaction', raw);
    await stand.mine(2);
    await follower.pollAll();
    expect(states().map(({ txHash, reason }) => [txHash, reason])).to.deep.equal([
      [first, null],
      [second, 'replaced'],
    ]);
    await settle();
    expect([...follower.confirmed.values()].map(({ txHash }) => txHash)).to.deep.equal([first]);
  });

  it('drop a transfer whose transaction reverts in the new branch', async () => {
    const stand = standOf();
    const account = stand.account();
    const hash = await stand.pay('USDC', address, 5n, { from: account });
    const raw = await stand.rawOf(hash);
    await stand.mine();
    await follower.pollAll();
    await stand.reorganise(1);
    await stand.setBalance('USDC', account, 0n);
    await stand.rpc('eth_sendRawTransaction', raw);
    await stand.mine();
    await stand.setBalance('USDC', account, 10n ** 30n);
    await follower.pollAll();
    expect(states()).to.deep.equal([{ ...valid, txHash: hash, height: null }]);
    await settle();
    expect(states()).to.deep.equal([{ ...valid, txHash: hash, height: null, reason: 'reverted' }]);
    expect(follower.confirmed.size).to.equal(0);
  });

  for (const [what, units] of [
    ['another amount', 3n],
    ['nothing', 0n],
  ] as const)
    it(`with ${what} moved by the same transaction count what the new branch has, once`, async () => {
      const stand = standOf();
      const router = await stand.deploy(ROUTER_CODE);
      await stand.rpc('anvil_setStorageAt', router, wordOf(0n), wordOf(5n));
      const call = `0x${[contractOf('USDC'), address].map((value) => wordOf(value).slice(2)).join('')}`;
      const hash = await stand.call(router, call);
      const raw = await stand.rawOf(hash);
      await stand.mine();
      await follower.pollAll();
      expect(states()).to.deep.include({ ...valid, txHash: hash, height: await stand.height() });
      await stand.reorganise(1);
      await stand.rpc('anvil_setStorageAt', router, wordOf(0n), wordOf(units));
      await stand.rpc('eth_sendRawTransaction', raw);
      await stand.mine();
      await settle();
      expect(follower.at(address)).to.have.length(1);
      if (units === 0n)
        expect(states()[0]).to.include({ reason: 'reverted', amount: '0.000005', height: null });
      else expect(states()[0]).to.include({ reason: null, amount: '0.000003' });
      expect(follower.confirmed.size).to.equal(units === 0n ? 0 : 1);
    });

  it('change nothing when the head goes down, until the other branch is longer', async () => {
    const stand = standOf();
    const snapshot = await stand.rpc<string>('evm_snapshot');
    const { hash } = await paid(2);
    await stand.rpc('evm_revert', snapshot);
    const down = await follower.pollAll();
    expect(down.next).to.deep.include({ why: 'behind' });
    await stand.mine(2);
    expect((await follower.pollAll()).next).to.deep.include({ why: 'forked' });
    expect(states().map(({ height }) => height)).to.not.include(null);
    await stand.mine(2);
    await follower.pollAll();
    expect(states()).to.deep.equal([{ ...valid, txHash: hash, height: null }]);
  });

  it('that cannot be read to their end change nothing', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const fork = stand.follow([address], { urls: [proxy.url], hasSightings: false });
      fork.cursor = follower.cursor;
      const { hash, height } = await paid(3);
      await fork.pollAll();
      await stand.reorganise(4);
      await stand.mine();
      proxy.lie = ({ params }, truth) =>
        params[0] === wordless(height + 2) && params[1] === true ? null : truth;
      const { next, transfers } = await fork.pollAll();
      expect(next).to.deep.include({ why: 'inconsistent' });
      expect(transfers).to.deep.equal([]);
      proxy.lie = null;
      fork.now = new Date(fork.now.getTime() + 60_000);
      await fork.pollAll();
      expect(fork.at(address).map(({ txHash, block }) => ({ txHash, block }))).to.deep.equal([
        { txHash: hash, block: null },
      ]);
    } finally {
      await proxy.close();
    }
  });

  it('below the final block halt the network, and a height resumes it', async () => {
    const stand = standOf();
    const { height } = await paid(FINAL_DEPTH);
    expect(follower.confirmed.size).to.equal(1);
    await stand.reorganise(FINAL_DEPTH + 3);
    await stand.mine();
    const pages = follower.pages.length;
    const error = await follower.poll().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ChainHalted);
    expect(String(error)).to.include(`below its final block ${height}`);
    expect(follower.pages.length, 'no page').to.equal(pages);
    follower.confirmed.clear();
    follower.cursor = String(height - 5);
    expect((await follower.pollAll()).next).to.equal('head');
    expect(states().map(({ height: at }) => at)).to.deep.equal([null]);
  });
});

const wordless = (height: number): string => `0x${height.toString(16)}`;
