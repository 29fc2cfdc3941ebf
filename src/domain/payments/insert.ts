import { findReplay } from '../idempotency/claim.ts';
import { sharedBatch } from '../../platform/batch.ts';
import type { IdempotencyClaim, Reply } from '../api/endpoint.ts';
import { recordset, run, sql, type Connection, type Db, type Tx } from '../../platform/postgres/db.ts';
import { EVENT_COLUMN_NAMES, EVENT_COLUMNS, eventRow, type EventRecord } from '../outbox/outbox.ts';
import { enqueueOnCommit } from '../schedule/enqueue.ts';
import { JOB_COLUMN_TYPES, JOB_COLUMNS, jobRows, type ScheduledJob } from '../schedule/rows.ts';
import { moveItemsOf, takeItemOf } from './links/uses.ts';
import type { Payment } from './lifecycle/payment.ts';

/** A payment and all that is stored with it. */
export interface NewPayment {
  /** With the rate of its quote. */
  readonly payment: Payment & { readonly rate: string };
  /** The claim of the request and what it returns; null: it has no Idempotency-Key. */
  readonly claim: (IdempotencyClaim & { readonly response: Reply; readonly createdAt: Date }) | null;
  readonly event: EventRecord;
  readonly jobs: readonly ScheduledJob[];
}

/** Measured on two cores: 100 in a statement took some 35 ms, and 2,000 at the same moment 0.6 s. */
const LIMITS = { size: 100, waiting: 2_000 };

const insertTogether = sharedBatch(insertAll, LIMITS);

/** Writes what belongs to a payment in the transaction that stores it; false: it must not be stored. */
export type Beside = (tx: Tx, paymentId: string) => Promise<boolean>;

/** Rolls back what was stored already. */
class RefusedBeside extends Error {}

/**
 * Stores a payment. One of a link takes an item of it in the same transaction, and none where its claim
 * `exists`; `closed`: the link has no item for it, and another request than this took the last one, or
 * `beside` has refused it.
 */
export async function storePayment(
  db: Db,
  payment: NewPayment,
  beside: Beside | null = null,
): Promise<'created' | 'exists' | 'closed'> {
  const { link_id: linkId } = payment.payment;
  if (linkId === null && beside === null) return (await insertPayment(db, payment)) ? 'created' : 'exists';
  try {
    return await db.transaction((tx) => storeWith(tx, payment, beside));
  } catch (error) {
    if (error instanceof RefusedBeside) return 'closed';
    throw error;
  }
}

async function storeWith(
  tx: Tx,
  payment: NewPayment,
  beside: Beside | null,
): Promise<'created' | 'exists' | 'closed'> {
  const { id, link_id: linkId, created_at: now } = payment.payment;
  if (linkId !== null && !(await takeItemOf(tx, linkId, now))) {
    const isReplayed = payment.claim !== null && (await findReplay(tx, payment.claim)) !== null;
    return isReplayed ? 'exists' : 'closed';
  }
  if (!(await insertPayment(tx, payment))) {
    if (linkId !== null) await moveItemsOf(tx, [{ linkId, change: -1 }]);
    return 'exists';
  }
  if (beside !== null && !(await beside(tx, id))) throw new RefusedBeside();
  return 'created';
}

/**
 * Stores a payment, or nothing where its claim exists already: then it returns false. Payments that are
 * created at the same moment share a statement and its commit. Throws ApiError unavailable where too many
 * wait.
 */
async function insertPayment(connection: Connection, payment: NewPayment): Promise<boolean> {
  const isStored = await insertTogether(connection, rowOf(payment));
  if (isStored) enqueueOnCommit(connection, payment.jobs);
  return isStored;
}

/** A NewPayment as it travels. */
type Row = ReturnType<typeof rowOf>;

// Here, within its request, because the event belongs to the trace of that.
function rowOf({ payment, claim, event, jobs }: NewPayment) {
  const { id } = payment;
  return {
    id,
    payment,
    claims: claim === null ? [] : [{ payment_id: id, ...claimRow(claim) }],
    event: eventRow(event),
    jobs: jobRows(jobs).map((job) => ({ payment_id: id, ...job })),
  };
}

function claimRow({
  merchantId,
  key,
  method,
  path,
  bodyHash,
  response,
  createdAt,
}: NonNullable<NewPayment['claim']>) {
  return {
    merchant_id: merchantId,
    key,
    method,
    path,
    body_hash: `\\x${bodyHash.toString('hex')}`,
    status: response.status,
    body: response.text,
    created_at: createdAt,
  };
}

async function insertAll(connection: Connection, rows: readonly Row[]): Promise<boolean[]> {
  const created = await run(connection, insertPayments, {
    claims: recordset(rows.flatMap(({ claims }, place) => claims.map((claim) => ({ place, ...claim })))),
    payments: recordset(rows.map(({ payment }) => payment)),
    events: recordset(rows.map(({ event }) => event)),
    jobs: recordset(rows.flatMap(({ jobs }) => jobs)),
  });
  const ids = new Set(created.map(({ id }) => id));
  return rows.map(({ id }) => ids.has(id));
}

/** Recordsets: claims, payments, events and jobs of any number of payments. */
interface Creation {
  readonly claims: string;
  readonly payments: string;
  readonly events: string;
  readonly jobs: string;
}

// When two requests with one key run at once, the second's INSERT of the claim waits for the first to commit,
// and then does nothing; within one statement the first of them is taken. In one order, because two
// statements with the same keys would wait for each other for ever if each had its own. json, not jsonb:
// metadata keeps the order of the merchant's keys.
const insertPayments = sql<{ id: string }, Creation>(
  'insert_payments',
  (p) => `
    WITH request AS (
      SELECT DISTINCT ON (merchant_id, key, method, path) *
      FROM json_to_recordset(${p.claims}::json) AS c (
        place integer, payment_id text, merchant_id text, key text, method text, path text, body_hash bytea,
        status integer, body text, created_at timestamptz)
      ORDER BY merchant_id, key, method, path, place
    ), claim AS (
      INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, status, body, created_at)
      SELECT merchant_id, key, method, path, body_hash, status, body, created_at FROM request
      ON CONFLICT DO NOTHING
      RETURNING merchant_id, key, method, path
    ), refused AS (
      SELECT payment_id FROM json_to_recordset(${p.claims}::json) AS c (payment_id text)
      EXCEPT ALL
      SELECT payment_id FROM request JOIN claim USING (merchant_id, key, method, path)
    ), created AS (
      SELECT c.* FROM json_to_recordset(${p.payments}::json) AS c (
        id text, merchant_id text, token_id text, order_id text, order_description text, callback_url text,
        success_url text, cancel_url text, customer_email text, metadata json, pay_amount text,
        pay_currency text, pay_network text, status text, coin text, network text, address text,
        crypto_amount text, rate text, created_at timestamptz, expires_at timestamptz,
        deadline_at timestamptz, test_clock text, clock_offset_ms bigint,
        clock_frozen_until timestamptz, policy jsonb, wallet_id text, deposit_index integer,
        settlement_mode text, finality text, exchange text, price json, link_id text)
      WHERE c.id NOT IN (SELECT payment_id FROM refused)
    ), payment AS (
      INSERT INTO payments (id, merchant_id, token_id, order_id, order_description, callback_url, success_url,
        cancel_url, customer_email, metadata, pay_amount, pay_currency, pay_network, status, coin, network,
        address, crypto_amount, created_at, expires_at, deadline_at, test_clock, clock_offset_ms,
        clock_frozen_until, policy, wallet_id, deposit_index, settlement_mode, finality, exchange,
        price, link_id)
      SELECT id, merchant_id, token_id, order_id, order_description, callback_url, success_url,
        cancel_url, customer_email, metadata, pay_amount, pay_currency, pay_network, status, coin, network,
        address, crypto_amount, created_at, expires_at, deadline_at, test_clock, clock_offset_ms,
        clock_frozen_until, policy, wallet_id, deposit_index, settlement_mode, finality, exchange,
        price, link_id
      FROM created
    ), quote AS (
      INSERT INTO quotes (payment_id, coin, network, address, crypto_amount, rate, quoted_at)
      SELECT id, coin, network, address, crypto_amount, rate, created_at FROM created
    ), event AS (
      INSERT INTO events (${EVENT_COLUMN_NAMES})
      SELECT e.* FROM json_to_recordset(${p.events}::json) AS e (${EVENT_COLUMNS})
      WHERE e.payment_id NOT IN (SELECT payment_id FROM refused)
    ), job AS (
      INSERT INTO scheduled_jobs (${JOB_COLUMNS})
      SELECT ${JOB_COLUMNS}
      FROM json_to_recordset(${p.jobs}::json) AS j (payment_id text, ${JOB_COLUMN_TYPES})
      WHERE j.payment_id NOT IN (SELECT payment_id FROM refused)
    )
    SELECT id FROM created`,
);
