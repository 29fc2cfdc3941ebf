import { expect } from 'chai';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { attemptOutcome } from '../../../../src/domain/webhooks/deliveries/in-flight/outcome.ts';
import { recordOutcomes, UNDECIDED } from '../../../../src/domain/webhooks/deliveries/record.ts';
import { redeliverRange } from '../../../../src/domain/webhooks/deliveries/range/redeliver-range.ts';
import { acquireEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/acquire.ts';
import { withoutInterrupted } from '../../../../src/domain/webhooks/endpoints/leases/interrupted.ts';
import type { Tx } from '../../../../src/platform/postgres/db.ts';
import {
  ANSWER,
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
} from '../../../support/deliveries.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { waitingFor } from '../../../support/locks.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

/** Before every event. */
const FROM = '2026-01-01';

/**
 * Each waits for an endpoint that a transaction has changed, as one that records outcomes has, and holds no
 * delivery by then: the transaction goes on to the deliveries. Otherwise Postgres ends one of the two.
 */
describe('an endpoint is locked before its deliveries', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    await configure(harness, 'http://127.0.0.1:9/hooks');
    await harness.work();
    await createPaymentsWithDeliveries(harness, shop, 1);
  });
  afterEach(() => harness.close());

  const changeEndpoint = (tx: Tx) => tx('webhook_endpoints').update({ failures: 1 });
  const fail = (tx: Tx) =>
    tx('deliveries').update({
      status: 'failed',
      failed_because: 'retries_exhausted',
      attempts: 1,
      next_attempt_at: null,
      finished_at: harness.ctx.now(),
    });
  const redeliverAll = (tx?: Tx) =>
    redeliverRange(
      { ...harness.ctx, db: tx ?? harness.ctx.db },
      shop.caller,
      { from_date: FROM, which: 'all' },
      null,
    );
  const statuses = async () => (await deliveriesIn(harness)).map(({ status }) => status);

  it('by a run that logs what was interrupted', async () => {
    const { ctx, merchant } = harness;
    const acquire = async (owner: string) => {
      const lease = { endpointId: merchant.id, owner };
      const acquired = await acquireEndpoint(ctx, lease, [], null);
      if (acquired === null) throw new Error('another run has the endpoint');
      return { lease, acquired };
    };
    const first = await acquire('first run');
    await ctx.db('webhook_endpoints').update({ leased_by: null, leased_until: null });
    const { lease, acquired } = await acquire('second run');
    expect(acquired.has_interrupted).to.equal(true);
    const [sent] = first.acquired.due;
    if (sent === undefined) throw new Error('nothing was due');
    const outcomes = [attemptOutcome(ctx, sent, ANSWER, ctx.now())];
    await waitingFor(
      ctx.db,
      changeEndpoint,
      () => withoutInterrupted(ctx, lease, acquired, null),
      (tx) => recordOutcomes({ ...ctx, db: tx }, first.lease, outcomes, first.acquired, UNDECIDED),
    );
    expect(await ctx.db('delivery_attempts').pluck('status_code')).to.deep.equal([200]);
    expect(await statuses()).to.deep.equal(['delivered']);
  });

  it('by a redelivery of a range', async () => {
    await harness.ctx.db.transaction(fail);
    const answer = await waitingFor(harness.ctx.db, changeEndpoint, () => redeliverAll(), fail);
    expect(JSON.parse(answer.text)).to.include({ count: 1 });
    expect(await statuses()).to.deep.equal(['pending']);
  });

  it('by the dispatch of events, which a redelivery of a range has dispatched meanwhile', async () => {
    const { ctx } = harness;
    const events = await shop.events(await shop.create());
    const ids = events.map(({ id }) => id);
    await waitingFor(ctx.db, changeEndpoint, () => dispatchEvents(ctx, ids), redeliverAll);
    expect(await statuses()).to.deep.equal(['pending', 'pending']);
  });
});
