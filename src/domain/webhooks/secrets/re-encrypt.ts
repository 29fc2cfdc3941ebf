import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { ROTATE_PATH } from './rotate.ts';
import { decryptText, encryptText } from './sealed-reply.ts';
import { secretBoxOf, type SecretBox } from './secret-box.ts';

/** One statement's share. */
const CHUNK = 500;

interface Stored {
  readonly merchant_id: string;
  readonly created_at: Date;
  readonly key_id: string;
  readonly ciphertext: Buffer;
}

// Locked, and always in one order: of two commands at once the second waits and then finds nothing left to do here.
const lockSecretsOfOtherKeys = sql<Stored>(
  'lock_webhook_secrets_of_other_keys',
  `SELECT merchant_id, created_at, key_id, ciphertext FROM webhook_secrets WHERE key_id <> $1
   ORDER BY merchant_id, created_at LIMIT $2 FOR UPDATE`,
);
const replaceSecrets = sql(
  'replace_sealed_webhook_secrets',
  `UPDATE webhook_secrets s SET key_id = $1, ciphertext = n.ciphertext
   FROM unnest($2::text[], $3::timestamptz[], $4::bytea[]) AS n (merchant_id, created_at, ciphertext)
   WHERE s.merchant_id = n.merchant_id AND s.created_at = n.created_at`,
);
const answersOfOtherKeys = sql<{ merchant_id: string; key: string; body: string }>(
  'rotation_answers_of_other_keys',
  `SELECT merchant_id, key, body FROM idempotency_keys WHERE path = $1 AND NOT starts_with(body, $2)`,
);
const replaceAnswer = sql(
  'replace_rotation_answer',
  `UPDATE idempotency_keys SET body = $4 WHERE merchant_id = $1 AND key = $2 AND path = $3`,
);

/**
 * Encrypts all that is stored under another key than the first of SECRETS_KEY anew under that one: webhook secrets, and the answers
 * to rotations that are kept for their Idempotency-Keys. Answers how many secrets and answers there were; afterwards no other key is
 * needed. Doing it twice, or in two places, is fine. Throws SecretBoxError when one cannot be opened; what was done before stays.
 */
export async function reEncryptSecrets(ctx: Context): Promise<{ secrets: number; answers: number }> {
  return { secrets: await reEncryptStored(ctx), answers: await reEncryptReplies(ctx) };
}

async function reEncryptStored(ctx: Context): Promise<number> {
  let resealed = 0;
  for (;;) {
    const count = await ctx.db.transaction((tx) => reEncryptChunk(tx, secretBoxOf(ctx.config)));
    if (count === 0) return resealed;
    resealed += count;
  }
}

async function reEncryptChunk(tx: Tx, box: SecretBox): Promise<number> {
  const rows = await run(tx, lockSecretsOfOtherKeys, [box.keyId, CHUNK]);
  const ciphertexts = rows.map(({ merchant_id, key_id, ciphertext }) => {
    const secret = box.decrypt({ keyId: key_id, ciphertext }, merchant_id);
    return box.encrypt(secret, merchant_id).ciphertext;
  });
  await run(tx, replaceSecrets, [
    box.keyId,
    rows.map(({ merchant_id }) => merchant_id),
    rows.map(({ created_at }) => created_at),
    ciphertexts,
  ]);
  return rows.length;
}

/** A day's rotations that bore an Idempotency-Key: few. */
async function reEncryptReplies(ctx: Context): Promise<number> {
  const box = secretBoxOf(ctx.config);
  const rows = await run(ctx.db, answersOfOtherKeys, [ROTATE_PATH, `${box.keyId}.`]);
  for (const { merchant_id, key, body } of rows) {
    const sealed = encryptText(box, decryptText(box, body, merchant_id), merchant_id);
    await run(ctx.db, replaceAnswer, [merchant_id, key, ROTATE_PATH, sealed]);
  }
  return rows.length;
}
