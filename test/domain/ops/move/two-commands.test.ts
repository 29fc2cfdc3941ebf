import { expect } from 'chai';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import type { MoveOrder } from '../../../../src/domain/ops/move/bring.ts';
import { dropFence, raiseFence } from '../../../../src/domain/ops/move/fence.ts';
import { drainMerchant } from '../../../../src/domain/ops/move/hold-jobs.ts';
import { claim, holdRun } from '../../../../src/domain/ops/move/runs.ts';
import { readMove } from '../../../../src/domain/ops/move/steps.ts';
import { forgetMerchant, letGo, takeBack } from '../../../../src/domain/ops/move/take-back.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import type { Db, Tx } from '../../../../src/platform/postgres/db.ts';
import { createHarness } from '../../../support/harness.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { openShop } from '../../../support/shop.ts';

describe('two commands that move one merchant', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  beforeEach(async () => {
    stand = await createMoveStand();
    const shop = await openShop(stand.source);
    for (let count = 0; count < 3; count += 1) await shop.create();
  });
  afterEach(() => stand.close());

  const moving = (run: string) => ({
    merchantId: stand.source.merchant.id,
    cell: 'b',
    run,
    now: stand.source.ctx.now(),
  });
  const ends = () => ({ source: stand.source.ctx.db, target: stand.target.ctx.db });
  const outcomes = (moves: readonly Promise<unknown>[]) =>
    Promise.all(moves.map((move) => refusal(move.then(() => undefined))));
  /** The merchant is in the target, which takes their writes, and in the source, which refuses them. */
  const hasMoved = async () => {
    const { source, target } = stand;
    const { id, apiKey } = source.merchant;
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    expect((await source.api('post', '/v1/payment').send(body)).status).to.equal(503);
    expect((await target.api('post', '/v1/payment', apiKey).send(body)).status).to.equal(201);
    expect((await measureMerchant(target.ctx.db, id)).payments?.rows).to.equal(4);
    const { invariants } = await verify(target.ctx, { since: null });
    expect(invariants.filter(({ offenders }) => offenders > 0)).to.deep.equal([]);
    expect((await readMove(source.ctx.db, id))?.step).to.equal('arrived');
    expect(await readMove(target.ctx.db, id)).to.equal(null);
  };

  const other: { move?: Promise<unknown> } = {};
  const start = () => (other.move ??= stand.move());
  const MOMENTS: Readonly<Record<string, Partial<MoveOrder>>> = {
    'has been announced, and rests until the other has ended': { announce: async () => void (await start()) },
    'has been announced': {
      announce: () => {
        void start();
        return Promise.resolve();
      },
    },
    'is copied': { onProgress: () => void start() },
    'is switched': { switchRoutes: async () => void (await start()) },
  };
  for (const [moment, hooks] of Object.entries(MOMENTS))
    it(`end with it in the target when it ${moment}: of those that bring it one goes on`, async () => {
      delete other.move;
      const first = await outcomes([stand.move(hooks)]);
      const second = await outcomes([Promise.resolve(other.move)]);
      const told = [...first, ...second];
      // One that finds it decided goes on as well: it brings nothing.
      const brought = moment === 'is switched' ? 2 : 1;
      expect(
        told.filter((one) => one === 'written'),
        told.join(),
      ).to.have.length(brought);
      for (const one of told) if (one !== 'written') expect(one).to.match(/taken over|already/);
      await hasMoved();
    });

  it('of which one has the address of a third cell: it is refused, and takes nothing of what arrives', async () => {
    const third = await createHarness();
    const target = stand.target.ctx.db;
    const lost = { source: third.ctx.db, target };
    const asked: Promise<string>[] = [];
    await stand.move({ onProgress: () => void asked.push(refusal(takeBack(lost, moving('lost')))) });
    const refusals = new Set(await Promise.all(asked));
    await third.close();
    const { id } = stand.source.merchant;
    expect([...refusals]).to.deep.equal([`There is no merchant ${id} in the cell of DATABASE_URL`]);
    await hasMoved();
  });

  it('begin at once: one of them goes on', async () => {
    const told = await outcomes([stand.move(), stand.move()]);
    expect(
      told.filter((one) => one === 'written'),
      told.join(),
    ).to.have.length(1);
    await hasMoved();
  });

  it('leave nothing to the one that was taken over: it takes nothing back', async () => {
    const { source } = stand;
    await claim(source.ctx.db, moving('first'));
    await stand.move();
    for (const ended of [letGo(ends(), moving('first')), takeBack(ends(), moving('first'))])
      expect(await refusal(ended)).to.include('is in b already');
    await hasMoved();
  });

  it('of which one takes it back: the other ends, and the merchant goes on in the source', async () => {
    const { source, target } = stand;
    const told = await outcomes([stand.move({ announce: () => takeBack(ends(), moving('back')) })]);
    expect(told.join()).to.match(/taken over|taken back/);
    expect(await source.ctx.db('merchant_moves').select()).to.deep.equal([]);
    expect(await target.ctx.db('merchant_moves').select()).to.deep.equal([]);
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    expect((await source.api('post', '/v1/payment').send(body)).status).to.equal(201);
    expect((await measureMerchant(target.ctx.db, source.merchant.id)).payments?.rows).to.equal(0);
  });

  it('of which one would bring it back before it has arrived: it is refused', async () => {
    const told: string[] = [];
    await stand.move({ switchRoutes: async () => void told.push(await refusal(stand.moveBack())) });
    expect(told.join()).to.include('still arriving here');
    await hasMoved();
  });

  const fencesOf = async (db: Db) =>
    (await db.raw<{ rows: unknown[] }>(`SELECT FROM pg_trigger WHERE tgname LIKE 'moving %'`)).rows.length;

  it('of which one ends when the merchant has come back and leaves again: it changes nothing of that move', async () => {
    const { source, target } = stand;
    const { id } = source.merchant;
    const again = async () => {
      await stand.move();
      await forgetMerchant(source.ctx.db, id, { knownMs: 0 });
      await stand.moveBack();
      await forgetMerchant(target.ctx.db, id, { knownMs: 0 });
      const killed = stand.move({ switchRoutes: () => Promise.reject(new Error('killed')) });
      expect(await refusal(killed)).to.equal('killed');
    };
    await stand.move({ switchRoutes: again });
    expect((await readMove(source.ctx.db, id))?.step).to.equal('moved');
    const stopped = { step: 'arriving', stopped_until: 'infinity' };
    expect(await target.ctx.db('merchant_moves').where(stopped)).to.have.length(1);
    expect(await fencesOf(target.ctx.db)).to.be.above(0);
    await stand.move();
    await hasMoved();
    expect(await fencesOf(target.ctx.db)).to.equal(0);
  });

  it('of which one is taken over when it raises fences, or holds jobs: neither is changed any more', async () => {
    const { db } = stand.source.ctx;
    const [first, second] = [moving('first'), moving('second')];
    await claim(db, first);
    const holds = (tx: Tx) => holdRun(tx, first);
    await raiseFence(db, first.merchantId, 'first', holds);
    const [fences, jobs] = [await fencesOf(db), await db('scheduled_jobs').orderBy(['job', 'key']).select()];
    await claim(db, second);
    const draining = { until: 'infinity', deadlineMs: performance.now() };
    for (const work of [
      () => raiseFence(db, first.merchantId, 'late', holds),
      () => drainMerchant(db, first, draining),
      () => dropFence(db, first.merchantId, holds),
    ])
      expect(await refusal(work())).to.include('taken over');
    expect(await fencesOf(db)).to.equal(fences);
    expect(await db('scheduled_jobs').orderBy(['job', 'key']).select()).to.deep.equal(jobs);
    await raiseFence(db, first.merchantId, 'late', (tx) => holdRun(tx, second));
    expect(await fencesOf(db)).to.be.above(fences);
    expect(await drainMerchant(db, second, draining)).to.equal(true);
  });
});
