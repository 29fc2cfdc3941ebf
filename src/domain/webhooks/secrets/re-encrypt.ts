import type { Context } from '../../../platform/context.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { decryptBody, encryptBody } from './encrypted-reply.ts';
import { ROTATE_PATH } from './rotate.ts';
import { secretBoxOf, type SecretBox } from './secret-box.ts';

/** Secrets that one transaction re-encrypts. */
const BATCH = 500;

interface StoredSecret {
  readonly merchant_id: string;
  readonly created_at: Date;
  readonly key_id: string;
  readonly ciphertext: Buffer;
}

// Locks the rows, always in one order: of two concurrent commands the second waits and then finds nothing
// left.
const lockSecretsOfOtherKeys = sql<StoredSecret, { keyId: string }>(
  'lock_webhook_secrets_of_other_keys',
  (p) => `
   SELECT merchant_id, created_at, key_id, ciphertext FROM webhook_secrets
   WHERE key_id <> ${p.keyId}
   ORDER BY merchant_id, created_at LIMIT ${BATCH} FOR UPDATE`,
);
const replaceCiphertexts = sql<never, { keyId: string; secrets: string }>(
  'replace_webhook_secret_ciphertexts',
  (p) => `
   UPDATE webhook_secrets s SET key_id = ${p.keyId}, ciphertext = r.ciphertext
   FROM json_to_recordset(${p.secrets}::json)
     AS r (merchant_id text, created_at timestamptz, ciphertext bytea)
   WHERE s.merchant_id = r.merchant_id AND s.created_at = r.created_at`,
);

interface StoredReply {
  readonly merchant_id: string;
  readonly key: string;
  readonly body: string;
}

const repliesOfOtherKeys = sql<StoredReply, { path: string; keyPrefix: string }>(
  'rotation_replies_of_other_keys',
  (p) => `
   SELECT merchant_id, key, body FROM idempotency_keys
   WHERE path = ${p.path} AND NOT starts_with(body, ${p.keyPrefix})`,
);

interface ReplaceReplyParams {
  readonly merchantId: string;
  readonly key: string;
  readonly path: string;
  readonly body: string;
}

const replaceReply = sql<never, ReplaceReplyParams>(
  'replace_rotation_reply',
  (p) => `
   UPDATE idempotency_keys SET body = ${p.body}
   WHERE merchant_id = ${p.merchantId} AND key = ${p.key} AND path = ${p.path}`,
);

/**
 * Re-encrypts under the first key of SECRETS_KEY what is stored under another: webhook secrets, and the
 * replies to rotations that are stored for their Idempotency-Keys. Returns how many of each; afterwards no
 * other key is needed. May run twice, or in two places. Throws SecretBoxError when one cannot be decrypted;
 * what was re-encrypted before stays so.
 */
export async function reEncryptSecrets(ctx: Context): Promise<{ secrets: number; answers: number }> {
  return { secrets: await reEncryptStored(ctx), answers: await reEncryptReplies(ctx) };
}

async function reEncryptStored(ctx: Context): Promise<number> {
  for (let total = 0; ;) {
    const count = await ctx.db.transaction((tx) => reEncryptBatch(tx, secretBoxOf(ctx.config)));
    if (count === 0) return total;
    total += count;
  }
}

async function reEncryptBatch(tx: Tx, box: SecretBox): Promise<number> {
  const rows = await run(tx, lockSecretsOfOtherKeys, { keyId: box.keyId });
  const secrets = rows.map(({ merchant_id, created_at, key_id, ciphertext }) => {
    const secret = box.decrypt({ keyId: key_id, ciphertext }, merchant_id);
    const encrypted = box.encrypt(secret, merchant_id).ciphertext;
    return { merchant_id, created_at, ciphertext: `\\x${encrypted.toString('hex')}` };
  });
  await run(tx, replaceCiphertexts, { keyId: box.keyId, secrets: recordset(secrets) });
  return rows.length;
}

/** Few: a day's rotations that had an Idempotency-Key. */
async function reEncryptReplies(ctx: Context): Promise<number> {
  const box = secretBoxOf(ctx.config);
  const rows = await run(ctx.db, repliesOfOtherKeys, { path: ROTATE_PATH, keyPrefix: `${box.keyId}.` });
  for (const { merchant_id: merchantId, key, body } of rows) {
    const encrypted = encryptBody(box, decryptBody(box, body, merchantId), merchantId);
    await run(ctx.db, replaceReply, { merchantId, key, path: ROTATE_PATH, body: encrypted });
  }
  return rows.length;
}
