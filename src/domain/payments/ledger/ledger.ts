import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { compare, subtract, sum } from '../../../platform/values/money.ts';
import { isConfirmed, type PaymentTransfer } from '../transfers/payment-transfer.ts';

export type Account = 'customer' | 'held' | 'converted' | 'merchant';

/** An amount of a coin on a network. */
export interface CoinAmount {
  readonly coin: CoinId;
  readonly network: NetworkId;
  /** Decimal string above zero, in the coin. */
  readonly amount: string;
}

/** An amount of a coin that moves from one account of a payment to another. */
export interface LedgerEntry extends CoinAmount {
  readonly payment_id: string;
  readonly kind: 'received' | 'reversed' | 'converted' | 'settled' | 'refunded';
  readonly from_account: Account;
  readonly to_account: Account;
}

type Side = Pick<LedgerEntry, 'kind' | 'from_account' | 'to_account'>;
const RECEIVED: Side = { kind: 'received', from_account: 'customer', to_account: 'held' };
const REVERSED: Side = { kind: 'reversed', from_account: 'held', to_account: 'customer' };
const CONVERTED: Side = { kind: 'converted', from_account: 'held', to_account: 'converted' };
const SETTLED: Side = { kind: 'settled', from_account: 'converted', to_account: 'merchant' };
const SETTLED_AS_IT_CAME: Side = { kind: 'settled', from_account: 'held', to_account: 'merchant' };
const SENT_BACK: Side = { kind: 'refunded', from_account: 'held', to_account: 'customer' };
const REFUNDED: Side = { kind: 'refunded', from_account: 'merchant', to_account: 'customer' };

/**
 * Returns the entries for money that confirmed between two states of a payment's transfers, and the reversals
 * of confirmed money that was reorganised away or dropped, per coin and network. Only confirmed money is
 * booked.
 */
export function receivedEntries(
  payment_id: string,
  before: readonly PaymentTransfer[],
  after: readonly PaymentTransfer[],
): LedgerEntry[] {
  const held = (transfers: readonly PaymentTransfer[], { coin, network }: PaymentTransfer) =>
    sum(
      transfers
        .filter((one) => isConfirmed(one) && one.coin === coin && one.network === network)
        .map(({ amount }) => amount),
    );
  const coins = new Map(after.map((transfer) => [`${transfer.coin} ${transfer.network}`, transfer]));
  return [...coins.values()].flatMap((transfer) => {
    const { coin, network } = transfer;
    const difference = subtract(held(after, transfer), held(before, transfer));
    if (compare(difference, '0') === 0) return [];
    return compare(difference, '0') > 0
      ? [{ payment_id, coin, network, amount: difference, ...RECEIVED }]
      : [{ payment_id, coin, network, amount: subtract('0', difference), ...REVERSED }];
  });
}

/** Returns the entries of a conversion: `paid` leaves the held money, `settled` reaches the merchant. */
export function convertedEntries(payment_id: string, paid: CoinAmount, settled: CoinAmount): LedgerEntry[] {
  return [
    { payment_id, ...paid, ...CONVERTED },
    { payment_id, ...settled, ...SETTLED },
  ];
}

/** Returns the entry of money that is the merchant's as it came. */
export function settledEntry(payment_id: string, settled: CoinAmount): LedgerEntry {
  return { payment_id, ...settled, ...SETTLED_AS_IT_CAME };
}

/** Returns the entry of a refund: out of the coins that are held, or out of what was settled. */
export function refundedEntry(payment_id: string, source: 'held' | 'settled', paid: CoinAmount): LedgerEntry {
  return { payment_id, ...paid, ...(source === 'held' ? SENT_BACK : REFUNDED) };
}

const insertEntries = sql<never, { entries: string; now: Date }>(
  'insert_ledger_entries',
  (p) => `
    INSERT INTO ledger_entries
      (payment_id, kind, from_account, to_account, coin, network, amount, created_at)
    SELECT e.*, ${p.now} FROM jsonb_to_recordset(${p.entries}::jsonb) AS e (
      payment_id text, kind text, from_account text, to_account text, coin text, network text,
      amount numeric)`,
);

/** Posts entries in the transaction that moves the money. */
export async function postEntries(tx: Tx, entries: readonly LedgerEntry[], now: Date): Promise<void> {
  const posted = entries.filter(({ amount }) => compare(amount, '0') > 0);
  if (posted.length > 0) await run(tx, insertEntries, { entries: recordset(posted), now });
}
