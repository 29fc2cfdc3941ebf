import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import type { IdempotencyClaim, Reply } from '../api/endpoint.ts';
import { replayOf } from './claim.ts';

// For work of many transactions, which cannot keep one open for its claim: it looks for a reply first, and
// claims after the work.

const claimExists = sql<{ exists: boolean }, Omit<IdempotencyClaim, 'bodyHash'>>(
  'claim_exists',
  (p) => `SELECT true AS exists FROM idempotency_keys
   WHERE merchant_id = ${p.merchantId} AND key = ${p.key} AND method = ${p.method} AND path = ${p.path}`,
);
const insertWithReply = sql<
  { claimed: boolean },
  IdempotencyClaim & { status: number; text: string; now: Date }
>(
  'insert_claim_with_reply',
  (p) => `INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, status, body, created_at)
   VALUES (${p.merchantId}, ${p.key}, ${p.method}, ${p.path}, ${p.bodyHash}, ${p.status}, ${p.text}, ${p.now})
   ON CONFLICT DO NOTHING RETURNING true AS claimed`,
);

/**
 * The reply stored for a claim; null: none. Throws ApiError idempotency_conflict when the claim came with
 * another body.
 */
export async function findReplay(
  connection: Connection,
  claim: IdempotencyClaim | null,
): Promise<Reply | null> {
  if (claim === null) return null;
  const found = await runOne(connection, claimExists, claim);
  return found === null ? null : replayOf(connection, claim);
}

/** Stores the reply for a claim; returns false when another request was faster. */
export async function claimAfterwards(
  connection: Connection,
  claim: IdempotencyClaim | null,
  { status, text }: Reply,
  now: Date,
): Promise<boolean> {
  if (claim === null) return true;
  return (await run(connection, insertWithReply, { ...claim, status, text, now })).length > 0;
}

/**
 * Runs `work`, which keeps no transaction open, and stores its reply for the claim: a repeated request
 * returns that reply. Two requests at the same instant may both run `work`, so it must be safe to do twice;
 * both return the reply that was stored first.
 */
export async function onceAfterwards(
  connection: Connection,
  claim: IdempotencyClaim | null,
  now: Date,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const earlier = await findReplay(connection, claim);
  if (earlier !== null) return earlier;
  const reply = await work();
  if (claim === null || (await claimAfterwards(connection, claim, reply, now))) return reply;
  return replayOf(connection, claim);
}
