import { blocksToFinal, requiredConfirmations } from '../../chain/finality.ts';
import { hashOf } from '../../chain/transaction-hashes.ts';
import { NETWORKS } from '../../chain/networks.ts';
import type { DropReason } from '../../chain/port.ts';
import type { CheckoutTransfer } from '../../../sdk/event-types.ts';
import { compare } from '../../../platform/values/money.ts';
import { payableUntil, type Payment } from '../lifecycle/payment.ts';
import {
  acceptsMoney,
  allows,
  isOpen,
  isProcessing,
  statusesThat,
  type Exception,
} from '../lifecycle/states.ts';
import type { Changes, TransitionRequest } from '../lifecycle/transition.ts';
import { changesOf, evaluate, honouredUntil, lateWindowEnd, type Evaluation } from './evaluate.ts';
import { isConfirmed, isStanding, type PaymentTransfer, type TransferUpdate } from './payment-transfer.ts';

/** The money of a payment when its updates are decided. */
export interface Money {
  /** All transfers, with the updates applied. */
  readonly transfers: readonly PaymentTransfer[];
  /** A refund was accepted and is not paid out. */
  readonly isRefunding: boolean;
}

/** What follows from the updates of a payment's transfers. */
export interface Decision {
  readonly payment: Payment;
  readonly evaluation: Evaluation;
  readonly changes: Changes;
  /** In this order; none: no event, only the money is recorded. */
  readonly requests: readonly TransitionRequest[];
}

/** Decides what follows when transfers of a payment lapse: only its sums change, until its deadline. */
export function decideLapse(payment: Payment, transfers: readonly PaymentTransfer[]): Decision {
  const evaluation = evaluate(payment, transfers);
  const changes = { ...changesOf(payment, evaluation, []), ...described(payment, transfers, evaluation) };
  return { payment, evaluation, changes, requests: [] };
}

/** Decides, without I/O, what follows from the updates of a payment. */
export function decideTransitions(
  payment: Payment,
  updates: readonly TransferUpdate[],
  money: Money,
): Decision {
  const { transfers } = money;
  const evaluation = evaluate(payment, transfers);
  const has = (kind: TransferUpdate['kind']) => updates.some((update) => update.kind === kind);
  const isLostBy = (reason: DropReason) =>
    updates.some((update) => update.kind === 'lost' && (update.reason ?? 'replaced') === reason);
  const seen = transfers.filter(({ tx_hash, coin }) =>
    updates.some((update) => update.kind === 'seen' && update.txHash === tx_hash && update.coin === coin),
  );
  const isAfterEnd = ({ seen_at }: PaymentTransfer) => seen_at >= payableUntil(payment);
  const isLate = acceptsMoney(payment.status) && seen.some(isAfterEnd);
  const accepted = seen.filter((transfer) => pays(payment, transfer, money));
  const facts: Exception[] = [
    ...(isLostBy('replaced') ? (['replaced'] as const) : []),
    ...(has('orphaned') || isLostBy('reverted') ? (['reorged'] as const) : []),
    ...(isLate ? (['late'] as const) : []),
  ];
  const isExtended = accepted.some(isAfterEnd);
  const changes: Changes = {
    ...changesOf(payment, evaluation, facts),
    ...described(payment, transfers, evaluation),
    ...(isExtended ? { deadline_at: lateWindowEnd(payment) } : {}),
  };
  const trigger = triggerOf(payment, evaluation, {
    standing: transfers.filter(isStanding).length,
    isLost: has('lost'),
    isOrphaned: has('orphaned'),
    isPaid: accepted.length > 0,
  });
  const paymentId = payment.id;
  return {
    payment,
    evaluation,
    changes,
    requests: [
      ...(trigger === null ? [] : [{ paymentId, trigger, changes }]),
      ...seen
        .filter((transfer) => !accepted.includes(transfer))
        .map((transfer) => ({
          paymentId,
          trigger: 'funds_received' as const,
          changes,
          transfer: reportOf(transfer),
        })),
    ],
  };
}

/** Returns the payments that, after their transitions, are confirmed in full and wait only for conversion. */
export function confirmedInFull(
  decisions: readonly Decision[],
  moved: readonly Payment[],
): TransitionRequest[] {
  const statusOf = new Map(moved.map(({ id, status }) => [id, status]));
  const trigger = 'confirmed_in_full';
  return decisions
    .filter(
      ({ payment, evaluation }) =>
        evaluation.isConfirmedInFull && allows(statusOf.get(payment.id) ?? payment.status, trigger),
    )
    .map(({ payment, changes }) => ({ paymentId: payment.id, trigger, changes }));
}

/**
 * True for a new transfer that counts for the price. Money of a payment that is fully funded, after the time
 * in which it is honoured, or while money is sent back moves nothing.
 */
function pays(payment: Payment, { seen_at }: PaymentTransfer, { isRefunding }: Money): boolean {
  if (isRefunding || payment.fully_funded) return false;
  return allows(payment.status, 'transfer_seen') && seen_at < honouredUntil(payment);
}

interface Happened {
  /** How many transfers still stand. */
  readonly standing: number;
  readonly isLost: boolean;
  readonly isOrphaned: boolean;
  readonly isPaid: boolean;
}

/**
 * Returns the trigger that decides the status: a loss before a reorganisation before new money. A replacement
 * that moves less than its original did can leave too little as well: the rest is lost.
 */
function triggerOf(
  { status, fully_funded }: Payment,
  { isFullyFunded, isConfirmedInFull }: Evaluation,
  { standing, isLost, isOrphaned, isPaid }: Happened,
): 'transfer_seen' | 'transfer_lost' | 'all_lost' | 'block_reorganised' | null {
  if (isLost && standing === 0 && allows(status, 'all_lost')) return 'all_lost';
  const isEnough = isProcessing(status) ? isConfirmedInFull : isFullyFunded;
  if (isLost && !isEnough && allows(status, 'transfer_lost')) return 'transfer_lost';
  if (isOrphaned && allows(status, 'block_reorganised')) return 'block_reorganised';
  const wasEnough = isProcessing(status) || fully_funded;
  if (wasEnough && !isEnough && allows(status, 'transfer_lost')) return 'transfer_lost';
  return isPaid ? 'transfer_seen' : null;
}

function reportOf({ coin, network, amount, credit, tx_hash }: PaymentTransfer): CheckoutTransfer {
  return { coin, network, amount, credit, txHash: hashOf(tx_hash) };
}

/** True while an open payment is not fully funded: what it asks for is quoted. */
export const isShort = (payment: Payment): boolean => isOpen(payment.status) && !payment.fully_funded;

/** SQL: the same of a row of payments. */
export const IS_SHORT = `status IN (${statusesThat(isOpen)}) AND NOT fully_funded`;

/**
 * Returns what a payment says of one transfer (contract, "Events"): of those that count, the one that needs
 * longest to be final; once confirmed money is enough, the last that became so. Hash, network and
 * confirmations are of the same one.
 */
export function described(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  { isConfirmedInFull }: Evaluation,
): Pick<Changes, 'tx_hash' | 'tx_network' | 'confirmations' | 'finality'> {
  const standing = transfers.filter(isStanding);
  const end = honouredUntil(payment);
  const counting = standing.filter(({ seen_at, credit }) => seen_at < end && compare(credit, '0') > 0);
  const last = isConfirmedInFull
    ? latestOf(counting.filter(isConfirmed), ({ confirmed_at }) => confirmed_at?.getTime() ?? 0)
    : latestOf(counting, secondsToFinal);
  const one = last ?? standing.at(-1) ?? transfers.at(-1);
  if (one === undefined) return { tx_hash: null, tx_network: null, confirmations: 0 };
  // The chain of a payment that was isolated since may begin later than the blocks that confirmed it.
  const least = isConfirmed(one) ? (requiredConfirmations(one.network, one.finality) ?? 0) : 0;
  const confirmations = isStanding(one) ? Math.max(least, one.confirmations) : 0;
  return { tx_hash: hashOf(one.tx_hash), tx_network: one.network, confirmations, finality: one.finality };
}

function secondsToFinal(transfer: PaymentTransfer): number {
  const { network, finality, confirmations } = transfer;
  const { blockSeconds } = NETWORKS[network];
  return isConfirmed(transfer) ? 0 : (blocksToFinal(network, finality) - confirmations) * blockSeconds;
}

/** Returns the transfer with the greatest value, of equal ones the newest. */
function latestOf(
  transfers: readonly PaymentTransfer[],
  valueOf: (transfer: PaymentTransfer) => number,
): PaymentTransfer | undefined {
  const greatest = Math.max(...transfers.map(valueOf));
  return transfers.findLast((transfer) => valueOf(transfer) === greatest);
}
