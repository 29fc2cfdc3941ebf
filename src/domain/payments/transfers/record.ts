import type { FinalityRules } from '../../chain/finality.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import type { Rates } from '../../chain/rates/rates.ts';
import { groupBy, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { Quote } from './credit-new.ts';
import { recordOwn } from './merge-reported.ts';
import type { PaymentTransfer, TransferUpdate } from './payment-transfer.ts';
import { moveMoney, storeTransfers, type Replacement, type TransferRow } from './store.ts';

const lockedQuotes = sql<Quote, { paymentIds: readonly string[] }>(
  'locked_quotes',
  (p) => `
    SELECT payment_id, coin, network, asks, covers, rate, quoted_at, locked_until FROM quotes
    WHERE payment_id = ANY (${p.paymentIds}) AND asks IS NOT NULL`,
);

/** Returns the quotes of payments that ask for something, by the payment's id. */
export async function readLockedQuotes(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, Quote[]>> {
  if (paymentIds.length === 0) return new Map();
  return groupBy(await run(connection, lockedQuotes, { paymentIds }), ({ payment_id }) => payment_id);
}

/** A payment, locked, with its transfers as stored, and the quotes at which new ones are credited. */
export interface LockedPayment {
  readonly payment: Payment;
  readonly transfers: readonly PaymentTransfer[];
  readonly quotes: readonly Quote[];
}

/** A page of a chain, in terms of the payments that it pays. */
export interface PageOfPayments {
  readonly payments: ReadonlyMap<string, LockedPayment>;
  /** The transfers that the page reports for each of them, in its order. */
  readonly transfers: ReadonlyMap<string, readonly ChainTransfer[]>;
  readonly ratesOf: (payment: Payment) => Rates;
  /** When the chain reported it. */
  readonly at: Date;
  /** The chain is a real network. */
  readonly isLive: boolean;
  /** What makes transfers on it final. */
  readonly finality: FinalityRules;
}

/**
 * Stores the transfers of a page, each new one with its credit, and returns how they differ from their stored
 * state. The caller has locked the payments: what a payment misses decides the credit of the next transfer.
 */
export async function recordTransfers(tx: Tx, page: PageOfPayments): Promise<TransferUpdate[]> {
  const { payments, transfers, ratesOf, at, isLive, finality } = page;
  if (transfers.size === 0) return [];
  const updates: TransferUpdate[] = [];
  const rows: TransferRow[] = [];
  const replacements: Replacement[] = [];
  for (const [id, sent] of transfers) {
    const known = payments.get(id);
    if (known === undefined) continue;
    const rates = () => ratesOf(known.payment);
    const own = { transfers: sent, quotes: known.quotes, rates, at, isLive, finality };
    const recorded = recordOwn(known.payment, known.transfers, own);
    updates.push(...recorded.flatMap((one) => one.updates));
    rows.push(...recorded.map(({ row }) => row));
    replacements.push(...recorded.flatMap(({ replacement }) => replacement ?? []));
  }
  await storeTransfers(tx, rows);
  await moveMoney(tx, replacements);
  return updates;
}
