import type { ChainTransfer, Rates } from '../../chain/port.ts';
import { groupBy, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { moneyOf, newMoney, replacementOf, type Crediting, type Money, type Quote } from './credit-new.ts';
import type { TransferUpdate } from './decide.ts';
import { pooledAt } from './hold.ts';
import { isStanding, type PaymentTransfer } from './payment-transfer.ts';
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
  readonly rates: Rates | null;
  /** When the chain reported it. */
  readonly at: Date;
}

/**
 * Stores the transfers of a page, each new one with its credit, and returns how they differ from their stored
 * state. The caller has locked the payments: what a payment misses decides the credit of the next transfer.
 */
export async function recordTransfers(tx: Tx, page: PageOfPayments): Promise<TransferUpdate[]> {
  const { payments, transfers, rates, at } = page;
  if (transfers.size === 0) return [];
  const updates: TransferUpdate[] = [];
  const rows: TransferRow[] = [];
  const replacements: Replacement[] = [];
  for (const [id, sent] of transfers) {
    const known = payments.get(id);
    if (known === undefined) continue;
    const own = { transfers: sent, quotes: known.quotes, rates, at };
    const recorded = recordOwn(known.payment, known.transfers, own);
    updates.push(...recorded.map(({ update }) => update));
    rows.push(...recorded.map(({ row }) => row));
    replacements.push(...recorded.flatMap(({ replacement }) => replacement ?? []));
  }
  await storeTransfers(tx, rows);
  await moveMoney(tx, replacements);
  return updates;
}

interface PaymentReport extends Crediting, Pick<PageOfPayments, 'at'> {
  readonly transfers: readonly ChainTransfer[];
}

type Known = ReadonlyMap<string, PaymentTransfer>;

/** One transaction may pay an address in several coins. */
const nameOf = (txHash: string, coin: string): string => `${txHash} ${coin}`;

/**
 * A transfer of a page: its row, how it differs from what is stored, and what it replaces with the same
 * money.
 */
interface Recorded {
  readonly row: TransferRow;
  readonly update: TransferUpdate;
  readonly replacement: Replacement | null;
}

/**
 * Returns what a page reports for a payment, beside what is `stored` of it. A transfer that has lapsed and is
 * mined after all is new money, at the market's rate: its quote is long over.
 */
export function recordOwn(
  payment: Payment,
  stored: readonly PaymentTransfer[],
  report: PaymentReport,
): Recorded[] {
  const { transfers, at } = report;
  const knownOf: Known = new Map(stored.map((one) => [nameOf(one.tx_hash, one.coin), one]));
  const replaced = findReplaced(transfers, knownOf);
  const moved = new Set(replaced.values());
  // What stands by now decides what the payment misses when the next one is credited.
  const current = new Map(knownOf);
  for (const { txHash, coin, droppedAt } of transfers) {
    const known = knownOf.get(nameOf(txHash, coin));
    if (known !== undefined) current.set(nameOf(txHash, coin), { ...known, dropped_at: droppedAt });
  }
  return transfers.map((transfer) => {
    const { txHash, coin } = transfer;
    const known = knownOf.get(nameOf(txHash, coin));
    const lost = replaced.get(transfer);
    const isSame = lost !== undefined || (known !== undefined && moved.has(known));
    const before = known ?? lost;
    const isBack = before !== undefined && before.lapsed_at !== null && transfer.blockHeight !== null;
    const paid = [...current.values()];
    const money = isBack
      ? newMoney(payment, { ...transfer, seenAt: at }, paid, { ...report, quotes: [] })
      : (known ?? (lost ? moneyOf(lost, transfer) : newMoney(payment, transfer, paid, report)));
    const row = toRow(payment, transfer, money, pooledAt(before, transfer.blockHeight, at));
    if (known === undefined || isBack) current.set(nameOf(txHash, coin), asPaymentTransfer(payment, row));
    const kind = isBack ? 'seen' : isSame ? 'moved' : kindOf(transfer, known);
    const replacement = lost ? { ...row, lost: lost.tx_hash, same: txHash } : null;
    return { row, replacement, update: { paymentId: payment.id, kind, txHash, coin } };
  });
}

/** Returns, for each new transfer that moves the money of a dropped one, the one that was dropped. */
function findReplaced(
  transfers: readonly ChainTransfer[],
  before: Known,
): ReadonlyMap<ChainTransfer, PaymentTransfer> {
  const found = new Map<ChainTransfer, PaymentTransfer>();
  for (const transfer of transfers) {
    const lost = before.get(nameOf(transfer.txHash, transfer.coin));
    if (lost === undefined || lost.dropped_at !== null) continue;
    const same = replacementOf(transfer, transfers);
    if (same !== null && !before.has(nameOf(same.txHash, same.coin))) found.set(same, lost);
  }
  return found;
}

function kindOf(
  { droppedAt, blockHeight }: ChainTransfer,
  before: PaymentTransfer | undefined,
): TransferUpdate['kind'] {
  // A dropped transfer that was never seen valid was never counted.
  if (droppedAt !== null) return before === undefined || !isStanding(before) ? 'moved' : 'lost';
  if (before === undefined) return 'seen';
  const wasMined = before.block_height !== null;
  return wasMined && Number(before.block_height) !== blockHeight ? 'orphaned' : 'moved';
}

function toRow({ id }: Payment, transfer: ChainTransfer, money: Money, pooled_at: Date | null): TransferRow {
  const { network, txHash, coin, amount, sender, blockHeight, droppedAt, replacedBy } = transfer;
  const { seen_at, lapsed_at, credit, locked_amount, locked_credit, converted, returned, conversion } = money;
  return {
    payment_id: id,
    network,
    tx_hash: txHash,
    coin,
    amount,
    sender,
    seen_at,
    block_height: blockHeight,
    dropped_at: droppedAt,
    replaced_by: replacedBy,
    pooled_at,
    lapsed_at,
    credit,
    locked_amount,
    locked_credit,
    converted,
    returned,
    conversion,
  };
}

function asPaymentTransfer({ pay_currency, pay_network }: Payment, row: TransferRow): PaymentTransfer {
  return {
    ...row,
    pay_currency,
    pay_network,
    coin: row.coin as PaymentTransfer['coin'],
    block_height: null,
    confirmations: 0,
    confirmed_at: null,
  };
}
