import type { NetworkId } from '../../chain/networks.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import type { Rates } from '../../chain/rates/rates.ts';
import { cancel, schedule } from '../../schedule/store.ts';
import { groupBy, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { hasToConvert } from '../conversions/plan.ts';
import { postEntries, receivedEntries } from '../ledger/ledger.ts';
import { endHolds, expirePayment, settlePayment } from '../lifecycle/jobs.ts';
import { jobOf, type Payment } from '../lifecycle/payment.ts';
import { isProcessing } from '../lifecycle/states.ts';
import { lockPayments } from '../lifecycle/store.ts';
import { transition, type TransitionRequest } from '../lifecycle/transition.ts';
import { scheduleRequote } from '../pricing/schedule-requote.ts';
import { readOpenRefunds } from '../refunds/store.ts';
import { reviewAwaited } from '../refunds/by-merchant/review.ts';
import { acceptDueRefunds, mayOweRefund } from '../refunds/due.ts';
import { confirmUpTo, type ConfirmedHeights } from '../transfers/confirm.ts';
import { confirmedInFull, decideTransitions, isShort, type Decision } from '../transfers/decide.ts';
import { holdJobs } from '../transfers/hold.ts';
import type { PaymentTransfer, TransferUpdate } from '../transfers/payment-transfer.ts';
import {
  readLockedQuotes,
  recordTransfers,
  type LockedPayment,
  type PageOfPayments,
} from '../transfers/record.ts';
import { readTransfersByPayment, recordMoney } from '../transfers/store.ts';

/** By the payment's id. */
export type Concerned = ReadonlyMap<string, LockedPayment>;

/** What a chain reports of payments. */
export interface ChainReport extends Pick<PageOfPayments, 'at' | 'isLive' | 'finality'> {
  readonly network: NetworkId;
  /** The transfers to each payment that are new or changed, by the payment's id, in the chain's order. */
  readonly transfers: ReadonlyMap<string, readonly ChainTransfer[]>;
  /** At which new ones are credited. */
  readonly ratesOf: (payment: Payment) => Rates;
  /** Up to where transfers are confirmed; null: it is not known yet, for there is more to read. */
  readonly heights: ConfirmedHeights | null;
}

/**
 * Locks the payments, in the order of their ids, and reads their transfers, and the quotes of those that the
 * chain reports transfers of. One that was isolated meanwhile is left out: the sync of its own chain finds
 * its transfers.
 */
export async function lockConcerned(
  tx: Tx,
  testClock: string | null,
  ids: readonly string[],
  credited: ReadonlyMap<string, unknown>,
): Promise<Concerned> {
  const [locked, transfers, quotes] = await pipelined(
    tx,
    () => lockPayments(tx, ids),
    () => readTransfersByPayment(tx, ids),
    () =>
      readLockedQuotes(
        tx,
        ids.filter((id) => credited.has(id)),
      ),
  );
  const payments = locked.filter(({ test_clock }) => test_clock === testClock);
  return new Map(
    payments.map((payment) => [
      payment.id,
      { payment, transfers: transfers.get(payment.id) ?? [], quotes: quotes.get(payment.id) ?? [] },
    ]),
  );
}

/**
 * Applies what a chain reports of payments: credits and stores their transfers, confirms what is deep enough,
 * and moves the payments, in sets. Returns the payments that moved.
 */
export async function applyTransfers(
  tx: Tx,
  concerned: Concerned,
  { network, transfers, ratesOf, heights, at, ...chain }: ChainReport,
  now: Date,
): Promise<Payment[]> {
  const ids = [...concerned.keys()];
  const own = new Map([...transfers].filter(([id]) => concerned.has(id)));
  const updates = await recordTransfers(tx, { payments: concerned, transfers: own, ratesOf, at, ...chain });
  if (heights !== null) await confirmUpTo(tx, network, { paymentIds: ids, heights }, now);
  const [after, refunds] = await pipelined(
    tx,
    () => readTransfersByPayment(tx, ids),
    () => readOpenRefunds(tx, ids),
  );
  const refunding = new Set(refunds.map(({ payment_id }) => payment_id));
  if (chain.isLive && refunding.size > 0) await reviewAwaited(tx, [...refunding], now);
  const decisions = decideAll(concerned, after, { updates, refunding });
  return follow(tx, concerned, { decisions, after }, now);
}

/** What is decided about payments, and their transfers by now. */
export interface Decided {
  readonly decisions: readonly Decision[];
  readonly after: ReadonlyMap<string, readonly PaymentTransfer[]>;
}

/** Moves payments, books and schedules what follows from decisions. Returns the payments that moved. */
export async function follow(
  tx: Tx,
  concerned: Concerned,
  { decisions, after }: Decided,
  now: Date,
): Promise<Payment[]> {
  const moved = await moveAll(tx, decisions, now);
  await postEntries(
    tx,
    decisions.flatMap(({ payment: { id } }) =>
      receivedEntries(id, concerned.get(id)?.transfers ?? [], after.get(id) ?? []),
    ),
    now,
  );
  await scheduleFollowing(tx, concerned, { decisions, after, moved }, now);
  const owing = decisions.map(({ payment }) => payment).filter(mayOweRefund);
  await acceptDueRefunds(
    tx,
    owing.map(({ id }) => id),
    now,
  );
  return moved;
}

function decideAll(
  concerned: Concerned,
  after: ReadonlyMap<string, readonly PaymentTransfer[]>,
  { updates, refunding }: { updates: readonly TransferUpdate[]; refunding: ReadonlySet<string> },
): Decision[] {
  const updatesOf = groupBy(updates, ({ paymentId }) => paymentId);
  return [...concerned.values()].map(({ payment }) =>
    decideTransitions(payment, updatesOf.get(payment.id) ?? [], {
      transfers: after.get(payment.id) ?? [],
      isRefunding: refunding.has(payment.id),
    }),
  );
}

/** Applies the decisions; a transition takes one request per payment, so each one's first go first. */
async function moveAll(tx: Tx, decisions: readonly Decision[], now: Date): Promise<Payment[]> {
  const moved: Payment[] = [];
  const apply = async (requests: readonly TransitionRequest[]) =>
    void moved.push(...(await transition(tx, requests, now)));
  const rounds = Math.max(...decisions.map(({ requests }) => requests.length));
  for (let round = 0; round < rounds; round += 1)
    await apply(decisions.flatMap(({ requests }) => requests[round] ?? []));
  // Money that makes no event: it was mined, replaced by the same money, lost beside enough, or has lapsed.
  const silent = decisions.filter(({ requests }) => requests.length === 0);
  await recordMoney(
    tx,
    silent.map(({ payment: { id }, changes }) => ({ id, ...changes })),
  );
  await apply(confirmedInFull(decisions, moved));
  return moved;
}

/**
 * Schedules what follows beside the transitions: the conversion of money that confirmed after the payment
 * was fully funded, the end of what unmined transfers hold, the expiry of a payment whose money has lapsed,
 * and the requote of one that has not enough.
 */
async function scheduleFollowing(
  tx: Tx,
  concerned: Concerned,
  { decisions, after, moved }: Decided & { moved: readonly Payment[] },
  now: Date,
): Promise<void> {
  const current = new Map(moved.map((payment) => [payment.id, payment]));
  const payments = decisions.map(
    ({ payment, changes }): Payment => current.get(payment.id) ?? { ...payment, ...changes },
  );
  // The transition to PROCESSING has scheduled the settlement already.
  const isScheduled = ({ id, status }: Payment) => current.has(id) && isProcessing(status);
  const converting = payments.filter(
    (payment) => !isScheduled(payment) && hasToConvert(payment, after.get(payment.id) ?? []),
  );
  // A transition has scheduled the expiry itself.
  const hasBecomeShort = (payment: Payment) =>
    !current.has(payment.id) && isShort(payment) && concerned.get(payment.id)?.payment.fully_funded === true;
  const holds = holdJobs(
    payments,
    (id) => concerned.get(id)?.transfers ?? [],
    (id) => after.get(id) ?? [],
  );
  await schedule(tx, [
    ...converting.map((payment) => jobOf(settlePayment, payment, now)),
    ...payments.filter(hasBecomeShort).map((payment) => jobOf(expirePayment, payment, payment.deadline_at)),
    ...holds.scheduled,
  ]);
  await cancel(tx, endHolds, holds.cancelled);
  await scheduleRequote(tx, payments.filter(isShort));
}
