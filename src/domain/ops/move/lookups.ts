import { lookupOf } from '../../../platform/cells/moved.ts';
import type { Db } from '../../../platform/postgres/db.ts';
import { inCell } from '../../../platform/values/cells.ts';
import { ask } from './tables/rows.ts';

/**
 * What clients of a merchant send, as the proxy looks for it: the SHA-256 in hex of keys, of the tokens of
 * pages and of the cookies of tills (platform/cells/moved.ts). Some of it is held by its hash alone. The set
 * of public keys has the merchant's id, as each of the `cells` may have published it.
 */
export async function lookupsOf(db: Db, merchantId: string, cells: readonly string[]): Promise<string[]> {
  const rows = await ask<{ hash: string | null; token: string | null }>(
    db,
    `SELECT encode(key_hash, 'hex') AS hash, NULL AS token FROM api_keys WHERE merchant_id = $1 AND revoked_at IS NULL
     UNION ALL
     SELECT encode(d.token_hash, 'hex'), NULL FROM till_devices d JOIN tills t ON t.id = d.till_id
     WHERE t.merchant_id = $1
     UNION ALL SELECT NULL, token_id FROM payments WHERE merchant_id = $1
     UNION ALL SELECT NULL, token FROM payment_links WHERE merchant_id = $1
     UNION ALL SELECT NULL, logo_id FROM merchant_faces WHERE merchant_id = $1 AND logo_id IS NOT NULL`,
    [merchantId],
  );
  const sets = [merchantId, ...cells.map((cell) => inCell({ cell }, merchantId))];
  return [...rows.map(({ hash, token }) => hash ?? lookupOf(token ?? '')), ...sets.map(lookupOf)];
}
