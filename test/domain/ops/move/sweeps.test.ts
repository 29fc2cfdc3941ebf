import { expect } from 'chai';
import { sweepEvents } from '../../../../src/domain/events/sweep.ts';
import { sweepOnce } from '../../../../src/domain/idempotency/sweep.ts';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { sweepPeopleOnce } from '../../../../src/domain/people/sweep.ts';
import { sweepScenariosOnce } from '../../../../src/domain/sandbox/scenarios/sweep.ts';
import { maintainPartitions } from '../../../../src/domain/webhooks/deliveries/partitions.ts';
import { sweepRedeliveryRequests } from '../../../../src/domain/webhooks/deliveries/redelivery-requests.ts';
import { sweepSecrets } from '../../../../src/domain/webhooks/secrets/rotate.ts';
import { sweepEndpoints } from '../../../../src/domain/webhooks/endpoints/sweep.ts';
import { invitePath } from '../../../support/desk.ts';
import { createHarness, type Harness, type TestMerchant } from '../../../support/harness.ts';
import { pauseMerchant } from '../../../support/paused.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop } from '../../../support/shop.ts';

const DAY = 86_400;
/** What the sweeps take of a merchant when all of it is old. */
const SWEPT = [
  'idempotency_keys',
  'redelivery_requests',
  'webhook_endpoints',
  'endpoint_registrations',
  'endpoint_secrets',
  'events',
  'deliveries',
  'invitations',
  'scenario_runs',
];

/** Of these, what has ended alone. */
const ENDED = ['webhook_secrets', 'webhook_signing_keys'];

describe('sweeps of what is old', function () {
  this.timeout(60_000);
  let harness: Harness;
  let receiver: Receiver;
  beforeEach(async () => {
    harness = await createHarness();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const fill = async (merchant: TestMerchant) => {
    const { ctx } = harness;
    const shop = await openShop(harness, merchant);
    const key = `of ${merchant.id}`;
    const scenario = harness
      .api('post', '/v1/sandbox/scenarios', merchant.apiKey)
      .set('Idempotency-Key', key.replace(' ', '-'));
    const answer = await scenario.send({ story: 'paid' });
    expect(answer.status, answer.text).to.equal(200);
    await shop.create({ callback_url: `${receiver.url}/own` });
    await harness.work();
    await invitePath(harness, 'ann@shop.example', { merchantId: merchant.id });
    await ctx.db.raw(
      `INSERT INTO redelivery_requests (merchant_id, event_id, requested_at)
       SELECT merchant_id, id, ? FROM events WHERE merchant_id = ? LIMIT 1`,
      [ctx.systemNow(), merchant.id],
    );
    await ctx.db.raw(
      `WITH registered AS (
         INSERT INTO endpoint_registrations
           (id, merchant_id, url, payload, is_enabled, created_at, updated_at, deleted_at)
         VALUES (?, ?, 'https://shop.example/', 'full', false, ?, ?, ?) RETURNING id, created_at
       )
       INSERT INTO endpoint_secrets (endpoint_id, created_at, key_id, ciphertext)
       SELECT id, created_at, 'k', '' FROM registered`,
      [`end_${merchant.id}`, merchant.id, ...Array<Date>(3).fill(ctx.systemNow())],
    );
    for (const table of ENDED)
      await ctx.db.raw(
        `INSERT INTO ?? (merchant_id, created_at, key_id, ciphertext, expires_at) VALUES (?, ?, 'k', '', ?)`,
        [table, merchant.id, addSeconds(ctx.systemNow(), -DAY), ctx.systemNow()],
      );
  };
  const sweep = async () => {
    const { ctx, adapters } = harness;
    for (const one of [
      sweepOnce,
      sweepRedeliveryRequests,
      sweepSecrets,
      sweepEndpoints,
      sweepEvents,
      maintainPartitions,
    ])
      await one(ctx);
    await sweepPeopleOnce(ctx);
    await sweepScenariosOnce(ctx, adapters);
  };
  const rowsOf = async ({ id }: TestMerchant) => {
    const measured = await measureMerchant(harness.ctx.db, id);
    return Object.fromEntries(SWEPT.map((name) => [name, measured[name]?.rows ?? 0]));
  };

  it('leave out a merchant that moves, and take everything of the others', async () => {
    const { ctx, merchant } = harness;
    const other = await harness.addMerchant();
    for (const one of [merchant, other]) await fill(one);
    harness.advance(1); // marks are one at a time: this one is behind the events
    await sweepEvents(ctx);
    harness.advance(200 * DAY);
    await pauseMerchant(harness);
    const before = await measureMerchant(ctx.db, merchant.id);
    for (const rows of Object.values(await rowsOf(merchant))) expect(rows).to.be.above(0);
    await sweep();
    // Scenarios are frozen first, and discarded by a sweep after that.
    harness.advance(DAY);
    await sweep();
    expect(await measureMerchant(ctx.db, merchant.id)).to.deep.equal(before);
    expect(await rowsOf(other)).to.deep.equal(Object.fromEntries(SWEPT.map((name) => [name, 0])));
    for (const table of ENDED)
      expect(await ctx.db(table).whereNotNull('expires_at').pluck('merchant_id'), table).to.deep.equal([
        merchant.id,
      ]);
  });

  it('put what is still to be sent of it into another partition, as it is', async () => {
    const { ctx, merchant } = harness;
    await maintainPartitions(ctx);
    harness.advance(8 * DAY);
    await fill(merchant);
    await ctx.db.raw(
      `UPDATE deliveries SET status = 'pending', next_attempt_at = created_at, failed_because = NULL`,
    );
    harness.advance(200 * DAY);
    await pauseMerchant(harness);
    // While its rows are copied or compared the partition stays: partitions.test.ts.
    await ctx.db('merchant_moves').update({ step: 'arrived' });
    const partitions = () =>
      ctx.db('deliveries').distinct<{ name: string }[]>(ctx.db.raw('tableoid::regclass::text AS name'));
    expect(await partitions()).to.not.deep.equal([{ name: 'deliveries_default' }]);
    const before = await measureMerchant(ctx.db, merchant.id);
    await maintainPartitions(ctx);
    expect(await partitions()).to.deep.equal([{ name: 'deliveries_default' }]);
    expect(await measureMerchant(ctx.db, merchant.id)).to.deep.equal(before);
  });
});
