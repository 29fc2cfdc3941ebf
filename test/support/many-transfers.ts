import { openDb } from '../../src/platform/postgres/db.ts';
import type { Harness } from './harness.ts';

/** More than any one request may look at; a stranger can send them for some dollars. */
export const MANY = 20_000;

/**
 * Stores `MANY` copies of the first transfer of a payment, a cent each and a millisecond apart; `columns` is
 * a JSON object in SQL of what else a copy is, of its number `i` and the first transfer `t`.
 */
export async function copyTransfers({ ctx }: Harness, paymentId: string, columns = `'{}'`): Promise<void> {
  const { databaseUrl: url } = ctx.config;
  // A harness has the limits of web, which no fixture need keep.
  const db = openDb({ url, poolSize: 1, acquireMs: 10_000, queryMs: 120_000, name: 'fixture' });
  await db.raw(
    `INSERT INTO transfers OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(t, jsonb_build_object(
       'tx_hash', '0x' || lpad(to_hex(i), 64, '0'), 'amount', '0.01', 'credit', '0.01',
       'place', (SELECT max(place) FROM transfers) + i, 'seen_at', t.seen_at + i * interval '1 millisecond')
       || ${columns}::jsonb)).*
     FROM transfers t, generate_series(1, ?::int) AS i
     WHERE t.place = (SELECT min(place) FROM transfers WHERE payment_id = ?)`,
    [MANY, paymentId],
  );
  await db.raw('ANALYZE transfers');
  await db.destroy();
}
