import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import type { IdempotencyClaim, Reply } from '../../platform/endpoint.ts';
import { replayOf } from './claim.ts';

const claimExists = sql<{ exists: boolean }>(
  'claim_exists',
  `SELECT true AS exists FROM idempotency_keys WHERE merchant_id = $1 AND key = $2 AND method = $3 AND path = $4`,
);
const insertAnswered = sql<{ claimed: boolean }>(
  'insert_answered_claim',
  `INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, status, body, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING true AS claimed`,
);

// For work that takes many transactions, so that no claim can be held open meanwhile: one looks before it and claims after it.

/** The answer stored for a claim; null when there is none. Throws ApiError idempotency_conflict when it was taken with another body. */
export async function findReplay(
  connection: Connection,
  claim: IdempotencyClaim | null,
): Promise<Reply | null> {
  if (claim === null) return null;
  const found = await runOne(connection, claimExists, [
    claim.merchantId,
    claim.key,
    claim.method,
    claim.path,
  ]);
  return found === null ? null : replayOf(connection, claim);
}

/** Stores the answer for a claim; false when another request was faster. */
export async function claimAfterwards(
  connection: Connection,
  claim: IdempotencyClaim | null,
  { status, text }: Reply,
  now: Date,
): Promise<boolean> {
  if (claim === null) return true;
  const { merchantId, key, method, path, bodyHash } = claim;
  const values = [merchantId, key, method, path, bodyHash, status, text, now];
  return (await run(connection, insertAnswered, values)).length > 0;
}

/**
 * Runs `work`, which holds no transaction, and stores its answer for the claim: a request that comes again gets that one. Two at the same
 * instant may both work, so it is for work that may be done twice; both answer what the faster one stored.
 */
export async function onceAfterwards(
  connection: Connection,
  claim: IdempotencyClaim | null,
  now: Date,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const earlier = await findReplay(connection, claim);
  if (earlier !== null) return earlier;
  const answer = await work();
  if (claim === null || (await claimAfterwards(connection, claim, answer, now))) return answer;
  return replayOf(connection, claim);
}
