import { addSeconds } from '../../../platform/clock.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import type { RequestError } from './record.ts';

/** How long requests of keys are kept, and shown. */
export const REQUESTS_KEPT_SECONDS = 7 * 86_400;
/** The errors of all keys that a page shows. */
const MOST_ERRORS = 100;

/** The requests with a key on a day, in UTC. */
export interface DayOfKey {
  readonly key_prefix: string;
  /** Such as 2026-01-31. */
  readonly day: string;
  readonly served: number;
  readonly refused: number;
  readonly limited: number;
  readonly failed: number;
}

// Index: key_request_counts_pkey. A merchant has 4 rows for each hour and key at most.
const daysOfKeys = sql<DayOfKey, { merchantId: string; since: Date }>(
  'days_of_keys',
  (p) => `
    SELECT key_prefix, to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
      coalesce(sum(count) FILTER (WHERE outcome = 'served'), 0)::float8 AS served,
      coalesce(sum(count) FILTER (WHERE outcome = 'refused'), 0)::float8 AS refused,
      coalesce(sum(count) FILTER (WHERE outcome = 'limited'), 0)::float8 AS limited,
      coalesce(sum(count) FILTER (WHERE outcome = 'failed'), 0)::float8 AS failed
    FROM key_request_counts WHERE merchant_id = ${p.merchantId} AND hour > ${p.since}
    GROUP BY 1, 2 ORDER BY 2 DESC, 1`,
);

const latestErrors = sql<RequestError, { merchantId: string; since: Date }>(
  'latest_errors_of_keys',
  (p) => `
    SELECT merchant_id, key_prefix, at, method, route, status, reason, request_id FROM key_request_errors
    WHERE merchant_id = ${p.merchantId} AND at > ${p.since}
    ORDER BY at DESC, id DESC LIMIT ${MOST_ERRORS}`,
);

/** What the keys of a merchant have asked for in the last 7 days, and their latest errors; newest first. */
export async function readRequests(
  connection: Connection,
  merchantId: string,
  now: Date,
): Promise<{ days: DayOfKey[]; errors: RequestError[] }> {
  const since = addSeconds(now, -REQUESTS_KEPT_SECONDS);
  return {
    days: await run(connection, daysOfKeys, { merchantId, since }),
    errors: await run(connection, latestErrors, { merchantId, since }),
  };
}
