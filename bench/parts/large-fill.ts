import type { Client } from 'pg';
import { countPayments } from '../counts.ts';
import { copyPayments, settleTables, withoutIndexes } from '../fill.ts';

/** Of the charts; payments are spread over them. */
const DAYS = 90;

/** A status that few payments have: some 50 of the merchant at 10,000,000. */
export const RARE = 'FAILED';

/** Beside the merchant with half of all: a fifth is of merchants with 10,000 each, the rest of small ones. */
const MIDDLE_SHARE = 50_000;
/** Payments of all for each merchant that has some 15. */
const SMALL_SHARE = 50;

/** A merchant with 10,000 payments, where there are enough, and one with some 15. */
export const OTHERS = ['mer_middle_0', 'mer_small_0'] as const;

/**
 * Makes so many payments over 90 days: half are of one merchant, a fifth of merchants with 10,000 each, the
 * rest of merchants with some 15. Each has a mail address and metadata, some a transfer or a refund. Nine of
 * ten are settled; all are counted but the last.
 */
export async function fillLarge(db: Client, merchantId: string, payments: number): Promise<void> {
  for (const [kind, share] of [
    ['middle', MIDDLE_SHARE],
    ['small', SMALL_SHARE],
  ] as const)
    await db.query(
      `INSERT INTO merchants
       SELECT (jsonb_populate_record(m, jsonb_build_object('id', 'mer_${kind}_' || i, 'name', 'Large ' || i))).*
       FROM merchants m, generate_series(0, ${countOf(payments, share) - 1}) AS i WHERE m.id = $1`,
      [merchantId],
    );
  await withoutIndexes(db, ['payments', 'quotes', 'events', 'transfers', 'refunds'], async () => {
    await copyLarge(db, merchantId, payments);
    await fillMoves(db);
  });
  await db.query('ALTER TABLE events ENABLE TRIGGER USER');
  // In the order of its key, which is not that of the payments.
  await db.query(
    `INSERT INTO payment_terms (merchant_id, term, payment_id)
     SELECT merchant_id, order_id, id FROM payments WHERE order_id LIKE 'copy-%'
     ORDER BY merchant_id, order_id COLLATE "C"`,
  );
  await settleTables(db);
  await countPayments(db, merchantId);
}

const countOf = (payments: number, share: number) => Math.max(1, Math.floor(payments / share));

function copyLarge(db: Client, merchantId: string, payments: number): Promise<void> {
  const createdAt = `now() - (${payments} - i) * (interval '${DAYS} days' / ${payments})`;
  const isSettled = 'i % 100001 <> 1 AND i % 20 > 1';
  return copyPayments(db, {
    count: payments,
    merchant: `CASE WHEN i % 2 = 1 THEN '${merchantId}'
      WHEN i % 10 IN (2, 4) THEN 'mer_middle_' || (i / 10) % ${countOf(payments, MIDDLE_SHARE)}
      ELSE 'mer_small_' || (i / 10) % ${countOf(payments, SMALL_SHARE)} END`,
    createdAt,
    payment: {
      customer_email: `'copy-' || i || '@shop.example'`,
      metadata: `json_build_object('sku', 'copy-' || i)`,
      status: `CASE WHEN i % 100001 = 1 THEN '${RARE}' WHEN i % 20 > 1 THEN 'SETTLED' ELSE 'EXPIRED' END`,
      settled_at: `CASE WHEN ${isSettled} THEN ${createdAt} + (20 + i % 600) * interval '1 second' END`,
      actually_paid: `CASE WHEN ${isSettled} THEN t.pay_amount END`,
      actually_paid_currency: `CASE WHEN ${isSettled} THEN t.pay_currency END`,
    },
  });
}

/** SQL: a hash of 32 bytes for a payment. */
const hashOf = (payment: string, seed: string) =>
  `'0x' || md5('${seed}' || ${payment}) || md5(${payment} || '${seed}')`;

/** A transfer for each fifth payment, and a refund for each 500th. */
async function fillMoves(db: Client): Promise<void> {
  await db.query(
    `INSERT INTO transfers (payment_id, network, tx_hash, coin, amount, credit, seen_at, confirmed_at)
     SELECT id, network, ${hashOf('id', 'transfer')}, coin, crypto_amount::numeric, 0, created_at, created_at
     FROM payments WHERE order_id ~ '^copy-.*[34]$'`,
  );
  await db.query(
    `INSERT INTO refunds (id, payment_id, merchant_id, amount, currency, status, tx_hash, created_at,
       completed_at, coin, network, coin_amount, source)
     SELECT 'ref_' || substr(id, 5), id, merchant_id, pay_amount, pay_currency, 'COMPLETED',
       ${hashOf('id', 'refund')}, created_at, created_at, coin, network, crypto_amount, 'settled'
     FROM payments WHERE order_id ~ '^copy-.*00[34]$'`,
  );
}
