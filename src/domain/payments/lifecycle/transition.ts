import type { CoinId } from '../../chain/coins.ts';
import type { Finality } from '../../chain/finality.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { recordEvents, type JobChanges } from '../../outbox/outbox.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import type { CheckoutRefund, CheckoutTransfer, SettlementMode } from '../../../sdk/event-types.ts';
import { moveItemsOf } from '../links/uses.ts';
import { countTransitions } from './count.ts';
import { eventOf } from './event.ts';
import { expirePayment, settlePayment } from './jobs.ts';
import { jobOf, type Payment } from './payment.ts';
import {
  holdsItem,
  isOpen,
  isProcessing,
  TRANSITIONS,
  type Exception,
  type Status,
  type Transition,
  type Trigger,
} from './states.ts';
import { lockAll } from './store.ts';
import { HAS_QUARANTINED } from './quarantine.ts';

/** The columns that a transition may change beside the status; absent ones stay unchanged. */
export interface Changes {
  readonly exceptions?: readonly Exception[];
  readonly amount_received?: string;
  readonly amount_refunded?: string;
  readonly fully_funded?: boolean;
  readonly tx_hash?: string | null;
  readonly tx_network?: NetworkId | null;
  readonly confirmations?: number;
  readonly finality?: Finality;
  readonly actually_paid?: string;
  readonly actually_paid_currency?: string;
  readonly settlement_mode?: SettlementMode;
  readonly settlement_coin?: CoinId | null;
  readonly settlement_network?: NetworkId | null;
  readonly settlement_amount?: string | null;
  readonly deadline_at?: Date;
  readonly settled_at?: Date;
  readonly cancelled_at?: Date;
}

/** A trigger with its changes, for one payment. */
export interface TransitionRequest {
  readonly paymentId: string;
  readonly trigger: Exclude<Trigger, 'created'>;
  readonly changes?: Changes;
  readonly refund?: CheckoutRefund;
  readonly transfer?: CheckoutTransfer;
}

/**
 * Moves payments: the only function that writes `status` of an existing payment. In the caller's transaction
 * it updates each payment whose status allows its request's trigger, records the event with the payment's
 * next sequence number, and schedules the jobs of the new status. Returns the new rows of the payments that
 * moved; a payment that is missing was moved by a concurrent transaction first. Takes at most one request per
 * payment.
 */
export async function transition(
  tx: Tx,
  requests: readonly TransitionRequest[],
  now: Date,
): Promise<Payment[]> {
  if (requests.length === 0) return [];
  const ids = requests.map(({ paymentId }) => paymentId);
  const [, rows] = await pipelined(
    tx,
    // In the order of ids: two overlapping sets that lock in different orders would deadlock. One payment is
    // locked, too: an UPDATE that waits for its row reads other tables as they were before.
    () => lockAll(tx, ids),
    () => run(tx, applyTransitions, { requests: recordset(requests.map(toRow)), now }),
  );
  const requestOf = new Map(requests.map((request) => [request.paymentId, request]));
  const counted = rows.flatMap(({ id, from_status: from, status: to }) => {
    const trigger = requestOf.get(id)?.trigger;
    return trigger === undefined ? [] : [{ from, to, trigger }];
  });
  countTransitions(tx, counted);
  await moveItemsOf(tx, rows.flatMap(itemMove));
  const moved = rows.map(({ from_status: _from, ...payment }) => payment);
  await recordEvents(
    tx,
    moved.flatMap((payment) => {
      const request = requestOf.get(payment.id);
      if (request === undefined) return [];
      return [eventOf(payment, TRANSITIONS[request.trigger].event, now, request)];
    }),
    jobsOf(moved, now),
  );
  return moved;
}

/** What a payment's move gives back to its link, or takes again. */
function itemMove({ link_id: linkId, from_status: from, status: to }: Payment & { from_status: Status }) {
  return linkId === null ? [] : [{ linkId, change: Number(holdsItem(to)) - Number(holdsItem(from)) }];
}

/** Returns a request as the statement reads it; a column that is null stays unchanged. */
function toRow({ paymentId, trigger, changes = {} }: TransitionRequest) {
  const { from, to }: Transition = TRANSITIONS[trigger];
  return { id: paymentId, trigger, from_statuses: from, to_status: to, ...changes };
}

/** Decided by all transfers of the payment: these wait while some are quarantined. */
const NEED_ALL_TRANSFERS: readonly Trigger[] = [
  'deadline_passed',
  'cancelled',
  'settled',
  'conversion_failed',
];

// A payment that is fully funded, or whose deadline was moved, does not expire; the former is not cancelled
// either. The UPDATE itself checks this, so a transfer seen at that instant and the end have one winner. The
// status before is that of the statement's snapshot: the row was locked before it.
const applyTransitions = sql<Payment & { from_status: Status }, { requests: string; now: Date }>(
  'apply_transitions',
  (p) => `
    UPDATE payments p SET
      status = coalesce(r.to_status, p.status),
      sequence = p.sequence + 1,
      exceptions = coalesce(r.exceptions, p.exceptions),
      amount_received = coalesce(r.amount_received, p.amount_received),
      amount_refunded = coalesce(r.amount_refunded, p.amount_refunded),
      fully_funded = coalesce(r.fully_funded, p.fully_funded),
      tx_hash = CASE WHEN r.tx_network IS NULL THEN coalesce(r.tx_hash, p.tx_hash) ELSE r.tx_hash END,
      tx_network = coalesce(r.tx_network, p.tx_network),
      confirmations = coalesce(r.confirmations, p.confirmations),
      finality = coalesce(r.finality, p.finality),
      actually_paid = coalesce(r.actually_paid, p.actually_paid),
      actually_paid_currency = coalesce(r.actually_paid_currency, p.actually_paid_currency),
      settlement_mode = coalesce(r.settlement_mode, p.settlement_mode),
      settlement_coin = coalesce(r.settlement_coin, p.settlement_coin),
      settlement_network = coalesce(r.settlement_network, p.settlement_network),
      settlement_amount = coalesce(r.settlement_amount, p.settlement_amount),
      deadline_at = coalesce(r.deadline_at, p.deadline_at),
      settled_at = coalesce(r.settled_at, p.settled_at),
      cancelled_at = coalesce(r.cancelled_at, p.cancelled_at)
    FROM jsonb_to_recordset(${p.requests}::jsonb) AS r (
      id text, trigger text, from_statuses text[], to_status text, exceptions text[],
      amount_received numeric, amount_refunded numeric, fully_funded boolean, tx_hash text,
      tx_network text, confirmations integer, finality text,
      actually_paid text, actually_paid_currency text, settlement_mode text, settlement_coin text,
      settlement_network text, settlement_amount text, deadline_at timestamptz, settled_at timestamptz,
      cancelled_at timestamptz)
    WHERE p.id = r.id AND p.status = ANY (r.from_statuses)
      AND (r.trigger <> 'deadline_passed' OR p.deadline_at <= ${p.now})
      AND (r.trigger NOT IN ('deadline_passed', 'cancelled') OR NOT p.fully_funded)
      AND (r.trigger <> ALL ('{${NEED_ALL_TRANSFERS.join()}}') OR NOT ${HAS_QUARANTINED('p.id')})
    RETURNING p.*, (SELECT before.status FROM payments before WHERE before.id = p.id) AS from_status`,
);

/**
 * Returns the jobs of the new status: the expiry of an open payment, the settlement once confirmed in full.
 * Others do not expire any more.
 */
function jobsOf(moved: readonly Payment[], now: Date): JobChanges {
  const expires = ({ status, fully_funded }: Payment) => isOpen(status) && !fully_funded;
  return {
    scheduled: moved.flatMap((payment) => {
      if (expires(payment)) return [jobOf(expirePayment, payment, payment.deadline_at)];
      return isProcessing(payment.status) ? [jobOf(settlePayment, payment, now)] : [];
    }),
    cancelled: {
      job: expirePayment,
      keys: moved.filter((payment) => !expires(payment)).map(({ id }) => id),
    },
  };
}
