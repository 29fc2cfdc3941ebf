import type { Client } from 'pg';
import { load } from './load.ts';
import type { Bench } from './bench.ts';
import { startService } from './processes.ts';

/** The rows of a payment as its creation has left them; copies are made of them by SQL. */
export interface Original {
  readonly merchant: { readonly id: string };
  readonly payment: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly quotes: readonly object[];
  readonly event: Readonly<Record<string, unknown>> & { readonly body: string };
}

/** Creates one payment through the API, and reads its rows. */
export async function createOriginal({ db, env, headers, origin }: Bench): Promise<Original> {
  await empty(db);
  const web = await startService('web', env);
  const body = '{"pay_amount":"10.50","order_id":"bulk"}';
  const next = () => ({ method: 'POST' as const, path: '/v1/payment', body });
  await load(origin, { headers, connections: 1, count: 1, next });
  await web.stop();
  const { rows } = await db.query<Original>(
    `SELECT to_jsonb(m) AS merchant, to_jsonb(p) AS payment, to_jsonb(e) - 'txid' - 'place' AS event,
       (SELECT jsonb_agg(q) FROM quotes q WHERE q.payment_id = p.id) AS quotes
     FROM payments p JOIN merchants m ON m.id = p.merchant_id JOIN events e ON e.payment_id = p.id`,
  );
  const [original] = rows;
  if (original === undefined) throw new Error('no payment was created');
  return original;
}

/** Every row that a part before this one has left would be work of this one. */
export async function empty(db: Client): Promise<void> {
  await db.query(
    `TRUNCATE payments, quotes, transfers, conversions, ledger_entries, events, deliveries, delivery_attempts,
       webhook_endpoints, scheduled_jobs, sim_transfers CASCADE`,
  );
}

/** SQL: the i-th copy's id, in the order of i; `name` keeps two sets of copies apart (two digits). */
const ID = (of: string, name: string) => `substr(${of}, 1, 14) || '${name}' || lpad(i::text, 14, '0')`;

export interface Copies {
  /** Two digits, which keep two sets of copies apart. */
  readonly name: string;
  readonly from: number;
  readonly until: number;
  readonly merchantId: string;
  /** Of the first; each further one is due so many microseconds later. */
  readonly deadline: Date;
  readonly apart: number;
}

/** SQL: when the i-th copy expires, with the parameters of the first one, its time and the distance. */
const DEADLINE = (from: string, first: string, apart: string) =>
  `${first}::timestamptz + make_interval(secs => (i - ${from}) * ${apart}::float8 / 1e6)`;

/**
 * Does `work` in one transaction, as the service writes its rows: reconciling gives a payment, or an event,
 * that it finds without its job another one.
 */
export async function atOnce(db: Client, work: () => Promise<void>): Promise<void> {
  await db.query('BEGIN');
  await work();
  await db.query('COMMIT');
}

/** Copies a waiting payment with its quotes, its event and the job of its expiry. */
export async function copyPayments(db: Client, original: Original, copies: Copies): Promise<void> {
  const { payment, quotes, event } = original;
  const { name, from, until, merchantId, deadline, apart } = copies;
  const each = 'FROM generate_series($2::int, $3::int) AS i';
  await db.query(
    `INSERT INTO payments SELECT c.* ${each}, jsonb_populate_record(NULL::payments, $1::jsonb ||
       jsonb_build_object('id', ${ID(`$1::jsonb->>'id'`, name)}, 'token_id', 'bulk-${name}-' || i,
         'address', 'address-${name}-' || i, 'merchant_id', $4::text, 'deadline_at', ${DEADLINE('$2', '$5', '$6')})) c`,
    [JSON.stringify(payment), from, until, merchantId, deadline, apart],
  );
  for (const quote of quotes)
    await db.query(
      `INSERT INTO quotes SELECT c.* ${each}, jsonb_populate_record(NULL::quotes, $1::jsonb ||
         jsonb_build_object('payment_id', ${ID(`$1::jsonb->>'payment_id'`, name)},
           'address', 'address-${name}-' || i)) c`,
      [JSON.stringify(quote), from, until],
    );
  await db.query(
    `INSERT INTO events (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at)
     SELECT ${ID(`$1::jsonb->>'id'`, name)}, c.payment_id, $4, 1, $1::jsonb->>'type', NULL,
       replace(replace($1::jsonb->>'body', $1::jsonb->>'payment_id', c.payment_id),
         $1::jsonb->>'id', ${ID(`$1::jsonb->>'id'`, name)}), now()
     ${each}, LATERAL (SELECT ${ID(`$1::jsonb->>'payment_id'`, name)} AS payment_id) c`,
    [JSON.stringify(event), from, until, merchantId],
  );
  await db.query(
    `INSERT INTO scheduled_jobs (job, key, run_at, visible_at, for_merchant)
     SELECT 'payment.expire', ${ID('$1', name)}, due, due, $6
     ${each}, LATERAL (SELECT ${DEADLINE('$2', '$4', '$5')} AS due) d`,
    [payment.id, from, until, deadline, apart, merchantId],
  );
}

/** Makes the dispatch of the copies' events due. */
export async function dispatchCopies(db: Client, { event }: Original, copies: Copies): Promise<void> {
  const { name, from, until, merchantId } = copies;
  await db.query(
    `INSERT INTO scheduled_jobs (job, key, run_at, visible_at, for_merchant)
     SELECT 'event.fan-out', ${ID('$1', name)}, now(), now(), $4 FROM generate_series($2::int, $3::int) AS i`,
    [event['id'], from, until, merchantId],
  );
}

/**
 * The customers' transfers, in full and in the newest block of the simulated chain: what a chain does for
 * itself is not measured.
 */
export async function payCopies(
  db: Client,
  original: Original,
  { name, from, until }: Copies,
): Promise<void> {
  const { network, coin, crypto_amount: amount } = original.payment;
  await db.query(
    `INSERT INTO sim_heads (chain, height, mined_at, changes) VALUES ($1, 0, now(), 0) ON CONFLICT DO NOTHING`,
    [network],
  );
  await db.query(
    `WITH head AS (
       UPDATE sim_heads SET mined_at = now(), changes = changes + $5::int - $4::int + 1 WHERE chain = $1
       RETURNING chain, height, mined_at, changes
     )
     INSERT INTO sim_transfers (tx_hash, chain, coin, address, sender, amount, seen_at, block_height, change)
     SELECT 'bulk-${name}-' || i, head.chain, $2, 'address-${name}-' || i, 'customer', $3::text::numeric,
       head.mined_at, head.height, head.changes - $5 + i
     FROM head, generate_series($4::int, $5::int) AS i`,
    [network, coin, amount, from, until],
  );
}
