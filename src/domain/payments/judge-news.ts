import { assess, changesOf, lateEndOf, type Assessment, type PaymentTransfer } from './assess.ts';
import type { Payment } from './payment.ts';
import { allows, type Cause, type Exception } from './states.ts';
import type { TransferNews } from './transfers.ts';
import type { Changes, Move } from './transition.ts';

/** A payment that news is about, and what follows from it. */
export interface Subject {
  readonly payment: Payment;
  readonly assessment: Assessment;
  readonly changes: Changes;
  /** What the news means for the payment's status; null: nothing, only the money is noted. */
  readonly move: Move | null;
}

/** Pure: what the news about a payment's transfers does to it; `promised` is what is on its way back already, in pay_currency. */
export function subjectOf(
  payment: Payment,
  news: readonly TransferNews[],
  { transfers, promised }: { transfers: readonly PaymentTransfer[]; promised: string },
): Subject {
  const assessment = assess(payment, transfers, promised);
  const isLate =
    allows(payment.status, 'transfer_seen') &&
    news.some(({ transfer }) => transfer.seenAt >= payment.expires_at);
  const lateEnd = lateEndOf(payment);
  const facts: Exception[] = [
    ...(news.some(({ kind }) => kind === 'dropped') ? (['replaced'] as const) : []),
    ...(news.some(({ kind }) => kind === 'orphaned') ? (['reorged'] as const) : []),
    ...(isLate ? (['late'] as const) : []),
  ];
  const changes: Changes = {
    ...changesOf(payment, assessment, facts),
    ...latest(transfers),
    ...(isLate && payment.policy.late === 'honour' ? { deadline_at: lateEnd } : {}),
  };
  const honouredUntil = payment.policy.late === 'honour' ? lateEnd : payment.expires_at;
  const cause = causeOf(
    payment,
    news.filter(({ kind, transfer }) => kind !== 'seen' || transfer.seenAt < honouredUntil),
  );
  return {
    payment,
    assessment,
    changes,
    move: cause === null ? null : { paymentId: payment.id, cause, changes },
  };
}

/** Payments that, after the news was taken in, wait for nothing more than conversion. */
export function confirmedInFull(subjects: readonly Subject[], moved: readonly Payment[]): Move[] {
  const statusOf = new Map(moved.map(({ id, status }) => [id, status]));
  const cause: Cause = 'confirmed_in_full';
  return subjects
    .filter(
      ({ payment, assessment }) =>
        assessment.isConfirmedInFull && allows(statusOf.get(payment.id) ?? payment.status, cause),
    )
    .map(({ payment, changes }) => ({ paymentId: payment.id, cause, changes }));
}

/** The gravest of what happened that the payment's status takes note of. */
function causeOf(payment: Payment, news: readonly TransferNews[]): Move['cause'] | null {
  const causes: [TransferNews['kind'], Move['cause']][] = [
    ['dropped', 'transfer_replaced'],
    ['orphaned', 'block_reorganised'],
    ['seen', 'transfer_seen'],
  ];
  return (
    causes.find(
      ([kind, cause]) => news.some((item) => item.kind === kind) && allows(payment.status, cause),
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
