import type { Payment } from '../lifecycle/payment.ts';
import { acceptsMoney, allows, type Exception, type Trigger } from '../lifecycle/states.ts';
import type { Changes, TransitionRequest } from '../lifecycle/transition.ts';
import {
  changesOf,
  evaluate,
  honouredUntil,
  lateWindowEnd,
  type Evaluation,
  type PaymentTransfer,
} from './evaluate.ts';
import type { TransferUpdate } from './store.ts';

/** What follows from the updates of a payment's transfers. */
export interface Decision {
  readonly payment: Payment;
  readonly evaluation: Evaluation;
  readonly changes: Changes;
  /** Null: the status does not change, only the money is recorded. */
  readonly request: TransitionRequest | null;
}

/** Decides, without I/O, what follows from the updates of a payment; `pendingRefund` is in pay_currency. */
export function decideTransition(
  payment: Payment,
  updates: readonly TransferUpdate[],
  { transfers, pendingRefund }: { transfers: readonly PaymentTransfer[]; pendingRefund: string },
): Decision {
  const evaluation = evaluate(payment, transfers, pendingRefund);
  const isLate =
    acceptsMoney(payment.status) && updates.some(({ transfer }) => transfer.seenAt >= payment.expires_at);
  const facts: Exception[] = [
    ...(updates.some(({ kind }) => kind === 'dropped') ? (['replaced'] as const) : []),
    ...(updates.some(({ kind }) => kind === 'orphaned') ? (['reorged'] as const) : []),
    ...(isLate ? (['late'] as const) : []),
  ];
  const changes: Changes = {
    ...changesOf(payment, evaluation, facts),
    ...latest(transfers),
    ...(isLate && payment.policy.late === 'honour' ? { deadline_at: lateWindowEnd(payment) } : {}),
  };
  const end = honouredUntil(payment);
  const trigger = triggerOf(
    payment,
    updates.filter(({ kind, transfer }) => kind !== 'seen' || transfer.seenAt < end),
  );
  return {
    payment,
    evaluation,
    changes,
    request: trigger === null ? null : { paymentId: payment.id, trigger, changes },
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

/** The triggers of updates, in order of precedence. */
const TRIGGERS = [
  ['dropped', 'transfer_replaced'],
  ['orphaned', 'block_reorganised'],
  ['seen', 'transfer_seen'],
] as const satisfies readonly (readonly [TransferUpdate['kind'], Trigger])[];

/** Returns the first trigger, by precedence, that has an update and that the payment's status allows. */
function triggerOf(
  payment: Payment,
  updates: readonly TransferUpdate[],
): TransitionRequest['trigger'] | null {
  const found = TRIGGERS.find(
    ([kind, trigger]) => updates.some((update) => update.kind === kind) && allows(payment.status, trigger),
  );
  return found?.[1] ?? null;
}

/**
 * Returns the latest transfer's hash, and the fewest confirmations of any transfer: the payment waits for
 * that one.
 */
function latest(transfers: readonly PaymentTransfer[]): Pick<Changes, 'tx_hash' | 'confirmations'> {
  const standing = transfers.filter(({ dropped_at }) => dropped_at === null);
  const depths = standing.map(({ confirmations }) => confirmations);
  return {
    tx_hash: (standing.at(-1) ?? transfers.at(-1))?.tx_hash ?? null,
    confirmations: depths.length === 0 ? 0 : Math.min(...depths),
  };
}
