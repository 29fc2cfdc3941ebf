import { cancel, schedule } from '../../schedule/store.ts';
import { recordEvents, type EventRecord } from '../../outbox/record.ts';
import { sendReceipt } from '../../receipts/jobs.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { eventOf, type RefundDetails } from './event.ts';
import { expirePayment, settlePayment } from './jobs.ts';
import { lockPayments } from './store.ts';
import { testClockOf, type Payment } from './payment.ts';
import { TRANSITIONS, allows, type Trigger, type EventType, type Exception } from './states.ts';

/** What a transition may change of a payment beside its status; what is left out stays. */
export interface Changes {
  readonly exceptions?: readonly Exception[];
  readonly amount_received?: string;
  readonly amount_refunded?: string;
  readonly fully_funded?: boolean;
  readonly tx_hash?: string | null;
  readonly confirmations?: number;
  readonly actually_paid?: string;
  readonly actually_paid_currency?: string;
  readonly deadline_at?: Date;
  readonly settled_at?: Date;
}

export interface TransitionRequest {
  readonly paymentId: string;
  readonly trigger: Exclude<Trigger, 'created'>;
  readonly changes?: Changes;
  readonly refund?: RefundDetails;
}

/**
 * Moves payments: the only function that writes `status` of a payment that exists. In the caller's transaction it updates each
 * payment whose status allows its move's cause, records the event with the payment's next sequence number, and schedules what the
 * new status needs. Answers the payments that moved, as they are now; one that is missing had been moved by somebody else first.
 * At most one move per payment and call.
 */
export async function transition(tx: Tx, moves: readonly TransitionRequest[], now: Date): Promise<Payment[]> {
  if (moves.length === 0) return [];
  // Two sets that overlap would wait for each other's rows for ever if each took them in its own order.
  if (moves.length > 1)
    await lockPayments(
      tx,
      moves.map(({ paymentId }) => paymentId),
    );
  const moved = await run(tx, applyTransitions, [JSON.stringify(moves.map(toRow)), now]);
  const moveOf = new Map(moves.map((move) => [move.paymentId, move]));
  const told = moved.flatMap((payment) => {
    const move = moveOf.get(payment.id);
    if (move === undefined) return [];
    const { event } = TRANSITIONS[move.trigger];
    return [{ payment, type: event, record: eventOf(payment, event, now, move.refund ?? null) }];
  });
  await recordEvents(
    tx,
    told.map(({ record }) => record),
  );
  const receipts = told.filter(({ payment, type }) => RECEIPTS.has(type) && payment.customer_email !== null);
  await scheduleNext(
    tx,
    moved,
    receipts.map(({ record }) => record),
    now,
  );
  return moved;
}

/** A move as the statement reads it; null leaves the column as it is. */
function toRow({ paymentId, trigger, changes = {} }: TransitionRequest) {
  return {
    id: paymentId,
    from_statuses: TRANSITIONS[trigger].from,
    to_status: TRANSITIONS[trigger].to,
    trigger,
    ...changes,
  };
}

// A payment that is covered, or whose deadline was moved, does not expire: decided here, in the row, at the moment of the update, so
// that a transfer seen at the instant of the deadline and the expiry have exactly one winner.
const applyTransitions = sql<Payment>(
  'move_payments',
  `UPDATE payments p SET
     status = m.to_status,
     sequence = p.sequence + 1,
     exceptions = coalesce(m.exceptions, p.exceptions),
     amount_received = coalesce(m.amount_received, p.amount_received),
     amount_refunded = coalesce(m.amount_refunded, p.amount_refunded),
     fully_funded = coalesce(m.fully_funded, p.fully_funded),
     tx_hash = coalesce(m.tx_hash, p.tx_hash),
     confirmations = coalesce(m.confirmations, p.confirmations),
     actually_paid = coalesce(m.actually_paid, p.actually_paid),
     actually_paid_currency = coalesce(m.actually_paid_currency, p.actually_paid_currency),
     deadline_at = coalesce(m.deadline_at, p.deadline_at),
     settled_at = coalesce(m.settled_at, p.settled_at)
   FROM jsonb_to_recordset($1::jsonb) AS m (
     id text, trigger text, from_statuses text[], to_status text, exceptions text[], amount_received numeric, amount_refunded numeric,
     fully_funded boolean, tx_hash text, confirmations integer, actually_paid text, actually_paid_currency text,
     deadline_at timestamptz, settled_at timestamptz)
   WHERE p.id = m.id AND p.status = ANY (m.from_statuses)
     AND (m.trigger <> 'deadline_passed' OR (p.deadline_at <= $2 AND NOT p.fully_funded))
   RETURNING p.*`,
);

/** Events of which a customer with an address gets a receipt. */
const RECEIPTS: ReadonlySet<EventType> = new Set(['checkout.settled', 'checkout.refunded']);

/**
 * Work that the new status calls for: an expiry while the deadline can still pass, a settlement once it was confirmed in full, and the
 * receipts of events. Without a mail server receipts are due as well, and their worker throws them away: a transition asks nobody how
 * the service is set up.
 */
async function scheduleNext(
  tx: Tx,
  moved: readonly Payment[],
  receipts: readonly EventRecord[],
  now: Date,
): Promise<void> {
  const expiring = moved.filter(
    (payment) => allows(payment.status, 'deadline_passed') && !payment.fully_funded,
  );
  const settling = moved.filter((payment) => allows(payment.status, 'settled'));
  const safe = moved.filter((payment) => !expiring.includes(payment));
  await schedule(tx, [
    ...expiring.map((payment) => ({
      job: expirePayment,
      key: payment.id,
      runAt: payment.deadline_at,
      testClock: testClockOf(payment),
    })),
    ...settling.map((payment) => ({
      job: settlePayment,
      key: payment.id,
      runAt: now,
      testClock: testClockOf(payment),
    })),
    ...receipts.map(({ id, testClock }) => ({ job: sendReceipt, key: id, runAt: now, testClock })),
  ]);
  await cancel(
    tx,
    expirePayment,
    safe.map(({ id }) => id),
  );
}
