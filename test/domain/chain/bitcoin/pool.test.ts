import { expect } from 'chai';
import type { BitcoinClient } from '../../../../src/domain/chain/bitcoin/client.ts';
import { newAddress } from '../../../support/bitcoin-blocks.ts';
import { DEPTH, useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import type { Follower } from '../../../support/follower.ts';
import { startLyingProxy } from '../../../support/lying-proxy.ts';

describe("a client of Bitcoin, with transactions in a node's pool,", () => {
  const standOf = useBitcoinStand();
  let follower: Follower<BitcoinClient>;
  let address: string;
  beforeEach(async () => {
    address = newAddress();
    follower = standOf().follow([address]);
    await follower.pollAll();
  });

  const states = () =>
    follower.at(address).map(({ txHash, block, reason, replacedBy }) => ({
      txHash,
      height: block?.height ?? null,
      reason,
      replacedBy,
    }));
  const valid = { height: null, reason: null, replacedBy: null };

  it('sights a transfer once, and keeps the time when its block comes', async () => {
    const stand = standOf();
    const { id } = await stand.pay([address, 5_000n]);
    follower.now = new Date(follower.now.getTime() - 48 * 3_600_000);
    const { transfers } = await follower.pollAll();
    const at = follower.now;
    expect(
      transfers.map(({ txHash, block, sender, seenAt }) => [txHash, block, sender, seenAt]),
    ).to.deep.equal([[id, null, null, at]]);
    expect((await follower.pollAll()).transfers).to.deep.equal([]);
    await stand.mine();
    const mined = await follower.pollAll();
    expect(mined.transfers.map(({ txHash, block, seenAt }) => [txHash, block?.hash, seenAt])).to.deep.equal([
      [id, mined.head.hash, at],
    ]);
  });

  it('sights it again where the page was not stored', async () => {
    const stand = standOf();
    const { id } = await stand.pay([address, 5_000n]);
    const { cursor } = follower;
    for (let poll = 0; poll < 2; poll += 1) {
      follower.cursor = cursor;
      expect((await follower.poll()).transfers.map(({ txHash }) => txHash)).to.deep.equal([id]);
    }
  });

  it('takes nothing back that is final, also where a node has it in its pool again', async () => {
    const stand = standOf();
    const { id } = await stand.pay([address, 5_000n]);
    await stand.mineAll(DEPTH + 1);
    await follower.pollAll();
    expect(follower.confirmed.size).to.equal(1);
    const proxy = await startLyingProxy(stand.btcd);
    try {
      proxy.lie = ({ method }, truth) => (method === 'getrawmempool' ? [id] : truth);
      follower.client = stand.follow([address], { urls: [proxy.url] }).client;
      expect((await follower.pollAll()).transfers).to.deep.equal([]);
      expect(proxy.calls.some(({ method }) => method === 'getrawtransaction')).to.equal(true);
    } finally {
      await proxy.close();
    }
  });

  it("reports a wallet's speed-up as a drop and its replacement, in one page", async () => {
    const stand = standOf();
    const slow = await stand.pay([address, 5_000n]);
    await follower.pollAll();
    const fast = await stand.replace(slow, [address, 5_000n]);
    await follower.pollAll();
    const { transfers } = follower.pages.at(-1) ?? { transfers: [] };
    expect(
      transfers.map(({ txHash, reason, replacedBy }) => [txHash, reason, replacedBy]),
    ).to.have.deep.members([
      [slow.id, 'replaced', fast.id],
      [fast.id, null, null],
    ]);
    const { height } = await stand.mine();
    await stand.mineAll(DEPTH - 1);
    await follower.pollAll();
    expect(states()).to.deep.equal([
      { txHash: slow.id, height: null, reason: 'replaced', replacedBy: fast.id },
      { ...valid, txHash: fast.id, height },
    ]);
    expect(follower.confirmed.size).to.equal(1);
  });

  it('reports a speed-up that is seen in its block alone in one page as well', async () => {
    const stand = standOf();
    const slow = await stand.pay([address, 5_000n]);
    await follower.pollAll();
    const fast = await stand.replace(slow, [address, 4_000n]);
    await stand.mine();
    const { transfers } = await follower.pollAll();
    expect(
      transfers.map(({ txHash, reason, replacedBy }) => [txHash, reason, replacedBy]),
    ).to.have.deep.members([
      [slow.id, 'replaced', fast.id],
      [fast.id, null, null],
    ]);
  });

  it('drops a transfer whose money was spent elsewhere, once that is final, also by another node than its own', async () => {
    const stand = standOf();
    const one = stand.build([[address, 5_000n]], [stand.coin(), stand.coin()]);
    await stand.send(one);
    await follower.pollAll();
    // Only its second input is spent again.
    const other = stand.build([[newAddress(), 5_000n]], one.spends.slice(1), 60_000n);
    await stand.mine({ transactions: [other] });
    await stand.mineAll(DEPTH - 2);
    await follower.pollAll();
    expect(states(), 'it may come back').to.deep.equal([{ ...valid, txHash: one.id }]);
    await stand.mine();
    await follower.pollAll();
    expect(states()).to.deep.equal([
      { txHash: one.id, height: null, reason: 'replaced', replacedBy: other.id },
    ]);
  });

  it('gives up what left the pool and was spent nowhere after a day, and takes it back when it is mined', async () => {
    const stand = standOf();
    const stuck = await stand.pay([address, 5_000n]);
    await follower.pollAll();
    // A node that forgets, as all do after a while: another one, which never had it.
    const proxy = await startLyingProxy(stand.btcd);
    try {
      proxy.lie = ({ method }, truth) => (method === 'getrawmempool' ? [] : truth);
      const forgetful = stand.follow([address], { urls: [proxy.url] });
      forgetful.cursor = follower.cursor;
      for (const [hours, reason] of [
        [3, null],
        [20, null],
        [2, 'evicted'],
      ] as const) {
        forgetful.now = new Date(forgetful.now.getTime() + hours * 3_600_000);
        await forgetful.pollAll();
        expect(forgetful.at(address).map((transfer) => transfer.reason)).to.deep.equal(
          reason === null ? [] : [reason],
        );
      }
      const { hash } = await stand.mine({ transactions: [stuck] });
      await forgetful.pollAll();
      expect(forgetful.at(address).map(({ block, reason }) => [block?.hash, reason])).to.deep.equal([
        [hash, null],
      ]);
    } finally {
      await proxy.close();
    }
  });

  it('is read a thousand transactions a poll, the newest first: a full one holds up nothing', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.btcd);
    try {
      const FULL = Array.from({ length: 10_000 }, (_, i) => i.toString(16).padStart(64, 'f'));
      proxy.lie = ({ method }, truth) =>
        method === 'getrawmempool' ? [...FULL, ...(truth as string[])] : truth;
      const full = stand.follow([address], { urls: [proxy.url] });
      expect((await full.pollAll()).next).to.equal('head');
      const asked = () => proxy.calls.filter(({ method }) => method === 'getrawtransaction').length;
      expect(asked()).to.equal(1_000);
      const { id } = await stand.pay([address, 5_000n]);
      // The list of so many is not asked for again at once.
      for (let poll = 0; full.transfers.size === 0; poll += 1) await full.poll();
      expect(full.at(address).map(({ txHash }) => txHash)).to.deep.equal([id]);
      expect(asked()).to.equal(2_000);
      const lists = proxy.calls.filter(({ method }) => method === 'getrawmempool').length;
      expect(lists).to.equal(2);
    } finally {
      await proxy.close();
    }
  });
});
