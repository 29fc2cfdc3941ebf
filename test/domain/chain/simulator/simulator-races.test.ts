import { expect } from 'chai';
import type { ChainTransfer } from '../../../../src/domain/chain/port.ts';
import type { TransferRequest, TestChain } from '../../../../src/domain/chain/test-chain.ts';
import type { Db } from '../../../../src/platform/postgres/db.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import { at, NOBODY, openSimulator, START, type SimulatorSetup } from '../../../support/simulator.ts';

const sending = (address: string): TransferRequest => ({
  network: 'tron',
  coin: 'USDT',
  address,
  amount: '1',
  reference: address,
});
const addressesOf = (transfers: readonly ChainTransfer[]) => transfers.map(({ address }) => address);

/** A transfer becomes final by the blocks above it, without being reported again. */
const stateOf = ({ final: _final, ...state }: ChainTransfer) => state;

describe('the simulated chain under concurrency', () => {
  let setup: SimulatorSetup;
  let db: Db;
  let chain: TestChain;

  before(async () => {
    setup = await openSimulator(12);
    ({ db, chain } = setup);
  });

  beforeEach(async () => {
    await setup.clear();
  });

  after(() => setup.close());

  it('never skips a transfer whose transaction began first and commits last', async () => {
    const slow = await db.transaction();
    // A transaction gets its number at its first write: the slow one has the lower number.
    await slow.raw('SELECT pg_current_xact_id()');
    await chain.send(slow, [sending('slow, before')], at(1));
    await chain.send(db, [sending('quick')], at(2));
    const first = await chain.poll('tron', null, NOBODY, at(3));
    expect(addressesOf(first.transfers)).to.deep.equal(['quick']);
    await chain.send(slow, [sending('slow, after')], at(4));
    await slow.commit();
    const second = await chain.poll('tron', first.cursor, NOBODY, at(5));
    expect(addressesOf(second.transfers)).to.deep.equal(['slow, before', 'slow, after']);
  });

  it('is not delayed by an unrelated open transaction', async () => {
    const open = await db.transaction();
    await open.raw('SELECT pg_current_xact_id()');
    await chain.send(open, [sending('open')], at(1));
    await chain.send(db, [sending('committed')], at(1));
    expect(addressesOf((await chain.poll('tron', null, NOBODY, at(2))).transfers)).to.deep.equal([
      'committed',
    ]);
    expect((await chain.poll('tron', null, NOBODY, at(12))).transfers).to.have.nested.property(
      '[0].block.height',
      1,
    );
    await open.rollback();
  });

  it('mines each transfer once when many pollers find the same block due', async () => {
    await chain.poll('tron', null, NOBODY, START);
    await chain.send(
      db,
      Array.from({ length: 300 }, (_, i) => sending(`T${i}`)),
      at(1),
    );
    const views = await Promise.all(
      Array.from({ length: 12 }, () => chain.poll('tron', null, NOBODY, at(10))),
    );
    for (const { head, transfers, cursor } of views) {
      expect(head.height).to.equal(1);
      expect(new Set(addressesOf(transfers)).size).to.equal(300);
      expect(transfers.every(({ block }) => block?.height === 1)).to.equal(true);
      expect(cursor, 'each transfer changed once').to.equal('300');
    }
  });

  it("creates a network's chain once when many poll it first", async () => {
    const views = await Promise.all(
      Array.from({ length: 12 }, () => chain.poll('polygon', null, NOBODY, START)),
    );
    expect(new Set(views.map((view) => JSON.stringify(view))).size).to.equal(1);
    expect(views[0]).to.deep.include({ finalHeight: -15, transfers: [], cursor: '0', next: 'head' });
    expect(views[0]?.head.height).to.equal(0);
  });

  it('sends one transfer when one job runs many times at once', async () => {
    const batch = Array.from({ length: 200 }, (_, i) => sending(`pay_${i}`));
    const runs = await Promise.all(Array.from({ length: 12 }, () => chain.send(db, batch, at(1))));
    const hashes = runs.flatMap((transfers) => transfers.map(({ txHash }) => txHash));
    expect(hashes).to.have.length(2_400);
    expect(new Set(hashes).size).to.equal(200);
    expect((await chain.poll('tron', null, NOBODY, at(2))).transfers).to.have.length(200);
  });

  it('lets two batches share references in any order without a deadlock', async () => {
    // Inserted in the given order, each batch would lock one end, and both would wait for the middle and each
    // other.
    const middle = await db.transaction();
    await chain.send(middle, [sending('m')], at(1));
    const both = Promise.all([
      chain.send(db, ['a', 'm', 'z'].map(sending), at(2)),
      chain.send(db, ['z', 'm', 'a'].map(sending), at(2)),
    ]);
    await untilWaitingForLocks(db, 2);
    await middle.rollback();
    const [forwards, backwards] = await both;
    expect(backwards.toReversed()).to.deep.equal(forwards);
  });

  it('shows every poller every transfer in its last state, however its commits, blocks and reorganisations interleave', async () => {
    await chain.poll('tron', null, NOBODY, START);
    const known = new Map<string, ChainTransfer>();
    let cursor: string | null = null;
    const follow = async (seconds: number) => {
      const view = await chain.poll('tron', cursor, NOBODY, at(seconds));
      cursor = view.cursor;
      for (const transfer of view.transfers) known.set(transfer.txHash, transfer);
    };
    for (let round = 0; round < 20; round += 1) {
      const now = round * 7;
      const mine =
        round % 3 === 0 ? [chain.reorganise('tron', 2, at(now))] : [chain.mine('tron', 1, at(now))];
      const senders = Array.from({ length: 4 }, (_, i) =>
        db.transaction((tx) =>
          chain.send(tx, [sending(`T${round}.${i}`), sending(`U${round}.${i}`)], at(now)),
        ),
      );
      await Promise.all([...senders, ...mine, follow(now), chain.poll('tron', null, NOBODY, at(now))]);
    }
    await follow(500);
    const { transfers } = await chain.poll('tron', null, NOBODY, at(500));
    expect(transfers).to.have.length(160);
    expect([...known.values()].map(stateOf)).to.have.deep.members(transfers.map(stateOf));
  });
});
