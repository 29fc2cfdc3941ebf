import { recordset, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { compare, max, min, subtract } from '../../../platform/values/money.ts';

export type Account = 'customer' | 'held' | 'converted' | 'merchant';

/** An amount, in the payment's pay_currency, that moves from one account to another. */
export interface LedgerEntry {
  readonly payment_id: string;
  readonly kind: 'received' | 'reversed' | 'converted' | 'settled' | 'refunded';
  readonly from_account: Account;
  readonly to_account: Account;
  /** Decimal string above zero. */
  readonly amount: string;
}

/**
 * Returns the entry for money received or, when the sum decreased because a transfer was dropped, its
 * reversal.
 */
export function receivedEntries(payment_id: string, before: string, after: string): LedgerEntry[] {
  const difference = compare(after, before);
  if (difference === 0) return [];
  if (difference > 0)
    return [
      {
        payment_id,
        kind: 'received',
        from_account: 'customer',
        to_account: 'held',
        amount: subtract(after, before),
      },
    ];
  return [
    {
      payment_id,
      kind: 'reversed',
      from_account: 'held',
      to_account: 'customer',
      amount: subtract(before, after),
    },
  ];
}

/** Returns the entries that convert all held money into the settlement coin and credit it to the merchant. */
export function settledEntries(payment_id: string, held: string): LedgerEntry[] {
  if (compare(held, '0') <= 0) return [];
  return [
    { payment_id, kind: 'converted', from_account: 'held', to_account: 'converted', amount: held },
    { payment_id, kind: 'settled', from_account: 'converted', to_account: 'merchant', amount: held },
  ];
}

/**
 * Returns the entries of a refund, which takes first the held money, then money settled to the merchant. The
 * balance of `held` is negative when a transfer was dropped after it was settled: that is a loss, and no part
 * of a refund.
 */
export function refundedEntries(payment_id: string, amount: string, held: string): LedgerEntry[] {
  const fromHeld = max('0', min(amount, held));
  const entry = (from_account: Account, part: string): LedgerEntry[] =>
    compare(part, '0') > 0
      ? [{ payment_id, kind: 'refunded', from_account, to_account: 'customer', amount: part }]
      : [];
  return [...entry('held', fromHeld), ...entry('merchant', subtract(amount, fromHeld))];
}

const insertEntries = sql<never, { entries: string; now: Date }>(
  'insert_ledger_entries',
  (p) => `
    INSERT INTO ledger_entries (payment_id, kind, from_account, to_account, amount, created_at)
    SELECT e.*, ${p.now} FROM jsonb_to_recordset(${p.entries}::jsonb)
      AS e (payment_id text, kind text, from_account text, to_account text, amount numeric)`,
);

/** Posts entries in the transaction that moves the money. */
export async function postEntries(tx: Tx, entries: readonly LedgerEntry[], now: Date): Promise<void> {
  if (entries.length === 0) return;
  await run(tx, insertEntries, { entries: recordset(entries), now });
}

const heldOfPayments = sql<{ payment_id: string; held: string }, { paymentIds: readonly string[] }>(
  'held_of_payments',
  (p) => `
    SELECT payment_id, sum(CASE
      WHEN to_account = 'held' THEN amount
      WHEN from_account = 'held' THEN -amount
      ELSE 0 END) AS held
    FROM ledger_entries WHERE payment_id = ANY (${p.paymentIds})
    GROUP BY payment_id`,
);

/** Returns the balance of each payment's account `held`: received, and neither settled nor refunded. */
export async function readHeldBalances(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await run(connection, heldOfPayments, { paymentIds });
  return new Map(rows.map(({ payment_id, held }) => [payment_id, held]));
}

type PostedEntry = LedgerEntry & { readonly created_at: Date };

const entriesOfPayment = sql<PostedEntry, { paymentId: string }>(
  'ledger_of_payment',
  (p) => `
    SELECT payment_id, kind, from_account, to_account, amount, created_at
    FROM ledger_entries WHERE payment_id = ${p.paymentId} ORDER BY id`,
);

/** Returns all entries of a payment, in order. */
export async function readLedger(connection: Connection, paymentId: string): Promise<PostedEntry[]> {
  return run(connection, entriesOfPayment, { paymentId });
}
