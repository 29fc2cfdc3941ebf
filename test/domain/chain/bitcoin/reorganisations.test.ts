import { expect } from 'chai';
import type { BitcoinClient } from '../../../../src/domain/chain/bitcoin/client.ts';
import { ChainHalted } from '../../../../src/domain/chain/port.ts';
import { newAddress } from '../../../support/bitcoin-blocks.ts';
import { useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import type { Follower } from '../../../support/follower.ts';

const FINAL = 7;

describe('reorganisations of Bitcoin', () => {
  const standOf = useBitcoinStand();
  let follower: Follower<BitcoinClient>;
  let address: string;
  beforeEach(async () => {
    address = newAddress();
    follower = standOf().follow([address], { depth: FINAL });
    await follower.pollAll();
  });

  const states = () =>
    follower.at(address).map(({ txHash, block, reason, replacedBy }) => ({
      txHash,
      height: block?.height ?? null,
      reason,
      replacedBy,
    }));
  const valid = { reason: null, replacedBy: null };
  const settle = async () => {
    await standOf().mineAll(FINAL);
    await follower.pollAll();
  };

  for (const depth of [1, 2, 3, 4, 5]) {
    it(`of ${depth} blocks take a transfer back, and it is final where the new branch has it`, async () => {
      const stand = standOf();
      const paid = await stand.pay([address, 5_000n]);
      await stand.mineAll(depth);
      await follower.pollAll();
      const before = await stand.height();
      expect(states()).to.deep.equal([{ ...valid, txHash: paid.id, height: before - depth + 1 }]);
      await stand.reorganise(depth);
      await follower.pollAll();
      expect(states()).to.deep.equal([{ ...valid, txHash: paid.id, height: null }]);
      const { height } = await stand.mine({ transactions: [paid] });
      await settle();
      expect(states()).to.deep.equal([{ ...valid, txHash: paid.id, height }]);
      expect(follower.confirmed.size).to.equal(1);
    });

    it(`of ${depth} blocks that are taken back themselves change nothing in the end`, async () => {
      const stand = standOf();
      const paid = await stand.pay([address, 5_000n]);
      await stand.mineAll(depth);
      await follower.pollAll();
      const known = states();
      const lowest = await stand.invalidate(depth);
      expect((await follower.pollAll()).next).to.deep.include({ why: 'behind' });
      for (let mined = 0; mined < depth; mined += 1) await stand.mine({ transactions: [] });
      expect((await follower.pollAll()).next).to.deep.include({ why: 'forked' });
      expect(states(), 'a branch that is no longer').to.deep.equal(known);
      await stand.mine({ transactions: [] });
      await follower.pollAll();
      expect(states()).to.deep.equal([{ ...valid, txHash: paid.id, height: null }]);
      // The branch of before wins again.
      const tip = follower.pages.at(-1)?.head.hash ?? '';
      await stand.rpc('reconsiderblock', lowest);
      await stand.invalidate(depth + 1);
      expect(await stand.rpc('getbestblockhash')).to.not.equal(tip);
      await stand.mineAll(2);
      await settle();
      expect(states()).to.deep.equal(known);
      expect(follower.confirmed.size).to.equal(1);
    });
  }

  it('drop a transfer whose money the new branch spends elsewhere, once that is final', async () => {
    const stand = standOf();
    const lost = await stand.pay([address, 5_000n]);
    await stand.mine();
    await follower.pollAll();
    const other = stand.build([[newAddress(), 5_000n]], lost.spends, 30_000n);
    await stand.reorganise(1, [other]);
    await follower.pollAll();
    expect(states()).to.deep.equal([{ ...valid, txHash: lost.id, height: null }]);
    await settle();
    expect(states()).to.deep.equal([
      { txHash: lost.id, height: null, reason: 'replaced', replacedBy: other.id },
    ]);
    expect(follower.confirmed.size).to.equal(0);
  });

  it('take a drop for the same money back when the first transaction wins after all', async () => {
    const stand = standOf();
    const first = await stand.pay([address, 5_000n]);
    await stand.mine();
    await follower.pollAll();
    const second = stand.build([[address, 4_000n]], first.spends, 30_000n);
    await stand.reorganise(1, [second]);
    await follower.pollAll();
    expect(states().map(({ txHash, reason }) => [txHash, reason])).to.deep.equal([
      [first.id, 'replaced'],
      [second.id, null],
    ]);
    await stand.reorganise(2, [first]);
    await follower.pollAll();
    expect(states().map(({ txHash, reason }) => [txHash, reason])).to.deep.equal([
      [first.id, null],
      [second.id, 'replaced'],
    ]);
    await settle();
    expect([...follower.confirmed.values()].map(({ txHash }) => txHash)).to.deep.equal([first.id]);
  });

  it('take new coins back that nobody could spend yet', async () => {
    const stand = standOf();
    const { coinbase } = await stand.mine({ rewards: [[address, 7_000n]] });
    await follower.pollAll();
    expect(states()).to.deep.equal([{ ...valid, txHash: coinbase.id, height: null }]);
    await stand.reorganise(1);
    await follower.pollAll();
    await stand.mineAll(100 + FINAL);
    await follower.pollAll();
    expect(states()).to.deep.equal([{ ...valid, txHash: coinbase.id, height: null }]);
    follower.now = new Date(follower.now.getTime() + 25 * 3_600_000);
    await follower.pollAll();
    expect(states().map(({ reason }) => reason)).to.deep.equal(['evicted']);
    expect(follower.confirmed.size).to.equal(0);
  });

  it('below the final block halt the network, and a height resumes it', async () => {
    const stand = standOf();
    const paid = await stand.pay([address, 5_000n]);
    await stand.mineAll(FINAL);
    await follower.pollAll();
    expect(follower.confirmed.size).to.equal(1);
    const height = (await stand.height()) - FINAL + 1;
    await stand.reorganise(FINAL);
    const pages = follower.pages.length;
    const error = await follower.poll().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ChainHalted);
    expect(String(error)).to.include(`below its final block ${height}`);
    expect(follower.pages.length, 'no page').to.equal(pages);
    follower.confirmed.clear();
    follower.cursor = String(height - 2);
    expect((await follower.pollAll()).next).to.equal('head');
    expect(states()).to.deep.equal([{ ...valid, txHash: paid.id, height: null }]);
  });
});
