import { schedule } from '../../schedule/store.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { INITIAL_CONCURRENCY } from './flow-control.ts';
import { deliverWebhook } from './jobs.ts';

// The lease ends, too: a run that holds it knows the endpoint as it was, and would record the failures of
// requests that it sent before, or disable the endpoint. Without the lease its failures do not count, and
// what it did not deliver is sent by the next run.
const enable = sql<{ id: string }, { merchantId: string }>(
  'enable_endpoints',
  (p) => `
   UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failures = 0,
     failing_since = NULL, circuit_open_until = NULL, concurrency_limit = ${INITIAL_CONCURRENCY},
     leased_by = NULL, leased_until = NULL
   WHERE merchant_id = ${p.merchantId}
     AND (disabled_at IS NOT NULL OR failures > 0 OR leased_by IS NOT NULL)
   RETURNING id`,
);

/**
 * Enables the merchant's endpoints and forgets their failures: a merchant who sets the URL has repaired
 * something. Deliveries that an open circuit delayed are due at once.
 */
export async function enableEndpoints(tx: Tx, merchantId: string, now: Date): Promise<void> {
  const endpoints = await run(tx, enable, { merchantId });
  // Endpoints of payments with a test clock of their own go by other clocks, and their circuits do not open.
  const shared = endpoints.filter(({ id }) => id.startsWith(merchantId));
  await schedule(
    tx,
    shared.map(({ id }) => ({ job: deliverWebhook, key: id, runAt: now, testClock: null })),
  );
}
