import { addSeconds } from '../../../platform/clock.ts';
import type { Placeholders } from '../../../platform/postgres/sql.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import type { DisableReason, EndpointHealth } from './schemas.ts';

/** The failure rate covers the attempts of this time, of the newest deliveries. */
const RATE_SECONDS = 86_400;
const RATE_DELIVERIES = 1_000;

export interface HealthRow {
  /** False before the endpoint's first event. */
  readonly is_used: boolean;
  readonly failures: number | null;
  readonly circuit_open_until: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisableReason | null;
  readonly rate: number | null;
}

export interface HealthParams {
  readonly merchantId: string;
  /** See `rateSince`. */
  readonly rateSince: string;
}

/**
 * The columns of a HealthRow, of the merchant's own endpoint `o`. The rate walks the index deliveries_newest.
 */
export const healthColumns = (p: Placeholders<HealthParams>) => `
     o.id IS NOT NULL AS is_used, o.failures, o.circuit_open_until, o.last_success_at, o.last_failure_at,
     o.disabled_at, o.disabled_reason,
     (SELECT avg((a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299)::int)::float8
      FROM (
        SELECT id FROM deliveries
        WHERE merchant_id = ${p.merchantId} AND id >= ${p.rateSince} AND endpoint_id = ${p.merchantId}
        ORDER BY id DESC LIMIT ${RATE_DELIVERIES}) d
        JOIN delivery_attempts a ON a.delivery_id = d.id) AS rate`;

/** The id from which on deliveries count for the failure rate. */
export function rateSince(now: Date): string {
  return firstIdAt('dlv', addSeconds(now, -RATE_SECONDS));
}

/** The health of the merchant's own endpoint, as of its latest deliveries; all null before the first. */
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
  return (row.failures ?? 0) > 0 ? 'failing' : 'healthy';
}
