import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { deleteInChunks, run, sql } from '../../../platform/postgres/db.ts';
import { REQUESTS_KEPT_SECONDS } from './read.ts';

interface Chunk {
  readonly before: Date;
  readonly limit: number;
}

// Indexes: key_request_counts_by_age, key_request_errors_by_age.
const DELETES = [
  sql<{ key_prefix: string }, Chunk>(
    'delete_old_key_request_counts',
    (p) => `DELETE FROM key_request_counts WHERE ctid IN (
       SELECT ctid FROM key_request_counts WHERE hour < ${p.before} ORDER BY hour LIMIT ${p.limit})
     RETURNING key_prefix`,
  ),
  sql<{ key_prefix: string }, Chunk>(
    'delete_old_key_request_errors',
    (p) => `DELETE FROM key_request_errors WHERE ctid IN (
       SELECT ctid FROM key_request_errors WHERE at < ${p.before} ORDER BY at LIMIT ${p.limit})
     RETURNING key_prefix`,
  ),
];

/** Deletes what keys asked for more than 7 days ago; returns how many rows that was. */
export async function sweepRequests(ctx: Context): Promise<number> {
  const before = addSeconds(ctx.now(), -REQUESTS_KEPT_SECONDS);
  let swept = 0;
  for (const statement of DELETES)
    swept += await deleteInChunks(async (limit) => (await run(ctx.db, statement, { before, limit })).length);
  return swept;
}
