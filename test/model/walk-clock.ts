import { allows } from '../../src/domain/payments/lifecycle/states.ts';
import { canRequote } from '../../src/domain/payments/pricing/quotes.ts';
import { acceptDue, scheduleRequoteOf, take } from './walk-moves.ts';
import { quoteIn, timeOf, type State } from './walk-state.ts';

/** As `expirePayments`. */
export function expire(state: State): State {
  const { expire: _, ...jobs } = state.jobs;
  const { payment } = state;
  const isDue = payment.deadline_at <= timeOf(state.clock) && !payment.fully_funded;
  if (!isDue || !allows(payment.status, 'deadline_passed')) return { ...state, jobs };
  return acceptDue(take({ ...state, jobs }, { paymentId: payment.id, trigger: 'deadline_passed' }));
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
