import { createHash } from 'node:crypto';
import { run, runOne, sql, type Connection, type Db, type Tx } from '../../platform/postgres/db.ts';
import type { IdempotencyClaim, Reply } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';

/** SHA-256 of a parsed JSON body, the same for every order of keys and every spacing. */
export function hashBody(body: unknown): Buffer {
  return createHash('sha256').update(canonical(body)).digest();
}

/** What identifies a claim: the primary key of `idempotency_keys`. */
type ClaimKey = Pick<IdempotencyClaim, 'merchantId' | 'key' | 'method' | 'path'>;

const insertClaim = sql<{ claimed: boolean }, IdempotencyClaim & { now: Date }>(
  'insert_claim',
  (p) => `INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, created_at)
   VALUES (${p.merchantId}, ${p.key}, ${p.method}, ${p.path}, ${p.bodyHash}, ${p.now})
   ON CONFLICT DO NOTHING RETURNING true AS claimed`,
);
const storeReply = sql<never, ClaimKey & { status: number; text: string }>(
  'store_reply',
  (p) => `UPDATE idempotency_keys SET status = ${p.status}, body = ${p.text}
   WHERE merchant_id = ${p.merchantId} AND key = ${p.key} AND method = ${p.method} AND path = ${p.path}`,
);

/**
 * Runs `work` in a transaction, once per claim: claim, work and reply commit together. A second request with
 * the same claim waits for that transaction to end and returns the stored reply. When `work` throws, nothing
 * is stored.
 */
export async function once(
  db: Db,
  claim: IdempotencyClaim | null,
  now: Date,
  work: (tx: Tx) => Promise<Reply>,
): Promise<Reply> {
  if (claim === null) return db.transaction(work);
  const first = await db.transaction(async (tx) => {
    const claimed = await run(tx, insertClaim, { ...claim, now });
    if (claimed.length === 0) return null;
    const reply = await work(tx);
    await run(tx, storeReply, { ...claim, status: reply.status, text: reply.text });
    return reply;
  });
  return first ?? replayOf(db, claim);
}

const findReply = sql<{ body_hash: Buffer; status: number; body: string }, ClaimKey>(
  'find_reply',
  (p) => `SELECT body_hash, status, body FROM idempotency_keys
   WHERE merchant_id = ${p.merchantId} AND key = ${p.key} AND method = ${p.method} AND path = ${p.path}`,
);

/**
 * The stored reply of an earlier claim. Throws ApiError idempotency_conflict when that claim came with
 * another body.
 */
export async function replayOf(connection: Connection, claim: IdempotencyClaim): Promise<Reply> {
  const found = await findReplay(connection, claim);
  // The claim was swept between the two statements: the client may try again.
  if (found === null) throw new ApiError('unavailable');
  return found;
}

/** Like `replayOf`; returns null where there is no earlier claim. */
export async function findReplay(connection: Connection, claim: IdempotencyClaim): Promise<Reply | null> {
  const stored = await runOne(connection, findReply, claim);
  if (stored === null) return null;
  if (!stored.body_hash.equals(claim.bodyHash)) throw new ApiError('idempotency_conflict');
  return { status: stored.status, text: stored.body, headers: { 'Idempotent-Replayed': 'true' } };
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
