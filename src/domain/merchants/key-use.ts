import type { Context } from '../../platform/context.ts';
import type { Permission } from '../api/endpoint.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';

/** One write an hour and key: an operator asks for days. */
const updateUse = sql<never, { keyHash: Buffer; now: Date }>(
  'record_use_of_key',
  (p) => `
    UPDATE api_keys SET last_used_at = ${p.now}
    WHERE key_hash = ${p.keyHash}
      AND (last_used_at IS NULL OR last_used_at < ${p.now}::timestamptz - interval '1 hour')`,
);

const RECORD_EVERY_MS = 3_600_000;
/** Limits what is remembered to about 1 MB; beyond, a use is recorded again. */
const MOST_KEYS = 10_000;

/** The uses of keys that this process has recorded. */
export class KeyUses {
  readonly #recordedAt = new Map<string, number>();

  /**
   * Records that a key was used, once an hour. Without waiting, and without an error: a request must not
   * depend on it, for example while the database takes no writes.
   */
  record(ctx: Context, keyHash: Buffer): void {
    const at = ctx.now();
    const key = keyHash.toString('base64');
    if (at.getTime() - (this.#recordedAt.get(key) ?? -Infinity) < RECORD_EVERY_MS) return;
    if (this.#recordedAt.size >= MOST_KEYS) this.#recordedAt.clear();
    this.#recordedAt.set(key, at.getTime());
    run(ctx.db, updateUse, { keyHash, now: at }).catch(() => this.#recordedAt.delete(key));
  }
}

/** An API key, without what would let anybody use it. */
export interface KeySummary {
  /** The first 13 characters, by which people distinguish their keys. */
  readonly prefix: string;
  /** What people call it; null: nothing. */
  readonly name: string | null;
  readonly permissions: Permission[];
  /** Null: never. */
  readonly expires_at: Date | null;
  /** Null: it is taken from everywhere. */
  readonly allowed_addresses: string[] | null;
  readonly created_at: Date;
  /** Within an hour; null: never, or before uses were recorded. */
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
  /** Who made it at the desk; null: a command did. */
  readonly made_by: string | null;
  /** Their mail address. */
  readonly made_by_email: string | null;
}

/** Keys that are made and revoked in a loop would fill a page, and the memory of who makes it. */
const MOST_LISTED = 500;

// Index: api_keys_of_merchant.
const keysOfMerchant = sql<KeySummary, { merchantId: string; endedSince: Date | null; most: number }>(
  'keys_of_merchant',
  (p) => `
    SELECT latest.*, who.email AS made_by_email FROM (
      SELECT visible_prefix AS prefix, name, permissions, expires_at, allowed_addresses, created_at,
        last_used_at, revoked_at, made_by
      FROM api_keys WHERE merchant_id = ${p.merchantId}
        AND (${p.endedSince}::timestamptz IS NULL
          OR coalesce(revoked_at, expires_at, 'infinity') > ${p.endedSince})
      ORDER BY revoked_at DESC NULLS FIRST, created_at DESC LIMIT ${p.most}
    ) latest LEFT JOIN people who ON who.id = latest.made_by
    ORDER BY latest.created_at, latest.revoked_at`,
);

/**
 * Returns the keys of a merchant, oldest first: those that are not revoked, and of the others the latest.
 * Left out are those that have ended by `endedSince`; null: none is.
 */
export async function listKeys(
  connection: Connection,
  merchantId: string,
  endedSince: Date | null = null,
): Promise<KeySummary[]> {
  return run(connection, keysOfMerchant, { merchantId, endedSince, most: MOST_LISTED });
}
