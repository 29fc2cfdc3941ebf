import { expect } from 'chai';
import { sweepEvents } from '../../../../src/domain/events/sweep.ts';
import { schedule } from '../../../../src/domain/schedule/store.ts';
import { redeliver } from '../../../../src/domain/webhooks/deliveries/redeliver.ts';
import { redeliverRange } from '../../../../src/domain/webhooks/deliveries/range/redeliver-range.ts';
import { deliverWebhook } from '../../../../src/domain/webhooks/endpoints/jobs.ts';
import { isolateDeliveries } from '../../../../src/domain/webhooks/endpoints/isolate.ts';
import { acquireEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/acquire.ts';
import type { AcquiredEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/lease.ts';
import { setWebhookConfig } from '../../../../src/domain/webhooks/endpoints/settings.ts';
import { sweepEndpoints } from '../../../../src/domain/webhooks/endpoints/sweep.ts';
import { maintainPartitions } from '../../../../src/domain/webhooks/deliveries/partitions.ts';
import { registerEndpoint } from '../../../../src/domain/webhooks/registrations/change.ts';
import { removeEndpoint } from '../../../../src/domain/webhooks/registrations/remove.ts';
import { rotateSecret } from '../../../../src/domain/webhooks/secrets/rotate.ts';
import { ENDPOINT_SECRETS } from '../../../../src/domain/webhooks/secrets/store.ts';
import type { Db, Tx } from '../../../../src/platform/postgres/db.ts';
import {
  callbackEndpointId,
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
  type DeliveryRow,
} from '../../../support/deliveries.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { waitingFor } from '../../../support/locks.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const DAY = 86_400;
const URL = 'http://127.0.0.1:9/hooks';

/** Each waits for a lock inside of its own statement, and what is committed meanwhile counts. */
describe('what is read of webhooks beside a lock', () => {
  let harness: Harness;
  let shop: Shop;
  let db: Db;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    db = harness.ctx.db;
    await configure(harness, URL);
    await harness.work();
  });
  afterEach(() => harness.close());

  const within = (tx: Tx) => ({ ...harness.ctx, db: tx });
  const acquire = (owner: string, endpointId = harness.merchant.id, on: Db = db) =>
    acquireEndpoint({ ...harness.ctx, db: on }, { endpointId, owner }, [], null);
  const dueOf = (acquired: AcquiredEndpoint | null) => acquired?.due.map(({ id }) => id) ?? [];
  const only = async (): Promise<DeliveryRow> => {
    const [row, ...others] = await deliveriesIn(harness);
    if (row === undefined || others.length > 0) throw new Error('there is not one delivery');
    return row;
  };
  const lock = (tx: Tx, table: string, id: string) =>
    tx.raw('SELECT FROM ?? WHERE id = ? FOR UPDATE', [table, id]);
  const end = (on: Db, status: 'delivered' | 'failed') =>
    on.raw(
      `UPDATE deliveries SET status = ?, failed_because = ?, attempts = 1, next_attempt_at = NULL,
         finished_at = created_at`,
      [status, status === 'failed' ? 'retries_exhausted' : null],
    );
  const restart = (tx: Tx) =>
    tx.raw(
      `UPDATE deliveries SET status = 'pending', failed_because = NULL, next_attempt_at = created_at,
         finished_at = NULL`,
    );

  it('an endpoint that was released meanwhile has nothing due that was delivered meanwhile', async () => {
    await createPaymentsWithDeliveries(harness, shop, 2);
    const [first, second] = await deliveriesIn(harness);
    await acquire('first run');
    const acquired = await waitingFor(
      db,
      async (tx) => {
        await tx.raw(`UPDATE deliveries SET status = 'delivered', next_attempt_at = NULL WHERE id = ?`, [
          first?.id ?? '',
        ]);
        await tx.raw(
          `UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL, in_flight = '{}' WHERE id = ?`,
          [harness.merchant.id],
        );
      },
      () => acquire('second run'),
    );
    expect(dueOf(acquired)).to.deep.equal([second?.id]);
  });

  it('an endpoint is acquired with the URL, the secrets and the version of its job as they are then', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    const before = await acquire('first run');
    await db.raw('UPDATE webhook_endpoints SET leased_by = NULL, in_flight = ?', ['{}']);
    const acquired = await waitingFor(
      db,
      async (tx) => {
        await lock(tx, 'webhook_endpoints', harness.merchant.id);
        const { id: merchantId } = harness.merchant;
        const webhookUrl = `${URL}/moved`;
        await setWebhookConfig(tx, merchantId, { webhookUrl, enabled: true }, harness.ctx.now());
        await rotateSecret(within(tx), { merchantId }, { overlap_hours: 1 }, null);
        const job = { job: deliverWebhook, key: merchantId, runAt: harness.ctx.now(), testClock: null };
        await schedule(tx, [job]);
      },
      () => acquire('second run'),
    );
    expect(acquired?.due.map(({ url }) => url)).to.deep.equal([`${URL}/moved`]);
    expect(acquired?.secrets).to.have.length(2);
    // setWebhookConfig schedules the job as well.
    expect(acquired?.version).to.equal((before?.version ?? NaN) + 2);
  });

  it('an endpoint that was disabled by its switch meanwhile sends nothing', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    const acquired = await waitingFor(
      db,
      async (tx) => {
        await lock(tx, 'webhook_endpoints', harness.merchant.id);
        const off = { webhookUrl: URL, enabled: false };
        await setWebhookConfig(tx, harness.merchant.id, off, harness.ctx.now());
      },
      () => acquire('run'),
    );
    expect(acquired).to.deep.include({ is_waiting: true, due: [] });
  });

  /** What a sweep deletes of an idle endpoint to which a delivery is restarted before `more` is done. */
  const sweptBeside = async (more: (tx: Tx, id: string) => Promise<unknown>) => {
    await createPaymentsWithDeliveries(harness, shop, 1, { callback_url: URL });
    const id = callbackEndpointId(harness.merchant.id, URL);
    await end(db, 'failed');
    harness.advance(31 * DAY);
    const changeMeanwhile = async (tx: Tx) => {
      await lock(tx, 'webhook_endpoints', id);
      await restart(tx);
      await more(tx, id);
    };
    return waitingFor(db, changeMeanwhile, () => sweepEndpoints(harness.ctx));
  };

  it('an idle endpoint that a run has acquired meanwhile is not deleted', async () => {
    const swept = await sweptBeside(async (tx, id) =>
      expect(dueOf(await acquire('run', id, tx))).to.have.length(1),
    );
    expect(swept).to.equal(0);
    expect(await db('webhook_endpoints').whereNotNull('leased_by').pluck('leased_by')).to.deep.equal(['run']);
  });

  it('an idle endpoint to which a delivery was restarted meanwhile is not deleted', async () => {
    expect(await sweptBeside(() => Promise.resolve())).to.equal(0);
  });

  it('the event of a delivery that is being restarted stays, and what was deleted is not restarted', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    const { id, event_id } = await only();
    await end(db, 'failed');
    await sweepEvents(harness.ctx);
    harness.advance(90 * DAY);
    const request = { id, claim: null };
    let swept = NaN;
    await db.transaction(async (tx) => {
      await redeliver(within(tx), shop.caller, request);
      // It skips what is locked, and waits for nothing.
      swept = await sweepEvents(harness.ctx);
    });
    expect(swept).to.equal(0);
    expect(await db('events').where({ id: event_id })).to.have.length(1);
    await end(db, 'failed');
    const restarting = waitingFor(
      db,
      async (tx) => expect(await sweepEvents(within(tx))).to.equal(1),
      () => redeliver(harness.ctx, shop.caller, request),
    );
    expect(await restarting.catch((error: unknown) => error)).to.include({ code: 'delivery_not_found' });
    expect((await only()).status).to.equal('failed');
  });

  for (const which of ['failed', 'all'] as const)
    it(`what was restarted and delivered meanwhile is ${which === 'all' ? 'restarted by a range of all' : 'not restarted by a range of those that failed'}`, async () => {
      await createPaymentsWithDeliveries(harness, shop, 1);
      const { id } = await only();
      await end(db, 'failed');
      const from_date = harness.ctx.now().toISOString().slice(0, 10);
      const { text } = await waitingFor(
        db,
        async (tx) => {
          await lock(tx, 'deliveries', id);
          await end(tx, 'delivered');
        },
        () => redeliverRange(harness.ctx, shop.caller, { from_date, which }, null),
      );
      expect(JSON.parse(text).count).to.equal(which === 'all' ? 1 : 0);
      expect((await only()).status).to.equal(which === 'all' ? 'pending' : 'delivered');
    });

  it('a delivery that a run has begun to send meanwhile stays when its payment is isolated', async () => {
    const [paymentId = ''] = await createPaymentsWithDeliveries(harness, shop, 1);
    await waitingFor(
      db,
      async (tx) => expect(dueOf(await acquire('run', harness.merchant.id, tx))).to.have.length(1),
      () => db.transaction((tx) => isolateDeliveries(tx, paymentId, harness.ctx.systemNow())),
    );
    expect((await only()).endpoint_id).to.equal(harness.merchant.id);
  });

  it('a delivery that was isolated meanwhile is restarted by the clock of its payment', async () => {
    const [paymentId = ''] = await createPaymentsWithDeliveries(harness, shop, 1);
    const { id } = await only();
    await waitingFor(
      db,
      async (tx) => {
        await tx.raw('UPDATE payments SET test_clock = id, clock_offset_ms = 3600000 WHERE id = ?', [
          paymentId,
        ]);
        await isolateDeliveries(tx, paymentId, harness.ctx.systemNow());
      },
      () => redeliver(harness.ctx, shop.caller, { id, claim: null }),
    );
    const due = (await only()).next_attempt_at?.getTime() ?? NaN;
    expect(due).to.equal(harness.ctx.now().getTime() + 3_600_000);
  });

  it('an endpoint that was deleted meanwhile gets no secret', async () => {
    const { merchantId } = shop.caller;
    const registered = await registerEndpoint(harness.ctx, shop.caller, { url: URL }, null);
    const ownerId = String(JSON.parse(registered.text).id);
    const owner = { store: ENDPOINT_SECRETS, ownerId };
    const rotating = waitingFor(
      db,
      (tx) => removeEndpoint(within(tx), shop.caller, ownerId),
      () => rotateSecret(harness.ctx, { merchantId }, {}, null, owner),
    );
    expect(await rotating.catch((error: unknown) => error)).to.include({ code: 'endpoint_not_found' });
    expect(await db('endpoint_secrets')).to.deep.equal([]);
  });

  it('an old delivery that was restarted meanwhile is not deleted', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    const { id } = await only();
    await end(db, 'failed');
    harness.advance(31 * DAY);
    await waitingFor(
      db,
      async (tx) => {
        await lock(tx, 'deliveries', id);
        await restart(tx);
      },
      () => maintainPartitions(harness.ctx).catch(() => undefined),
    );
    expect((await only()).status).to.equal('pending');
  });
});
