import { expect } from 'chai';
import { isAddress } from '../../../../src/domain/chain/addresses.ts';
import type { TestChain } from '../../../../src/domain/chain/test-chain.ts';
import { blockHash } from '../../../../src/domain/chain/transaction-hashes.ts';
import type { Db } from '../../../../src/platform/postgres/db.ts';
import {
  at,
  NOBODY,
  openSimulator,
  SENDING,
  START,
  type SimulatorSetup,
} from '../../../support/simulator.ts';

describe('the simulated customer of a chain', () => {
  let setup: SimulatorSetup;
  let db: Db;
  let chain: TestChain;

  before(async () => {
    setup = await openSimulator();
    ({ db, chain } = setup);
  });

  beforeEach(async () => {
    await setup.clear();
    await chain.poll('tron', null, NOBODY, START);
  });

  after(() => setup.close());

  const sendOne: SimulatorSetup['sendOne'] = (sending, seconds) => setup.sendOne(sending, seconds);

  describe('the sender', () => {
    const deposit = (id: string) => chain.derive('tron', { id });

    it('is one wallet for each deposit address, in the form of the network', async () => {
      for (const [network, coin] of [
        ['bitcoin', 'BTC'],
        ['ethereum', 'ETH'],
        ['tron', 'TRX'],
        ['polygon', 'POL'],
        ['solana', 'SOL'],
      ] as const) {
        const address = chain.derive(network, { id: 'pay_1' });
        const first = await sendOne({ network, coin, address }, 1);
        expect(isAddress(network, first.sender ?? '', ['main', 'test']), network).to.equal(true);
        expect(first.sender, network).not.to.equal(address);
        expect((await sendOne({ network, coin, address }, 2)).sender, network).to.equal(first.sender);
        expect(chain.derive(network, { id: address }), network).not.to.equal(first.sender);
      }
      const [one, other] = [
        await sendOne({ address: deposit('1') }, 1),
        await sendOne({ address: deposit('2') }, 1),
      ];
      expect(one.sender).not.to.equal(other.sender);
    });

    it('is the requested one, or none, and a poll returns it', async () => {
      const mine = await sendOne({ address: deposit('1') }, 1);
      const named = await sendOne({ address: deposit('2'), sender: deposit('3') }, 2);
      const none = await sendOne({ address: deposit('4'), sender: null }, 3);
      expect([named.sender, none.sender]).to.deep.equal([deposit('3'), null]);
      const { transfers } = await chain.poll('tron', null, NOBODY, at(4));
      expect(transfers).to.deep.equal([mine, named, none]);
    });
  });

  describe('speedUp', () => {
    it('sends the same money to the same address, and drops the old transfer after it', async () => {
      const old = await sendOne({ sender: 'Tcustomer' }, 1);
      const { cursor } = await chain.poll('tron', null, NOBODY, at(2));
      const dropped = await chain.speedUp(old.txHash, at(3));
      expect(dropped).to.deep.equal({
        ...old,
        droppedAt: at(3),
        replacedBy: dropped?.replacedBy,
        reason: 'replaced',
      });
      const { transfers } = await chain.poll('tron', cursor, NOBODY, at(4));
      const paid = { ...old, txHash: dropped?.replacedBy, seenAt: at(3) };
      expect(transfers).to.deep.equal([paid, dropped]);
      expect(paid.txHash)
        .to.match(/^[0-9a-f]{64}$/)
        .and.not.equal(old.txHash);
      expect((await chain.poll('tron', null, NOBODY, at(10))).transfers).to.deep.equal([
        dropped,
        { ...paid, block: { height: 1, hash: blockHash('tron', 1) } },
      ]);
    });

    it('takes a mined transfer out of its block, and its replacement is mined later', async () => {
      const { txHash } = await sendOne({}, 1);
      const { cursor } = await chain.poll('tron', null, NOBODY, at(12));
      await chain.speedUp(txHash, at(13));
      const { transfers } = await chain.poll('tron', cursor, NOBODY, at(20));
      expect(transfers.map(({ block, droppedAt }) => [block?.height ?? null, droppedAt])).to.deep.equal([
        [null, at(13)],
        [2, null],
      ]);
    });

    it('changes nothing the second time, nor after a double spend', async () => {
      const { txHash } = await sendOne({}, 1);
      const dropped = await chain.speedUp(txHash, at(2));
      const spent = await sendOne({ address: 'Tother' }, 1);
      const lost = await chain.replace(spent.txHash, at(2));
      const { cursor } = await chain.poll('tron', null, NOBODY, at(3));
      expect(await chain.speedUp(txHash, at(4))).to.deep.equal(dropped);
      expect(await chain.replace(txHash, at(4))).to.deep.equal(dropped);
      expect(await chain.speedUp(spent.txHash, at(4))).to.deep.equal(lost);
      expect((await chain.poll('tron', cursor, NOBODY, at(5))).transfers).to.deep.equal([]);
    });

    it('sends one replacement for any number of requests at once', async () => {
      const { txHash } = await sendOne({}, 1);
      const dropped = await Promise.all(Array.from({ length: 4 }, () => chain.speedUp(txHash, at(2))));
      expect(new Set(dropped.map((transfer) => transfer?.replacedBy)).size).to.equal(1);
      expect((await chain.poll('tron', null, NOBODY, at(3))).transfers).to.have.length(2);
    });

    it("runs in the caller's transaction", async () => {
      const { txHash } = await sendOne({}, 1);
      const undone = db.transaction(async (tx) => {
        await chain.speedUp(txHash, at(2), tx);
        throw new Error('undo');
      });
      expect(await undone.catch((error: Error) => error.message)).to.equal('undo');
      const { transfers } = await chain.poll('tron', null, NOBODY, at(3));
      expect(transfers.map(({ txHash: hash, droppedAt }) => [hash, droppedAt])).to.deep.equal([
        [txHash, null],
      ]);
    });

    it('returns null for an unknown transaction', async () => {
      expect(await chain.speedUp('f'.repeat(64), at(1))).to.equal(null);
    });

    it('shows the drop and its replacement in one page, wherever a page ends', async () => {
      const { txHash } = await sendOne({ address: 'sped up' }, 0);
      const { cursor } = await chain.poll('tron', null, NOBODY, at(1));
      const others = Array.from({ length: 499 }, (_, i) => ({ ...SENDING, address: `T${i}` }));
      await chain.send(db, others, at(1));
      await chain.poll('tron', cursor, NOBODY, at(1));
      const replacement = (await chain.speedUp(txHash, at(2)))?.replacedBy;
      const first = await chain.poll('tron', cursor, NOBODY, at(3));
      expect(first.transfers.map(({ address }) => address)).not.to.include('sped up');
      expect(first.next).to.equal('more');
      const second = await chain.poll('tron', first.cursor, NOBODY, at(3));
      expect(second.transfers.map((transfer) => transfer.txHash)).to.deep.equal([replacement, txHash]);
    });

    it('shows a replacement that was replaced or mined before the poll beside the drop', async () => {
      const { txHash } = await sendOne({ address: 'sped up' }, 0);
      const { cursor } = await chain.poll('tron', null, NOBODY, at(1));
      const second = (await chain.speedUp(txHash, at(2)))?.replacedBy ?? '';
      const third = (await chain.speedUp(second, at(3)))?.replacedBy ?? '';
      const others = Array.from({ length: 600 }, (_, i) => ({ ...SENDING, address: `T${i}` }));
      await chain.send(db, others, at(2));
      await chain.reorganise('tron', 1, at(10));
      const first = await chain.poll('tron', cursor, NOBODY, at(11));
      expect(first).to.include({ next: 'more' });
      const shown = first.transfers.filter(({ address }) => address === 'sped up');
      expect(shown.map((transfer) => transfer.txHash)).to.have.members([txHash, second, third]);
      const rest = await chain.poll('tron', first.cursor, NOBODY, at(11));
      expect(rest.transfers.map((transfer) => transfer.txHash)).to.include(third);
    });
  });
});
