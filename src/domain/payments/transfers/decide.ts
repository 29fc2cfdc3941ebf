import { evaluate, changesOf, lateWindowEnd, type Evaluation, type PaymentTransfer } from './evaluate.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { allows, type Trigger, type Exception } from '../lifecycle/states.ts';
import type { TransferUpdate } from './store.ts';
import type { Changes, TransitionRequest } from '../lifecycle/transition.ts';

/** A payment that news is about, and what follows from it. */
export interface Decision {
  readonly payment: Payment;
  readonly evaluation: Evaluation;
  readonly changes: Changes;
  /** What the news means for the payment's status; null: nothing, only the money is noted. */
  readonly request: TransitionRequest | null;
}

/** Pure: what the news about a payment's transfers does to it; `promised` is what is on its way back already, in pay_currency. */
export function decideTransition(
  payment: Payment,
  news: readonly TransferUpdate[],
  { transfers, promised }: { transfers: readonly PaymentTransfer[]; promised: string },
): Decision {
  const evaluation = evaluate(payment, transfers, promised);
  const isLate =
    allows(payment.status, 'transfer_seen') &&
    news.some(({ transfer }) => transfer.seenAt >= payment.expires_at);
  const lateEnd = lateWindowEnd(payment);
  const facts: Exception[] = [
    ...(news.some(({ kind }) => kind === 'dropped') ? (['replaced'] as const) : []),
    ...(news.some(({ kind }) => kind === 'orphaned') ? (['reorged'] as const) : []),
    ...(isLate ? (['late'] as const) : []),
  ];
  const changes: Changes = {
    ...changesOf(payment, evaluation, facts),
    ...latest(transfers),
    ...(isLate && payment.policy.late === 'honour' ? { deadline_at: lateEnd } : {}),
  };
  const honouredUntil = payment.policy.late === 'honour' ? lateEnd : payment.expires_at;
  const trigger = triggerOf(
    payment,
    news.filter(({ kind, transfer }) => kind !== 'seen' || transfer.seenAt < honouredUntil),
  );
  return {
    payment,
    evaluation,
    changes,
    request: trigger === null ? null : { paymentId: payment.id, trigger, changes },
  };
}

/** Payments that, after the news was taken in, wait for nothing more than conversion. */
export function confirmedInFull(
  subjects: readonly Decision[],
  moved: readonly Payment[],
): TransitionRequest[] {
  const statusOf = new Map(moved.map(({ id, status }) => [id, status]));
  const trigger: Trigger = 'confirmed_in_full';
  return subjects
    .filter(
      ({ payment, evaluation }) =>
        evaluation.isConfirmedInFull && allows(statusOf.get(payment.id) ?? payment.status, trigger),
    )
    .map(({ payment, changes }) => ({ paymentId: payment.id, trigger, changes }));
}

/** The gravest of what happened that the payment's status takes note of. */
function triggerOf(payment: Payment, news: readonly TransferUpdate[]): TransitionRequest['trigger'] | null {
  const causes: [TransferUpdate['kind'], TransitionRequest['trigger']][] = [
    ['dropped', 'transfer_replaced'],
    ['orphaned', 'block_reorganised'],
    ['seen', 'transfer_seen'],
  ];
  return (
    causes.find(
      ([kind, trigger]) => news.some((item) => item.kind === kind) && allows(payment.status, trigger),
    )?.[1] ?? null
  );
}

/** The latest transfer's hash, and the confirmations of the one that has fewest: what the payment still waits for. */
function latest(transfers: readonly PaymentTransfer[]): Pick<Changes, 'tx_hash' | 'confirmations'> {
  const live = transfers.filter(({ dropped_at }) => dropped_at === null);
  const depths = live.map(({ confirmations }) => confirmations);
  return {
    tx_hash: (live.at(-1) ?? transfers.at(-1))?.tx_hash ?? null,
    confirmations: depths.length === 0 ? 0 : Math.min(...depths),
  };
}
