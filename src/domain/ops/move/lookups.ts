import { createHash } from 'node:crypto';
import type { Db } from '../../../platform/postgres/db.ts';
import { ask } from './rows.ts';

/**
 * What clients of a merchant send, as the proxy looks for it: the SHA-256 in hex of keys, of the tokens of
 * pages and of the cookies of tills (platform/cells/moved.ts). Some of it is held by its hash alone.
 */
export async function lookupsOf(db: Db, merchantId: string): Promise<string[]> {
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
  return rows.map(
    ({ hash, token }) =>
      hash ??
      createHash('sha256')
        .update(token ?? '')
        .digest('hex'),
  );
}
