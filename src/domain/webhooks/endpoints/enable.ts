import { schedule } from '../../schedule/store.ts';
import { testClockOf, type ClockColumns } from '../../payments/lifecycle/payment.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { OWNER_IN } from './destination.ts';
import { INITIAL_CONCURRENCY } from './flow-control.ts';
import { deliverWebhook } from './jobs.ts';

/**
 * SQL: an enabled endpoint as it begins. Its health counts from now on. The lease ends, too: a run that holds
 * it knows the endpoint as it was, and would record the failures of requests that it sent before, or disable
 * the endpoint. Without the lease its failures do not count, and what it did not deliver is sent by the next
 * run.
 */
export const RESET = (now: string) => `disabled_at = NULL, disabled_reason = NULL, failures = 0,
     failing_since = NULL, circuit_open_until = NULL, concurrency_limit = ${INITIAL_CONCURRENCY},
     reset_at = ${now}, leased_by = NULL, leased_until = NULL`;

/** Endpoints that have their settings in common. */
export interface EndpointsOf {
  readonly merchantId: string;
  /** A registered endpoint; null: the merchant's own URL, and those of its payments. */
  readonly registrationId: string | null;
}

interface EnableParams extends EndpointsOf {
  readonly now: Date;
  readonly isMoved: boolean;
}

const enable = sql<{ id: string }, EnableParams>(
  'enable_endpoints',
  (p) => `
   UPDATE webhook_endpoints SET ${RESET(p.now)}
   WHERE merchant_id = ${p.merchantId} AND registration_id IS NOT DISTINCT FROM ${p.registrationId}::text
     AND (disabled_at IS NOT NULL OR failures > 0 OR leased_by IS NOT NULL
       OR ${p.isMoved} AND (id = merchant_id OR registration_id IS NOT NULL))
   RETURNING id`,
);

/**
 * Enables endpoints and forgets their failures: a merchant who sets the URL has repaired something.
 * Deliveries that an open circuit delayed are due at once. `isMoved`: the endpoint has another URL, of which
 * nothing is known.
 */
export async function enableEndpoints(
  tx: Tx,
  { merchantId, registrationId }: EndpointsOf,
  now: Date,
  isMoved: boolean,
): Promise<void> {
  const endpoints = await run(tx, enable, { merchantId, registrationId, now, isMoved });
  // Endpoints of payments with a test clock of their own go by other clocks, and their circuits do not open.
  const shared = endpoints.filter(({ id }) => id.startsWith(merchantId));
  await schedule(
    tx,
    shared.map(({ id }) => ({ job: deliverWebhook, key: id, runAt: now, testClock: null, merchantId })),
  );
}

type WaitingEndpoint = ClockColumns & { readonly id: string };

// The id of an endpoint of an isolated payment begins with the payment's, and it goes by its clock.
const waitingEndpoints = sql<WaitingEndpoint, EndpointsOf>(
  'waiting_endpoints',
  (p) => `
   SELECT o.id, p.test_clock, coalesce(p.clock_offset_ms, 0) AS clock_offset_ms, p.clock_frozen_until
   FROM webhook_endpoints o LEFT JOIN payments p ON p.id = ${OWNER_IN('o.id')}
   WHERE o.merchant_id = ${p.merchantId} AND o.registration_id IS NOT DISTINCT FROM ${p.registrationId}::text
     AND EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = o.id AND d.status = 'pending')`,
);

/**
 * Makes the deliveries go on that waited for their endpoints to be enabled. The caller has enabled them, in
 * the same transaction. `now` is real time.
 */
export async function wakeEndpoints(tx: Tx, of: EndpointsOf, now: Date): Promise<void> {
  const endpoints = await run(tx, waitingEndpoints, of);
  await schedule(
    tx,
    endpoints.map((endpoint) => {
      const testClock = testClockOf(endpoint);
      const runAt = addSeconds(now, (testClock?.offsetMs ?? 0) / 1000);
      return { job: deliverWebhook, key: endpoint.id, runAt, testClock, merchantId: of.merchantId };
    }),
  );
}
