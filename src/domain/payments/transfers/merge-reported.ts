import { finalityFor, type Finality, type FinalityRules } from '../../chain/finality.ts';
import { isFound } from '../../chain/transaction-hashes.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import { compare, isZero, sum } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { moneyOf, newMoney, replacementOf, type Crediting, type Money } from './credit-new.ts';
import { pooledAt } from './hold.ts';
import { nameFound } from './name-found.ts';
import { isStanding, type PaymentTransfer, type TransferUpdate } from './payment-transfer.ts';
import type { Replacement, TransferRow } from './store.ts';

/** What a page reports for one payment, and what decides the credit of its new transfers. */
export interface PaymentReport extends Crediting {
  /** When the chain reported it. */
  readonly at: Date;
  /** The chain is a real network. */
  readonly isLive: boolean;
  /** What makes transfers on it final. */
  readonly finality: FinalityRules;
  readonly transfers: readonly ChainTransfer[];
}

type Known = ReadonlyMap<string, PaymentTransfer>;

/** One transaction may pay an address in several coins. */
const nameOf = (txHash: string, coin: string): string => `${txHash} ${coin}`;

/**
 * A transfer of a page: its row, how it differs from what is stored, and what it replaces with the same
 * money.
 */
export interface Recorded {
  readonly row: TransferRow;
  readonly updates: readonly TransferUpdate[];
  readonly replacement: Replacement | null;
}

/**
 * Returns what a page reports for a payment, beside what is `stored` of it. A transfer that has lapsed and is
 * mined after all is new money, at the market's rate: its quote is long over. One that moves another amount
 * in another branch is new money as well, and what it moved before is lost.
 */
export function recordOwn(
  payment: Payment,
  stored: readonly PaymentTransfer[],
  report: PaymentReport,
): Recorded[] {
  const { at, isLive } = report;
  const named = nameFound(stored, report.transfers, at);
  // The found money goes ahead of what names it.
  const transfers = [...[...named.keys()].filter(({ txHash }) => isFound(txHash)), ...report.transfers];
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
    const isBack = before !== undefined && before.lapsed_at !== null && transfer.block !== null;
    const own = named.get(transfer);
    const isOther = known !== undefined && own === undefined && movesOther(known, transfer);
    if (isOther) current.delete(nameOf(txHash, coin));
    const paid = [...current.values()];
    const same = isOther ? undefined : known;
    const money =
      own ??
      (isBack
        ? newMoney(payment, { ...transfer, seenAt: transfer.minedAt ?? at }, paid, { ...report, quotes: [] })
        : (same ?? (lost ? moneyOf(lost, transfer) : newMoney(payment, transfer, paid, report))));
    const received = sum([money, ...paid.filter(isStanding)].map(({ credit }) => credit));
    const finality = same === undefined ? finalityOf(payment, transfer, report, received) : same.finality;
    const pooled = pooledAt(before, transfer.block !== null, at);
    const row = toRow(payment, transfer, { money, isLive, finality, pooledAt: pooled });
    if (known === undefined || isBack || isOther || own !== undefined)
      current.set(nameOf(txHash, coin), asPaymentTransfer(payment, row));
    const kind = own !== undefined ? 'moved' : isBack ? 'seen' : isSame ? 'moved' : kindOf(transfer, known);
    const replacement = lost ? { ...row, lost: lost.tx_hash, same: txHash } : null;
    const update = { paymentId: payment.id, txHash, coin, reason: transfer.reason };
    const updates: TransferUpdate[] =
      isOther && isStanding(known)
        ? [
            { ...update, kind: 'lost', reason: 'reverted' },
            { ...update, kind: payment.fully_funded ? 'moved' : 'seen' },
          ]
        : [{ ...update, kind }];
    return { row, replacement, updates };
  });
}

/** By the highest of price, transfer and all that came: many small transfers of much are no small ones. */
function finalityOf(
  { pay_amount, pay_currency: coin }: Payment,
  transfer: ChainTransfer,
  { isLive, finality, rates }: PaymentReport,
  received: string,
): Finality {
  if (!isLive) return null;
  const ofPayment = [pay_amount, received].map((amount) => ({ coin, amount }));
  return finalityFor(transfer.network, [...ofPayment, transfer], rates(), finality);
}

/**
 * True when a transfer moves another amount than before. Throws when coins of it are committed to a
 * conversion or a refund: what becomes of these a person decides, and nothing is credited until then.
 */
function movesOther(known: PaymentTransfer, { txHash, amount, droppedAt }: ChainTransfer): boolean {
  if (droppedAt !== null || compare(known.amount, amount) === 0) return false;
  if (known.conversion === null && isZero(known.returned)) return true;
  throw new Error(
    `transfer ${txHash} moves ${amount} after a reorganisation, and not ${known.amount}, which are committed ` +
      'to a conversion or a refund already',
  );
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
  { droppedAt, block }: ChainTransfer,
  before: PaymentTransfer | undefined,
): TransferUpdate['kind'] {
  // A dropped transfer that was never seen valid was never counted.
  if (droppedAt !== null) return before === undefined || !isStanding(before) ? 'moved' : 'lost';
  // A reorganisation may take the replacement back, and the transfer counts again.
  if (before === undefined || before.dropped_at !== null) return 'seen';
  if (before.block_height === null) return 'moved';
  const isThere =
    Number(before.block_height) === block?.height && (before.block_hash ?? block.hash) === block.hash;
  return isThere ? 'moved' : 'orphaned';
}

interface Place {
  readonly money: Money;
  readonly isLive: boolean;
  readonly finality: Finality;
  readonly pooledAt: Date | null;
}

function toRow({ id }: Payment, transfer: ChainTransfer, place: Place): TransferRow {
  const { money, isLive, finality, pooledAt } = place;
  const { network, txHash, coin, amount, sender, block, droppedAt, replacedBy, reason } = transfer;
  const { seen_at, lapsed_at, credit, locked_amount, locked_credit, converted, returned, conversion } = money;
  return {
    payment_id: id,
    network,
    tx_hash: txHash,
    coin,
    amount,
    sender,
    seen_at,
    is_live: isLive,
    block_height: block?.height ?? null,
    block_hash: block?.hash ?? null,
    dropped_at: droppedAt,
    replaced_by: replacedBy,
    drop_reason: reason,
    finality,
    pooled_at: pooledAt,
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
