import { IS_MOVING } from '../../moves/steps.ts';
import { sql, type Statement } from '../../../platform/postgres/db.ts';

/** A secret as stored: encrypted, in force until it expires; null: it is the current one. */
export interface StoredSecret {
  readonly key_id: string;
  readonly ciphertext: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

/** The same in JSON; the ciphertext in base64. */
export type EncodedSecret = Readonly<Record<'key_id' | 'ciphertext', string>>;

/** The statements of one table of secrets, each of which belongs to one owner. */
export interface SecretStore {
  readonly table: string;
  readonly owner: string;
  /** The additional data with which a secret of the owner is encrypted: nothing else decrypts it. */
  readonly aadOf: (ownerId: string) => string;
  /** Serializes the rotations of one owner. No row: it was deleted. */
  readonly lockOwner: Statement<{ id: string }, { ownerId: string }>;
  /** What still signs, newest first. */
  readonly read: Statement<StoredSecret, { ownerId: string; now: Date }>;
  /** Lets the current secret overlap, and ends what is too old or too many. */
  readonly end: Statement<{ created_at: Date }, { ownerId: string; now: Date; overlapEnd: Date }>;
  readonly insert: Statement<never, NewSecret>;
  readonly sweep: Statement<{ owner_id: string }, { endedBefore: Date }>;
}

interface NewSecret {
  readonly ownerId: string;
  readonly createdAt: Date;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

/**
 * Rotated secrets that may overlap. Each of them signs each delivery: without a bound, a merchant who rotates
 * in a loop would keep the workers busy, and send headers that no receiver accepts.
 */
const MAX_OVERLAPPING = 10;

function storeOf(
  { table, owner, owners, merchant }: { table: string; owner: string; owners: string; merchant: string },
  aadOf: SecretStore['aadOf'] = (ownerId) => ownerId,
): SecretStore {
  return {
    table,
    owner,
    aadOf,
    // The row of the secret in force would not do: a rotation that waited for it finds it rotated, and
    // no other. Payments do not wait: their foreign key takes a weaker lock.
    lockOwner: sql(
      `lock_owner_of_${table}`,
      (p) => `SELECT id FROM ${owners} WHERE id = ${p.ownerId} FOR NO KEY UPDATE`,
    ),
    read: sql(
      `read_${table}`,
      (p) => `
   SELECT key_id, ciphertext, created_at, expires_at FROM ${table}
   WHERE ${owner} = ${p.ownerId} AND (expires_at IS NULL OR expires_at > ${p.now})
   ORDER BY created_at DESC`,
    ),
    end: sql(
      `end_${table}`,
      (p) => `
   UPDATE ${table}
   SET expires_at = CASE WHEN expires_at IS NULL THEN ${p.overlapEnd}::timestamptz ELSE ${p.now} END
   WHERE ${owner} = ${p.ownerId} AND (expires_at IS NULL
     OR ${p.overlapEnd}::timestamptz <= ${p.now}::timestamptz AND expires_at > ${p.now} OR created_at IN (
     SELECT created_at FROM ${table}
     WHERE ${owner} = ${p.ownerId} AND expires_at > ${p.now}
     ORDER BY created_at DESC OFFSET ${MAX_OVERLAPPING - 1}))
   RETURNING created_at`,
    ),
    insert: sql(
      `insert_${table}`,
      (p) => `
   INSERT INTO ${table} (${owner}, created_at, key_id, ciphertext)
   VALUES (${p.ownerId}, ${p.createdAt}, ${p.keyId}, ${p.ciphertext})`,
    ),
    sweep: sql(
      `delete_ended_${table}`,
      (p) => `
   DELETE FROM ${table} WHERE expires_at < ${p.endedBefore} AND NOT ${IS_MOVING(merchant)}
   RETURNING ${owner} AS owner_id`,
    ),
  };
}

/** The secrets of merchants: they sign for the webhookUrl and for callback URLs. */
export const MERCHANT_SECRETS = storeOf({
  table: 'webhook_secrets',
  owner: 'merchant_id',
  owners: 'merchants',
  merchant: 'webhook_secrets.merchant_id',
});
/** The secrets of registered endpoints. */
export const ENDPOINT_SECRETS = storeOf({
  table: 'endpoint_secrets',
  owner: 'endpoint_id',
  owners: '(SELECT id FROM endpoint_registrations WHERE deleted_at IS NULL) registered',
  merchant: '(SELECT r.merchant_id FROM endpoint_registrations r WHERE r.id = endpoint_id)',
});
/** The private keys of merchants for ed25519, `whsk_...`: they sign beside any secret. */
export const SIGNING_KEYS = storeOf(
  {
    table: 'webhook_signing_keys',
    owner: 'merchant_id',
    owners: 'merchants',
    merchant: 'webhook_signing_keys.merchant_id',
  },
  (merchantId) => `signing key of ${merchantId}`,
);
export const SECRET_STORES: readonly SecretStore[] = [MERCHANT_SECRETS, ENDPOINT_SECRETS, SIGNING_KEYS];
