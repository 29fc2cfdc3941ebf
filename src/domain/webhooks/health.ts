import { schedule } from '../due-work/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import { run, sql, type Tx } from '../../platform/db.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { deliverWebhook } from './jobs.ts';
import { FIRST_PACE } from './pace.ts';
import type { EndpointHealth } from './schemas.ts';
import type { SwitchOffReason } from './switch-off.ts';

/** The failure rate is that of the attempts in this time, of the newest deliveries. */
const RATE_SECONDS = 86_400;
const RATE_DELIVERIES = 1_000;

export interface HealthRow {
  /** False before the endpoint's first event. */
  readonly is_used: boolean;
  readonly failures: number;
  readonly open_until: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly switched_off_at: Date | null;
  readonly switched_off_because: SwitchOffReason | null;
  readonly rate: number | null;
}

/** The columns of a HealthRow, of the endpoint `o` of merchant $1; $2 and $3 are `rateValues`. */
export const HEALTH_COLUMNS = `o.id IS NOT NULL AS is_used, o.failures, o.open_until, o.last_success_at, o.last_failure_at,
  o.switched_off_at, o.switched_off_because,
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
    switchedOffAt: row.switched_off_at?.toISOString() ?? null,
    switchedOffBecause: row.switched_off_because,
  };
}

function stateOf(row: HealthRow, now: Date): EndpointHealth['state'] {
  if (!row.is_used) return 'unused';
  if (row.switched_off_at !== null) return 'switched_off';
  if (row.open_until !== null && row.open_until > now) return 'paused';
  return row.failures > 0 ? 'failing' : 'healthy';
}

const switchOn = sql<{ id: string }>(
  'switch_on_endpoints',
  `UPDATE webhook_endpoints SET switched_off_at = NULL, switched_off_because = NULL, failures = 0, failing_since = NULL, open_until = NULL,
     pace = $2
   WHERE merchant_id = $1 AND (switched_off_at IS NOT NULL OR failures > 0) RETURNING id`,
);

/** Forgets what the merchant's endpoints did wrong: whoever sets the URL has mended something. What a circuit held back is due at once. */
export async function switchOnEndpoints(tx: Tx, merchantId: string, now: Date): Promise<void> {
  const endpoints = await run(tx, switchOn, [merchantId, FIRST_PACE]);
  // Those of payments in worlds of their own go by other clocks, and have no pauses.
  const shared = endpoints.filter(({ id }) => id.startsWith(merchantId));
  await schedule(
    tx,
    shared.map(({ id }) => ({ job: deliverWebhook, key: id, runAt: now })),
  );
}
