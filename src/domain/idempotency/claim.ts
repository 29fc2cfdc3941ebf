import { createHash } from 'node:crypto';
import { run, runOne, sql, type Connection, type Db, type Tx } from '../../platform/postgres/db.ts';
import type { IdempotencyClaim, Reply } from '../../platform/endpoint.ts';
import { ApiError } from '../../platform/errors.ts';

/** SHA-256 of a parsed JSON body, the same for every order of keys and every spacing. */
export function hashBody(body: unknown): Buffer {
  return createHash('sha256').update(canonical(body)).digest();
}

const insertClaim = sql<{ claimed: boolean }>(
  'insert_claim',
  `INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT DO NOTHING RETURNING true AS claimed`,
);
const storeReply = sql(
  'store_reply',
  `UPDATE idempotency_keys SET status = $5, body = $6 WHERE merchant_id = $1 AND key = $2 AND method = $3 AND path = $4`,
);

/**
 * Runs `work` in a transaction, once per claim: claim, work and stored answer commit together. A request whose claim was taken
 * before waits for that transaction to end and then answers its stored answer. Whatever `work` throws leaves nothing stored.
 */
export async function once(
  db: Db,
  claim: IdempotencyClaim | null,
  now: Date,
  work: (tx: Tx) => Promise<Reply>,
): Promise<Reply> {
  if (claim === null) return db.transaction(work);
  const { merchantId, key, method, path, bodyHash } = claim;
  const fresh = await db.transaction(async (tx) => {
    const claimed = await run(tx, insertClaim, [merchantId, key, method, path, bodyHash, now]);
    if (claimed.length === 0) return null;
    const answer = await work(tx);
    await run(tx, storeReply, [merchantId, key, method, path, answer.status, answer.text]);
    return answer;
  });
  return fresh ?? replayOf(db, claim);
}

const findReply = sql<{ body_hash: Buffer; status: number; body: string }>(
  'find_reply',
  `SELECT body_hash, status, body FROM idempotency_keys WHERE merchant_id = $1 AND key = $2 AND method = $3 AND path = $4`,
);

/** The stored answer of a claim that was taken before. Throws ApiError idempotency_conflict when it was taken with another body. */
export async function replayOf(connection: Connection, claim: IdempotencyClaim): Promise<Reply> {
  const stored = await runOne(connection, findReply, [claim.merchantId, claim.key, claim.method, claim.path]);
  // The claim was swept between our two statements: the client may simply try again.
  if (stored === null) throw new ApiError('unavailable');
  if (!stored.body_hash.equals(claim.bodyHash)) throw new ApiError('idempotency_conflict');
  return { status: stored.status, text: stored.body, headers: { 'Idempotent-Replayed': 'true' } };
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
