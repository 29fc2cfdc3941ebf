import type { Context } from '../../platform/context.ts';
import { recordset, run, sql, type Tx } from '../../platform/postgres/db.ts';
import { credentialsAad } from '../exchange/open.ts';
import { totpAad } from '../people/factors/totp.ts';
import { decryptBody, encryptBody } from '../webhooks/secrets/encrypted-reply.ts';
import { secretBoxOf, type SecretBox } from '../../platform/secret-box.ts';
import { SECRET_STORES } from '../webhooks/secrets/store.ts';

/** LIKE: the paths of rotations, whose replies hold secrets. */
const ROTATE_PATHS = '/v1/webhooks/%/rotate';

/** Secrets that one transaction re-encrypts. */
const BATCH = 500;

interface OwnedSecret {
  readonly owner_id: string;
  readonly created_at: Date;
  readonly key_id: string;
  readonly ciphertext: Buffer;
}

/** API keys of exchanges, and the secrets of people's apps, are stored in the form of a table of secrets. */
const STORED = [
  ...SECRET_STORES,
  { table: 'exchange_accounts', owner: 'merchant_id', aadOf: credentialsAad },
  { table: 'totp_factors', owner: 'person_id', aadOf: totpAad },
] as const;

const TABLES = STORED.map(({ table, owner, aadOf }) => ({
  aadOf,
  // Locks the rows, always in one order: of two concurrent commands the second waits and then finds nothing
  // left.
  lockSecretsOfOtherKeys: sql<OwnedSecret, { keyId: string }>(
    `lock_${table}_of_other_keys`,
    (p) => `
   SELECT ${owner} AS owner_id, created_at, key_id, ciphertext FROM ${table}
   WHERE key_id <> ${p.keyId}
   ORDER BY ${owner}, created_at LIMIT ${BATCH} FOR UPDATE`,
  ),
  replaceCiphertexts: sql<never, { keyId: string; secrets: string }>(
    `replace_${table}_ciphertexts`,
    (p) => `
   UPDATE ${table} s SET key_id = ${p.keyId}, ciphertext = r.ciphertext
   FROM json_to_recordset(${p.secrets}::json)
     AS r (owner_id text, created_at timestamptz, ciphertext bytea)
   WHERE s.${owner} = r.owner_id AND s.created_at = r.created_at`,
  ),
}));
type Table = (typeof TABLES)[number];

interface StoredReply {
  readonly merchant_id: string;
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

const repliesOfOtherKeys = sql<StoredReply, { paths: string; keyPrefix: string }>(
  'rotation_replies_of_other_keys',
  (p) => `
   SELECT merchant_id, path, key, body FROM idempotency_keys
   WHERE path LIKE ${p.paths} AND NOT starts_with(body, ${p.keyPrefix})`,
);

interface ReplaceReplyParams {
  readonly merchantId: string;
  readonly key: string;
  readonly path: string;
  readonly before: string;
  readonly body: string;
}

// The key may have been swept and claimed again meanwhile: its new reply stays.
const replaceReply = sql<never, ReplaceReplyParams>(
  'replace_rotation_reply',
  (p) => `
   UPDATE idempotency_keys SET body = ${p.body}
   WHERE merchant_id = ${p.merchantId} AND key = ${p.key} AND path = ${p.path} AND body = ${p.before}`,
);

/**
 * Re-encrypts under the first key of SECRETS_KEY what is stored under another: webhook secrets, API keys of
 * exchanges, secrets of people's apps, and the replies to rotations that are stored for their
 * Idempotency-Keys. Returns how many of each; afterwards no other key is needed. May run twice, or in two
 * places. Throws SecretBoxError when one cannot be decrypted; what was re-encrypted before stays so.
 */
export async function reEncryptSecrets(ctx: Context): Promise<{ secrets: number; answers: number }> {
  let secrets = 0;
  for (const table of TABLES) secrets += await reEncryptStored(ctx, table);
  return { secrets, answers: await reEncryptReplies(ctx) };
}

async function reEncryptStored(ctx: Context, table: Table): Promise<number> {
  for (let total = 0; ;) {
    const count = await ctx.db.transaction((tx) => reEncryptBatch(tx, secretBoxOf(ctx.config), table));
    if (count === 0) return total;
    total += count;
  }
}

async function reEncryptBatch(tx: Tx, box: SecretBox, table: Table): Promise<number> {
  const rows = await run(tx, table.lockSecretsOfOtherKeys, { keyId: box.keyId });
  const secrets = rows.map(({ owner_id, created_at, key_id, ciphertext }) => {
    const aad = table.aadOf(owner_id);
    const encrypted = box.encrypt(box.decrypt({ keyId: key_id, ciphertext }, aad), aad).ciphertext;
    return { owner_id, created_at, ciphertext: `\\x${encrypted.toString('hex')}` };
  });
  await run(tx, table.replaceCiphertexts, { keyId: box.keyId, secrets: recordset(secrets) });
  return rows.length;
}

/** Few: a day's rotations that had an Idempotency-Key. */
async function reEncryptReplies(ctx: Context): Promise<number> {
  const box = secretBoxOf(ctx.config);
  const rows = await run(ctx.db, repliesOfOtherKeys, { paths: ROTATE_PATHS, keyPrefix: `${box.keyId}.` });
  for (const { merchant_id: merchantId, path, key, body } of rows) {
    const encrypted = encryptBody(box, decryptBody(box, body, merchantId), merchantId);
    await run(ctx.db, replaceReply, { merchantId, key, path, before: body, body: encrypted });
  }
  return rows.length;
}
