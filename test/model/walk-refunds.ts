import { sendableParts } from '../../src/domain/payments/conversions/plan.ts';
import { isSettled } from '../../src/domain/payments/lifecycle/states.ts';
import { chooseRefund, type Candidate } from '../../src/domain/payments/refunds/by-merchant/choose.ts';
import { isAwaited, isPending, isSent, isUnsigned } from '../../src/domain/payments/refunds/states.ts';
import { isConfirmed, isStanding } from '../../src/domain/payments/transfers/payment-transfer.ts';
import { compare, isZero, max, subtract } from '../../src/platform/values/money.ts';
import { acceptDue, complete, returnHeld, scheduleHoldEnd } from './walk-moves.ts';
import { asStored, timeOf, type OpenRefund, type State } from './walk-state.ts';

type RefundMove = readonly [name: string, next: () => State];

/** What can happen to the oldest refund: the service sends it, or its merchant or the signer does. */
export function refundMoves(state: State): RefundMove[] {
  const [first] = state.refunds;
  if (first === undefined) return [];
  const { status, payout } = first;
  if (isPending(status)) return [['send', () => complete(state, first)]];
  const as = (own: Partial<OpenRefund>): State => ({
    ...state,
    refunds: state.refunds.map((one) => (one === first ? { ...one, ...own } : one)),
  });
  const payouts = PAYOUT_MOVES.filter(([, from]) => from === payout);
  return [
    // What the signer was asked for nobody pays by hand, unless it is held.
    ...(payout === 'asked' ? [] : transactionMoves(state, first, as)),
    ...payouts.map(([name, , to]): RefundMove => [name, () => as({ payout: to })]),
    // As `offerRefunds`: what goes back must be confirmed at this moment.
    ...(payout === null && isUnsigned(status) && isCovered(state, first)
      ? [['offer', () => as({ payout: 'asked' })] as RefundMove]
      : []),
  ];
}

/** What the signer, and who runs it, do with a payout. What was signed is not signed again. */
const PAYOUT_MOVES = [
  ['sign', 'asked', 'signed'],
  ['hold payout', 'asked', 'held'],
  ['release payout', 'held', 'asked'],
  ['payout fails', 'signed', 'failed'],
] as const;

/** What the transaction of a refund becomes. */
function transactionMoves(
  state: State,
  first: OpenRefund,
  as: (own: Partial<OpenRefund>) => State,
): RefundMove[] {
  return [
    ['paid', () => complete(state, chosen(state, first))],
    // Evicted, reverted, or spent elsewhere: it goes back to its merchant.
    isSent(first.status)
      ? ['take back', () => reviewRefunds(as({ status: 'AWAITING_SIGNATURE' }))]
      : ['announce', () => as({ status: 'SENT' })],
  ];
}

/** As `followTransfer`: which of the refunds a transfer completes that fits the oldest. */
function chosen(state: State, first: OpenRefund): OpenRefund {
  const fitting = state.refunds.filter(
    (one) => one.coin === first.coin && compare(one.coin_amount, first.coin_amount) === 0,
  );
  const candidates = fitting.map((one, i): Candidate => {
    const isNamed = isSent(one.status);
    const named = { tx_hash: isNamed ? 't' : null, named_at: isNamed ? timeOf(0) : null, has_own: isNamed };
    const own = { id: `ref_${i}`, merchant_id: 'm', is_announced: isNamed };
    return { ...asStored(one), ...named, ...own };
  });
  const choice = chooseRefund(candidates, 't');
  const found = fitting.find((_, i) => choice !== null && choice === candidates[i]);
  if (found === undefined) throw new Error('a transfer that fits a refund completes none');
  return found;
}

const partsOf = ({ transfers }: State, { parts }: OpenRefund) =>
  parts.map(({ tx_hash, coins }) => ({ coins, transfer: transfers.find((one) => one.tx_hash === tx_hash) }));

/** True where all coins that a refund sends back are confirmed. */
export const isCovered = (state: State, refund: OpenRefund): boolean =>
  partsOf(state, refund).every(
    ({ transfer, coins }) =>
      transfer !== undefined && isConfirmed(transfer) && compare(transfer.returned, coins) >= 0,
  );

/** True where some of them are lost for good. */
export const isLost = (state: State, refund: OpenRefund): boolean =>
  partsOf(state, refund).some(
    ({ transfer, coins }) =>
      transfer === undefined || !isStanding(transfer) || compare(transfer.returned, coins) < 0,
  );

/** As `reviewAwaited`: what merchants are to pay is held while its coins are not confirmed, or withdrawn. */
export function reviewRefunds(state: State): State {
  let next = state;
  for (const refund of state.refunds) {
    const { status, parts, payout } = refund;
    // What the signer was asked for may have left.
    if (parts.length === 0 || !isAwaited(status) || isSent(status) || payout !== null) continue;
    if (isLost(next, refund)) next = withdraw(next, refund);
    else if (isCovered(next, refund) !== isUnsigned(status)) {
      const changed = isUnsigned(status) ? ('HELD' as const) : ('AWAITING_SIGNATURE' as const);
      next = {
        ...next,
        refunds: next.refunds.map((one) => (one === refund ? { ...one, status: changed } : one)),
      };
    }
  }
  return next;
}

/** As `withdraw`: by a refund of those of its coins that stand. */
function withdraw(state: State, refund: OpenRefund): State {
  const coinsOf = (hash: string) => refund.parts.find(({ tx_hash }) => tx_hash === hash)?.coins ?? '0';
  const transfers = state.transfers.map((one) => {
    const coins = coinsOf(one.tx_hash);
    return isZero(coins) ? one : { ...one, returned: max('0', subtract(one.returned, coins)) };
  });
  const refunds = state.refunds.filter((one) => one !== refund);
  // What is unmined of its coins holds rate and deadline again.
  const next = acceptDue(scheduleHoldEnd({ ...state, transfers, refunds }));
  if (isSettled(next.payment.status)) return next;
  return returnHeld(next, sendableParts(next.transfers.filter(({ coin }) => coin === refund.coin)));
}
