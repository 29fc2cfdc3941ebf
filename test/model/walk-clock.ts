import { allows } from '../../src/domain/payments/lifecycle/states.ts';
import { canRequote } from '../../src/domain/payments/pricing/quotes.ts';
import { decideLapse, isShort } from '../../src/domain/payments/transfers/decide.ts';
import { holdEndOf } from '../../src/domain/payments/transfers/hold.ts';
import { acceptDue, scheduleHoldEnd, scheduleRequoteOf, take } from './walk-moves.ts';
import { quoteIn, timeOf, type State } from './walk-state.ts';

/** As `expirePayments`. */
export function expire(state: State): State {
  const { expire: _, ...jobs } = state.jobs;
  const { payment } = state;
  const isDue = payment.deadline_at <= timeOf(state.clock) && !payment.fully_funded;
  if (!isDue || !allows(payment.status, 'deadline_passed')) return { ...state, jobs };
  return acceptDue(take({ ...state, jobs }, { paymentId: payment.id, trigger: 'deadline_passed' }));
}

/** As `endHoldsOf`. */
export function endHolds(state: State): State {
  const now = timeOf(state.clock);
  const nothing = { credit: '0', locked_amount: '0', locked_credit: '0' };
  const transfers = state.transfers.map((one) => {
    const end = holdEndOf(one);
    return end !== null && end <= now ? { ...one, ...nothing, lapsed_at: now } : one;
  });
  const { changes } = decideLapse(state.payment, transfers);
  const payment = { ...state.payment, ...changes };
  const hasBecomeShort = isShort(payment) && !isShort(state.payment);
  const expire = hasBecomeShort ? { expire: payment.deadline_at.getTime() } : {};
  const next = { ...state, transfers, payment, jobs: { ...state.jobs, ...expire } };
  return acceptDue(scheduleHoldEnd(isShort(payment) ? scheduleRequoteOf(next) : next));
}

/** As `requotePayments`. */
export function requote(state: State): State {
  const { requote: _, ...jobs } = state.jobs;
  const { payment, transfers, clock } = state;
  const now = timeOf(clock);
  if (!canRequote(payment, now)) return { ...state, jobs };
  const quotes = state.quotes.map((quote) =>
    quote.locked_until !== null && quote.locked_until <= now
      ? quoteIn('ETH', payment, transfers, clock)
      : quote,
  );
  return scheduleRequoteOf({ ...state, jobs, quotes });
}
