import { recordset, run, sql, type Db } from '../../../platform/postgres/db.ts';

/** What came of a request: limited is a 429, refused another 4xx, failed a 5xx. */
export const OUTCOMES = ['served', 'refused', 'limited', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Requests with one key in one hour. */
export interface RequestCount {
  readonly merchant_id: string;
  /** As much of the key as may be shown. */
  readonly key_prefix: string;
  /** When it begins. */
  readonly hour: Date;
  readonly outcome: Outcome;
  readonly count: number;
}

/** A request that was not served: neither its body nor its query, nor values of its path. */
export interface RequestError {
  readonly merchant_id: string;
  readonly key_prefix: string;
  readonly at: Date;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** The rule that it broke. */
  readonly reason: string | null;
  readonly request_id: string;
}

// In one order: two processes that count at the same moment would wait for each other's rows for ever.
const addCounts = sql<never, { counts: string }>(
  'add_key_request_counts',
  (p) => `
    INSERT INTO key_request_counts AS known (merchant_id, key_prefix, hour, outcome, count)
    SELECT c.* FROM json_to_recordset(${p.counts}::json) AS c (
      merchant_id text, key_prefix text, hour timestamptz, outcome text, count bigint)
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (merchant_id, key_prefix, hour, outcome) DO UPDATE SET count = known.count + excluded.count`,
);

const insertErrors = sql<never, { errors: string }>(
  'insert_key_request_errors',
  (p) => `
    INSERT INTO key_request_errors
      (merchant_id, key_prefix, at, method, route, status, reason, request_id)
    SELECT e.* FROM json_to_recordset(${p.errors}::json) AS e (
      merchant_id text, key_prefix text, at timestamptz, method text, route text, status smallint,
      reason text, request_id text)`,
);

/** How many errors of a key are kept: enough to see what is wrong with a program. */
export const ERRORS_KEPT = 50;

// Index: key_request_errors_of_key. SKIP LOCKED: another process deletes it.
const deleteSurplus = sql<never, { errors: string }>(
  'delete_surplus_key_request_errors',
  (p) => `
    WITH keys AS (
      SELECT DISTINCT merchant_id, key_prefix FROM json_to_recordset(${p.errors}::json) AS e (
        merchant_id text, key_prefix text)
    ), surplus AS (
      SELECT old.id FROM keys k CROSS JOIN LATERAL (
        SELECT id FROM key_request_errors e
        WHERE e.merchant_id = k.merchant_id AND e.key_prefix = k.key_prefix
        ORDER BY id DESC OFFSET ${ERRORS_KEPT}) old
    ), locked AS (
      SELECT id FROM key_request_errors WHERE id IN (SELECT id FROM surplus)
      ORDER BY id FOR UPDATE SKIP LOCKED
    )
    DELETE FROM key_request_errors WHERE id IN (SELECT id FROM locked)`,
);

/** Adds what was counted to what is stored, and keeps the latest errors of each key: all or nothing. */
export async function recordRequests(
  db: Db,
  counts: readonly RequestCount[],
  errors: readonly RequestError[],
): Promise<void> {
  await db.transaction(async (tx) => {
    if (counts.length > 0) await run(tx, addCounts, { counts: recordset(counts) });
    if (errors.length === 0) return;
    const rows = recordset(errors);
    await run(tx, insertErrors, { errors: rows });
    await run(tx, deleteSurplus, { errors: rows });
  });
}
