import { addSeconds } from '../../../platform/clock.ts';
import type { Placeholders } from '../../../platform/postgres/sql.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import type { DisableReason, EndpointHealth } from './schemas.ts';

/**
 * The failure rate covers the events of this time, and of them the merchant's newest: reading it costs the
 * same for any number of events and endpoints.
 */
const RATE_SECONDS = 86_400;
const RATE_DELIVERIES = 2_000;

export interface HealthRow {
  readonly has_url: boolean;
  /** False before the endpoint's first event. */
  readonly is_used: boolean;
  readonly failures: number | null;
  readonly circuit_open_until: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  /** Attempts before it say nothing about the endpoint; null: it was never reset. */
  readonly reset_at: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisableReason | null;
  readonly rate: number | null;
}

export interface HealthParams {
  readonly merchantId: string;
  /** See `rateSince`. */
  readonly rateSince: string;
}

/** SQL: the CTE of the failure rates of a merchant's endpoints. Walks the index deliveries_newest. */
export const RATES = (p: Placeholders<HealthParams>) => `rates AS (
     SELECT d.endpoint_id,
       avg((a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299)::int)::float8 AS rate
     FROM (
       SELECT id, endpoint_id FROM deliveries
       WHERE merchant_id = ${p.merchantId} AND id >= ${p.rateSince}
       ORDER BY id DESC LIMIT ${RATE_DELIVERIES}) d
       JOIN delivery_attempts a ON a.delivery_id = d.id
       JOIN webhook_endpoints o ON o.id = d.endpoint_id
     WHERE a.started_at > coalesce(o.reset_at, '-infinity')
       AND a.error_class IS DISTINCT FROM 'interrupted'
     GROUP BY d.endpoint_id)`;

/** SQL: the columns of a HealthRow but `has_url`, of the endpoint `o` and its rate `r`. */
export const HEALTH_COLUMNS = `o.id IS NOT NULL AS is_used, o.failures, o.circuit_open_until,
     o.last_success_at, o.last_failure_at, o.reset_at, o.disabled_at, o.disabled_reason, r.rate`;

/** The id from which on deliveries count for the failure rate. */
export function rateSince(now: Date): string {
  return firstIdAt('dlv', addSeconds(now, -RATE_SECONDS));
}

/** The health of an endpoint, as of its latest deliveries. */
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
  if (row.disabled_at !== null) return 'switched_off';
  if (row.circuit_open_until !== null && row.circuit_open_until > now) return 'paused';
  if ((row.failures ?? 0) > 0) return 'failing';
  if (!row.is_used && !row.has_url) return 'unused';
  return wasTried(row) ? 'healthy' : 'untested';
}

/** Whether an attempt was recorded since the endpoint was set or enabled. */
function wasTried({ last_success_at, last_failure_at, reset_at }: HealthRow): boolean {
  const last = Math.max(last_success_at?.getTime() ?? 0, last_failure_at?.getTime() ?? 0);
  return last > (reset_at?.getTime() ?? 0);
}
