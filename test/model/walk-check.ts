import { dustOf } from '../../src/domain/chain/coins.ts';
import { hasToConvert, methodOf } from '../../src/domain/payments/conversions/plan.ts';
import { converts } from '../../src/domain/payments/lifecycle/settlement.ts';
import { isOpen, isProcessing } from '../../src/domain/payments/lifecycle/states.ts';
import { canRequote } from '../../src/domain/payments/pricing/quotes.ts';
import { dueRefundOf } from '../../src/domain/payments/refunds/due.ts';
import { checkRefund, leftToRefund } from '../../src/domain/payments/refunds/left.ts';
import { holdEndOf } from '../../src/domain/payments/transfers/hold.ts';
import { evaluate, honouredUntil } from '../../src/domain/payments/transfers/evaluate.ts';
import { convertedCredit, heldOf } from '../../src/domain/payments/transfers/credit.ts';
import {
  isConfirmed,
  isStanding,
  type PaymentTransfer,
} from '../../src/domain/payments/transfers/payment-transfer.ts';
import { groupBy } from '../../src/platform/postgres/db.ts';
import { add, compare, isZero, plain, subtract, sum } from '../../src/platform/values/money.ts';
import { toRefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import { isUnsigned } from '../../src/domain/payments/refunds/states.ts';
import { SIMULATED_CHAINS } from '../../src/domain/chain/profile.ts';
import { isCovered, isLost } from './walk-refunds.ts';
import { asStored, timeOf, type OpenRefund, type State } from './walk-state.ts';

/** Throws unless the state keeps every property of the walk. */
export function checkState(state: State): void {
  checkSums(state);
  checkLedger(state);
  checkDueWork(state);
  if (hasToConvert(state.payment, state.transfers) && state.jobs.settle === undefined && !isConverting(state))
    throw new Error('confirmed money is to be converted, and no settlement is due');
  if (dueRefundOf(state.payment, state.transfers) !== null)
    throw new Error('the policy owes a refund that nothing accepts');
  for (const held of heldByMethod(state)) checkMovable(state, held);
  for (const refund of state.refunds) checkRefundWaits(state, refund);
}

/**
 * Nobody is asked to pay coins that are not confirmed, and what is held for that ends by itself. What the
 * signer was asked for is its own, whatever becomes of the coins.
 */
function checkRefundWaits(state: State, refund: OpenRefund): void {
  const isAsked = toRefundResource(asStored(refund), SIMULATED_CHAINS).request !== undefined;
  if (isAsked !== (isUnsigned(refund.status) && refund.payout === null))
    throw new Error('two are asked to pay a refund, or nobody is');
  if (refund.payout !== null) {
    if (refund.status === 'HELD') throw new Error('a refund that may have been paid is held');
    return;
  }
  if (isUnsigned(refund.status) && !isCovered(state, refund))
    throw new Error('a refund of coins that are not confirmed waits for a signature');
  if (refund.status === 'HELD' && (isCovered(state, refund) || isLost(state, refund)))
    throw new Error('a refund is held for ever');
}

const isConverting = ({ converting }: State) => converting.length > 0;

/** What the row says is what its transfers say, and no coin is used twice. */
function checkSums({ payment, transfers }: State): void {
  const { received, isFullyFunded } = evaluate(payment, transfers);
  if (compare(payment.amount_received, received) !== 0)
    throw new Error(`amount_received is ${payment.amount_received} instead of ${received}`);
  if (isOpen(payment.status) && payment.fully_funded !== isFullyFunded)
    throw new Error(`fully_funded is ${payment.fully_funded}`);
  for (const { tx_hash, amount, converted, returned } of transfers)
    if (compare(add(converted, returned), amount) > 0) throw new Error(`${tx_hash} is used twice`);
}

/**
 * In = out + held, per coin: what the ledger holds is what the transfers hold and what is on its way, and the
 * merchant has what was settled, in the coin in which it was. After a loss of money that has left already,
 * the ledger's accounts are short by it.
 */
function checkLedger({ payment, transfers, refunds, converting, held, merchant, refunded }: State): void {
  const isLoss = transfers.some(
    (one) => !isConfirmed(one) && !(isZero(one.converted) && isZero(one.returned)),
  );
  if (isLoss) return;
  for (const [coin, booked] of Object.entries(held)) {
    const own = transfers.filter((one) => one.coin === coin);
    const waiting = own.filter(({ conversion }) => conversion !== null && converting.includes(conversion));
    const expected = sum([
      ...own.filter(isConfirmed).map(heldOf),
      ...waiting.map(({ converted }) => converted),
      ...refunds
        .filter((one) => one.source === 'held' && one.coin === coin)
        .map(({ coin_amount }) => coin_amount),
    ]);
    if (plain(booked) !== plain(expected)) throw new Error(`${coin} held: ${booked} instead of ${expected}`);
  }
  const isSettled = ({ conversion }: PaymentTransfer) =>
    conversion !== null && !converting.includes(conversion);
  const settledIn = (coin: string) =>
    transfers.filter(isSettled).map((one) => {
      if (!converts(payment)) return one.coin === coin ? one.converted : '0';
      return coin === payment.pay_currency ? convertedCredit(one) : '0';
    });
  for (const [coin, booked] of Object.entries(merchant)) {
    const isOwn = (one: { coin: string }) => one.coin === coin;
    const waiting = refunds.filter((one) => one.source === 'settled' && isOwn(one));
    const sent = subtract(
      sum(refunded.filter(isOwn).map(({ coin_amount }) => coin_amount)),
      sum(waiting.map(({ coin_amount }) => coin_amount)),
    );
    const expected = subtract(sum(settledIn(coin)), sent);
    if (compare(booked, '0') < 0) throw new Error(`more ${coin} was sent back than settled: ${booked}`);
    if (plain(booked) !== plain(expected))
      throw new Error(`the merchant's ${coin}: ${booked} instead of ${expected}`);
  }
}

/** A status in which a payment may not rest has work that is due, or waits for a confirmation. */
function checkDueWork(state: State): void {
  const { payment, transfers, jobs, clock, quotes } = state;
  const { status, fully_funded } = payment;
  if (isProcessing(status) && jobs.settle === undefined && !isConverting(state))
    throw new Error('PROCESSING without a settlement');
  if (transfers.some((one) => holdEndOf(one) !== null) && jobs.holds === undefined)
    throw new Error('an unmined transfer holds for ever');
  if (!isOpen(status)) return;
  const end = honouredUntil(payment);
  const isConfirming = transfers.some(
    (one) => isStanding(one) && !isConfirmed(one) && one.seen_at < end && !isZero(one.credit),
  );
  if (fully_funded ? !isConfirming : jobs.expire === undefined)
    throw new Error(`${status}${fully_funded ? ', fully funded,' : ''} for ever`);
  const hasEnded = quotes.some(({ locked_until }) => locked_until !== null && locked_until <= timeOf(clock));
  if (hasEnded && canRequote(payment, timeOf(clock)) && jobs.requote === undefined)
    throw new Error('a lock has ended, and nothing quotes again');
}

interface Held {
  readonly method: string;
  readonly transfers: readonly PaymentTransfer[];
}

/** Returns the confirmed money that is held, above dust, per coin and network. */
function heldByMethod({ transfers }: State): Held[] {
  return [...groupBy(transfers.filter(isConfirmed), methodOf)].flatMap(([method, own]) => {
    const [first] = own;
    if (first === undefined) return [];
    const isAboveDust = compare(sum(own.map(heldOf)), dustOf(first.coin, first.network)) > 0;
    return isAboveDust ? [{ method, transfers: own }] : [];
  });
}

/** Somebody can move held money now, or after an event that comes without anybody's action. */
function checkMovable(state: State, { method, transfers: own }: Held): void {
  const { payment, transfers } = state;
  // Their own work is checked elsewhere: they expire, settle, or fail.
  if (isOpen(payment.status) || isProcessing(payment.status)) return;
  if (hasToConvert(payment, own) || isConverting(state)) return;
  // Money that confirms, or is lost, decides.
  if (transfers.some((one) => isStanding(one) && !isConfirmed(one))) return;
  const left = leftToRefund(payment, transfers, state.refunded);
  checkRefund(payment, undefined, left, transfers);
  const movable = sum(
    left.held.filter(({ transfer }) => methodOf(transfer) === method).map(({ coins }) => coins),
  );
  if (compare(subtract(sum(own.map(heldOf)), movable), '0.000001') >= 0)
    throw new Error(`${method} is held, and nobody can move it`);
}
