import { schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import { deliverWebhook } from './jobs.ts';
import { INITIAL_CONCURRENCY } from './throttle.ts';
import type { EndpointHealth } from './schemas.ts';
import type { DisableReason } from './disable.ts';

/** The failure rate is that of the attempts in this time, of the newest deliveries. */
const RATE_SECONDS = 86_400;
const RATE_DELIVERIES = 1_000;

export interface HealthRow {
  /** False before the endpoint's first event. */
  readonly is_used: boolean;
  readonly failures: number;
  readonly circuit_open_until: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisableReason | null;
  readonly rate: number | null;
}

/** The columns of a HealthRow, of the endpoint `o` of merchant $1; $2 and $3 are `rateValues`. */
export const HEALTH_COLUMNS = `o.id IS NOT NULL AS is_used, o.failures, o.circuit_open_until, o.last_success_at, o.last_failure_at,
  o.disabled_at, o.disabled_reason,
  (SELECT avg((a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299)::int)::float8
   FROM (SELECT id FROM deliveries WHERE merchant_id = $1 AND id >= $2 AND endpoint_id = $1 ORDER BY id DESC LIMIT $3) d
     JOIN delivery_attempts a ON a.delivery_id = d.id) AS rate`;

/** What HEALTH_COLUMNS measures the failure rate over. */
export function rateValues(now: Date): [since: string, deliveries: number] {
  return [firstIdAt('dlv', addSeconds(now, -RATE_SECONDS)), RATE_DELIVERIES];
}

/** How the merchant's own endpoint is doing, as of its latest deliveries; all null before the first. */
export function healthOf(row: HealthRow, now: Date): EndpointHealth {
  return {
    state: stateOf(row, now),
    lastSuccessAt: row.last_success_at?.toISOString() ?? null,
    lastFailureAt: row.last_failure_at?.toISOString() ?? null,
    failureRate: row.rate,
    switchedOffAt: row.disabled_at?.toISOString() ?? null,
    switchedOffBecause: row.disabled_reason,
  };
}

function stateOf(row: HealthRow, now: Date): EndpointHealth['state'] {
  if (!row.is_used) return 'unused';
  if (row.disabled_at !== null) return 'switched_off';
  if (row.circuit_open_until !== null && row.circuit_open_until > now) return 'paused';
  return row.failures > 0 ? 'failing' : 'healthy';
}

const enableStatement = sql<{ id: string }>(
  'switch_on_endpoints',
  `UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failures = 0, failing_since = NULL, circuit_open_until = NULL,
     concurrency_limit = $2
   WHERE merchant_id = $1 AND (disabled_at IS NOT NULL OR failures > 0) RETURNING id`,
);

/** Forgets what the merchant's endpoints did wrong: whoever sets the URL has mended something. What a circuit held back is due at once. */
export async function enableEndpoints(tx: Tx, merchantId: string, now: Date): Promise<void> {
  const endpoints = await run(tx, enableStatement, [merchantId, INITIAL_CONCURRENCY]);
  // Those of payments in worlds of their own go by other clocks, and have no pauses.
  const shared = endpoints.filter(({ id }) => id.startsWith(merchantId));
  await schedule(
    tx,
    shared.map(({ id }) => ({ job: deliverWebhook, key: id, runAt: now, testClock: null })),
  );
}
