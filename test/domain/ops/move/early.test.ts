import { expect } from 'chai';
import { sweepEvents } from '../../../../src/domain/events/sweep.ts';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import { copyEarly } from '../../../../src/domain/ops/move/early/copy-early.ts';
import { goOnNoting } from '../../../../src/domain/ops/move/early/notes.ts';
import { beginArriving, claim } from '../../../../src/domain/ops/move/runs.ts';
import { takeBack } from '../../../../src/domain/ops/move/take-back.ts';
import { MERCHANT_TABLES } from '../../../../src/domain/ops/move/tables/tables.ts';
import { erasePersonalData } from '../../../../src/domain/ops/personal-data/erase.ts';
import { reconcileOnce } from '../../../../src/domain/ops/reconcile.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import { maintainPartitions } from '../../../../src/domain/webhooks/deliveries/partitions.ts';
import { configure } from '../../../support/deliveries.ts';
import { untilFeedsAreWhole, walkFeed } from '../../../support/feed.ts';
import type { Harness } from '../../../support/harness.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const DAY = 86_400;
/** What is told when all is copied that is copied early. */
const FEED_IS_THERE = 'rows copied while writes go on, up to events,';

describe('payments that are copied before writes of a merchant stop', function () {
  this.timeout(120_000);
  let stand: MoveStand;
  let shop: Shop;
  let receiver: Receiver;
  /** Payments that rest. */
  let [kept, touched]: [string, string] = ['', ''];
  beforeEach(async () => {
    stand = await createMoveStand();
    receiver = await startReceiver();
    await maintainPartitions(stand.source.ctx);
    stand.source.advance(8 * DAY);
    await configure(stand.source, receiver.url);
    shop = await openShop(stand.source);
    const ids = [await shop.create(), await shop.create({ customer_email: 'ann@shop.example' })] as const;
    for (const id of ids) await shop.pay(id);
    await stand.source.work();
    await shop.mine(12);
    await untilFeedsAreWhole(stand.source.ctx.db);
    [kept, touched] = ids;
  });
  afterEach(async () => {
    await receiver.close();
    await stand.close();
  });

  const ends = () => ({ source: stand.source.ctx.db, target: stand.target.ctx.db });
  const moving = (run: string) => ({
    merchantId: stand.source.merchant.id,
    cell: 'b',
    run,
    now: stand.source.ctx.now(),
  });
  /** Moves, and does work when all that rests is in the target, and writes go on. */
  const moveWhile = (work: () => Promise<unknown>) =>
    stand.move({
      onProgress: async (_, of) => {
        if (of === FEED_IS_THERE) await work();
      },
    });
  const there = (table: string) => stand.target.ctx.db(table);
  /** Which of the target's rows of payments were written by which transaction. */
  const writers = async () => {
    const { rows } = await stand.target.ctx.db.raw<{ rows: { id: string; xmin: string }[] }>(
      'SELECT id, xmin::text AS xmin FROM payments',
    );
    return new Map(rows.map(({ id, xmin }) => [id, xmin]));
  };
  /** The target has what the source has, and every invariant holds of it. */
  const isWhole = async () => {
    const { source, target } = stand;
    const [before, after] = [
      await measureMerchant(source.ctx.db, source.merchant.id),
      await measureMerchant(target.ctx.db, source.merchant.id),
    ];
    for (const { name, refuses } of MERCHANT_TABLES)
      if (refuses !== 'none') expect([name, after[name]]).to.deep.equal([name, before[name]]);
    expect(await unsound(target)).to.deep.equal([]);
    await untilFeedsAreWhole(target.ctx.db);
    const feeds = [];
    for (const { ctx } of [source, target])
      feeds.push((await walkFeed(ctx.db, source.merchant.id)).events.map(({ id }) => id));
    expect(feeds[1]).to.deep.equal(feeds[0]);
  };
  const unsound = async ({ ctx }: Harness) =>
    (await verify(ctx, { since: null })).invariants
      .filter(({ offenders }) => offenders > 0)
      .map(({ name, examples }) => [name, examples]);

  it('are copied in the stop only if something of them was written meanwhile; new ones are', async () => {
    const waiting = await shop.create();
    let early = new Map<string, string>();
    let later = '';
    await moveWhile(async () => {
      early = await writers();
      await shop.refund(touched, { amount: '1' });
      await shop.pay(waiting);
      later = await shop.create();
      await stand.source.work();
    });
    expect([...early.keys()]).to.have.members([kept, touched]);
    const all = await writers();
    expect([...all.keys()]).to.have.members([kept, touched, waiting, later]);
    expect(all.get(kept)).to.equal(early.get(kept));
    expect(all.get(touched)).to.not.equal(early.get(touched));
    await isWhole();
  });

  it('lose in the target what is erased and deleted in the source meanwhile', async () => {
    const { ctx } = stand.source;
    const gone = await shop.create();
    await untilFeedsAreWhole(ctx.db);
    const first = () => ctx.db('events').where({ payment_id: kept, sequence: 1 });
    await moveWhile(async () => {
      expect(await there('payments').where({ id: touched }).pluck('customer_email')).to.deep.equal([
        'ann@shop.example',
      ]);
      expect(await erasePersonalData(ctx.db, touched)).to.equal(null);
      await first().delete();
      expect(await there('events').where({ payment_id: gone })).to.have.length(1);
      for (const table of ['events', 'quotes']) await ctx.db(table).where({ payment_id: gone }).delete();
      await ctx.db('scheduled_jobs').delete();
      await ctx.db('payments').where({ id: gone }).delete();
    });
    for (const table of ['events', 'quotes'])
      expect(await there(table).where({ payment_id: gone })).to.deep.equal([]);
    expect(await there('payments').where({ id: touched }).pluck('customer_email')).to.deep.equal([null]);
    expect(await there('events').where({ payment_id: kept, sequence: 1 })).to.deep.equal([]);
    const bodies = await there('events').where({ payment_id: touched }).pluck('body');
    expect(bodies).to.have.length.above(1);
    expect(bodies.join()).to.not.include('ann@');
    // The event that was deleted by hand is missed, as in the source.
    expect((await unsound(stand.target)).map(([name]) => name)).to.deep.equal(['sequences']);
  });

  it('are seen, sent and swept by nobody in the target before the merchant arrives', async () => {
    const { source, target } = stand;
    let sent = 0;
    const stays = async () => {
      sent = receiver.requests.length;
      const before = await measureMerchant(target.ctx.db, source.merchant.id);
      expect(before.payments?.rows).to.equal(2);
      expect((await target.api('get', '/v1/payments', source.merchant.apiKey)).status).to.equal(401);
      expect(await reconcileOnce(target.ctx)).to.equal(0);
      expect(await unsound(target)).to.deep.equal([]);
      target.advance(1);
      await sweepEvents(target.ctx);
      target.advance(200 * DAY);
      await sweepEvents(target.ctx);
      await target.work();
      expect(await measureMerchant(target.ctx.db, source.merchant.id)).to.deep.equal(before);
      expect(await there('unapplied_transfers').select()).to.deep.equal([]);
    };
    await stand.move({
      onProgress: async (_, of) => {
        // Payments without their events, and then with them.
        if (of.includes('writes go on')) await stays();
      },
    });
    expect(receiver.requests).to.have.length(sent);
  });

  it('are taken back by another command: nothing is left of them, and the first one ends', async () => {
    const { source, target } = stand;
    const told = await refusal(moveWhile(() => takeBack(ends(), moving('back'))));
    expect(told).to.match(/taken over|taken back/);
    for (const { ctx } of [source, target])
      for (const table of ['merchant_moves', 'merchant_copies', 'copied_payments', 'touched_payments'])
        expect([table, await ctx.db(table).select()]).to.deep.equal([table, []]);
    for (const [name, { rows }] of Object.entries(await measureMerchant(target.ctx.db, source.merchant.id)))
      expect([name, rows]).to.deep.equal([name, 0]);
    const { rows: triggers } = await source.ctx.db.raw<{ rows: unknown[] }>(
      `SELECT FROM pg_trigger WHERE tgname LIKE 'moving %'`,
    );
    expect(triggers).to.deep.equal([]);
    expect(await shop.create()).to.be.a('string');
  });

  it('keep a week of deliveries in the source for as long as they are copied, and no longer', async () => {
    const { ctx } = stand.source;
    const weeks = () =>
      ctx.db('deliveries').distinct<{ name: string }[]>(ctx.db.raw('tableoid::regclass::text AS name'));
    const move = moving('first');
    await claim(ctx.db, move);
    await beginArriving(ctx.db, stand.target.ctx.db, move);
    await copyEarly(ends(), move, () => undefined);
    stand.source.advance(200 * DAY);
    await maintainPartitions(ctx);
    expect(await weeks()).to.have.length(1);
    // Of a command that was killed nothing is heard: the week goes, and nothing is noted any more.
    await ctx.db('merchant_copies').update({ lasts_until: new Date(0) });
    await ctx.db('touched_payments').delete();
    await erasePersonalData(ctx.db, touched);
    expect(await ctx.db('touched_payments').select()).to.deep.equal([]);
    await maintainPartitions(ctx);
    expect(await weeks()).to.deep.equal([]);
    expect(await refusal(goOnNoting(ctx.db, move))).to.include('was not noted');
    expect((await stand.move()).step).to.equal('arrived');
    expect(await there('payments').pluck('customer_email')).to.deep.equal([null, null]);
    expect(await there('deliveries').select()).to.deep.equal([]);
  });
});
