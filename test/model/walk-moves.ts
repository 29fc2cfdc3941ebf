import { decimalsOf } from '../../src/domain/chain/coins.ts';
import {
  creditOfParts,
  hasToConvert,
  methodOf,
  planConversion,
  type Part,
} from '../../src/domain/payments/conversions/plan.ts';
import {
  convertedEntries,
  refundedEntry,
  settledEntry,
  type LedgerEntry,
} from '../../src/domain/payments/ledger/ledger.ts';
import {
  allows,
  isConverted,
  isOpen,
  isProcessing,
  TRANSITIONS,
  type Transition,
} from '../../src/domain/payments/lifecycle/states.ts';
import { converts } from '../../src/domain/payments/lifecycle/settlement.ts';
import type { Payment } from '../../src/domain/payments/lifecycle/payment.ts';
import type { TransitionRequest } from '../../src/domain/payments/lifecycle/transition.ts';
import { afterConversions } from '../../src/domain/payments/processing/settle.ts';
import { dueRefundOf } from '../../src/domain/payments/refunds/due.ts';
import {
  checkRefund,
  isWhole,
  leftToRefund,
  takenOfSettled,
  type SettledMoney,
} from '../../src/domain/payments/refunds/left.ts';
import { acceptedStatus } from '../../src/domain/payments/refunds/states.ts';
import { refundTransition } from '../../src/domain/payments/refunds/send.ts';
import { creditOfBottom } from '../../src/domain/payments/transfers/credit.ts';
import { holdJobs } from '../../src/domain/payments/transfers/hold.ts';
import { isConfirmed } from '../../src/domain/payments/transfers/payment-transfer.ts';
import { groupBy } from '../../src/platform/postgres/db.ts';
import { add, divide, subtract, sum } from '../../src/platform/values/money.ts';
import { asStored, timeOf, type OpenRefund, type State } from './walk-state.ts';

/** Moves the payment as `transition` does. Throws when the table does not allow it. */
export function take(state: State, { trigger, changes = {} }: TransitionRequest): State {
  const { payment, jobs } = state;
  if (!allows(payment.status, trigger))
    throw new Error(`${trigger} in ${payment.status} is not in TRANSITIONS`);
  const { to }: Transition = TRANSITIONS[trigger];
  const moved = { ...payment, ...changes, status: to ?? payment.status };
  const { expire: _, ...others } = jobs;
  const isExpiring = isOpen(moved.status) && !moved.fully_funded;
  return {
    ...state,
    payment: moved,
    jobs: {
      ...others,
      ...(isExpiring ? { expire: moved.deadline_at.getTime() } : {}),
      ...(isProcessing(moved.status) ? { settle: timeOf(state.clock).getTime() } : {}),
    },
  };
}

/** Posts the entries to what is held, and to what is the merchant's. */
export function book(state: State, entries: readonly LedgerEntry[]): State {
  const [held, merchant] = [{ ...state.held }, { ...state.merchant }];
  for (const { coin, amount, from_account, to_account } of entries)
    for (const [name, account] of [
      ['held', held],
      ['merchant', merchant],
    ] as const) {
      if (to_account === name) account[coin] = add(account[coin] ?? '0', amount);
      if (from_account === name) account[coin] = subtract(account[coin] ?? '0', amount);
    }
  return { ...state, held, merchant };
}

/** As `scheduleRequote`: when the first lock ends, if that is before the deadline. */
export function scheduleRequoteOf(state: State): State {
  const { quotes, payment, jobs } = state;
  const ends = quotes.flatMap(({ locked_until }) => (locked_until === null ? [] : [locked_until.getTime()]));
  const first = Math.min(...ends);
  return first < payment.deadline_at.getTime() ? { ...state, jobs: { ...jobs, requote: first } } : state;
}

/** As `holdJobs`. */
export function scheduleHoldEnd(state: State): State {
  const { payment, transfers } = state;
  const { holds: _, ...jobs } = state.jobs;
  const [job] = holdJobs(
    [payment],
    () => [],
    () => transfers,
  ).scheduled;
  return { ...state, jobs: job === undefined ? jobs : { ...jobs, holds: job.runAt.getTime() } };
}

/** As `acceptDueRefunds`. */
export function acceptDue(state: State): State {
  const due = dueRefundOf(state.payment, state.transfers);
  return due === null ? state : returnHeld(state, due.parts);
}

/** Live payments are refunded by their merchants. */
const accepted = (payment: Payment) => acceptedStatus('a', payment.settlement_mode !== 'simulated');

export function returnHeld(state: State, parts: readonly Part[]): State {
  checkConfirmed(parts, 'returned');
  const { payment } = state;
  const refunds = [...groupBy(parts, ({ transfer }) => methodOf(transfer)).values()].flatMap(
    (group): OpenRefund[] => {
      const [first] = group;
      if (first === undefined) return [];
      const decimals = decimalsOf(payment.pay_currency, payment.pay_network);
      const coin_amount = sum(group.map(({ coins }) => coins));
      const amount = divide(creditOfParts(group), '1', decimals, 'down');
      const own = group.map(({ transfer: { tx_hash }, coins }) => ({ tx_hash, coins }));
      const { coin } = first.transfer;
      const money = { source: 'held', coin, coin_amount, amount, parts: own } as const;
      return [{ ...money, status: accepted(payment), payout: null }];
    },
  );
  const transfers = state.transfers.map((transfer) => {
    const part = parts.find((one) => one.transfer === transfer);
    return part === undefined ? transfer : { ...transfer, returned: add(transfer.returned, part.coins) };
  });
  return { ...state, transfers, refunds: [...state.refunds, ...refunds] };
}

function checkConfirmed(parts: readonly Part[], what: string): void {
  const wrong = parts.find(({ transfer }) => !isConfirmed(transfer));
  if (wrong !== undefined) throw new Error(`unconfirmed money is ${what}: ${wrong.transfer.tx_hash}`);
}

/** A merchant's refund of `asked`, or of all; null: the service refuses it. */
export function refund(state: State, asked?: string): State | null {
  const { payment, transfers, refunded } = state;
  const left = leftToRefund(payment, transfers, refunded);
  try {
    checkRefund(payment, asked, left, transfers);
  } catch {
    return null;
  }
  const taken = takenOfSettled(asked, left);
  const own = taken.map(({ coin, coin_amount, amount }): OpenRefund => ({
    source: 'settled',
    coin,
    coin_amount,
    amount,
    status: accepted(payment),
    payout: null,
    parts: [],
  }));
  const byCoin = groupBy([...refunded, ...taken], ({ coin }) => coin);
  const next = {
    ...state,
    refunds: [...state.refunds, ...own],
    refunded: [...byCoin.values()].flatMap((same) => sumOfSettled(same)),
  };
  return isWhole(asked, left) ? returnHeld(next, left.held) : next;
}

function sumOfSettled(same: readonly SettledMoney[]): SettledMoney[] {
  const [first] = same;
  if (first === undefined) return [];
  const coin_amount = sum(same.map((one) => one.coin_amount));
  return [{ ...first, coin_amount, amount: sum(same.map(({ amount }) => amount)) }];
}

/** As `completeRefund`. */
export function complete(state: State, first: OpenRefund): State {
  const others = state.refunds.filter((one) => one !== first);
  const { source, coin, coin_amount } = first;
  const completed = { ...asStored(first), tx_hash: 't', status: 'COMPLETED' } as const;
  const request = refundTransition(state.payment, completed);
  const moved = take({ ...state, refunds: others }, request);
  const sent = { coin, network: 'ethereum' as const, amount: coin_amount };
  return acceptDue(book(moved, [refundedEntry('pay_1', source, sent)]));
}

/** The first half of `settlePayments`: commits the confirmed money. The job ends with the second half. */
export function beginSettle(state: State): State {
  const { settle: _, ...jobs } = state.jobs;
  const { payment } = state;
  if (!isConverted(payment.status)) return { ...state, jobs };
  const { convert } = planConversion(payment, state.transfers);
  checkConfirmed(convert, 'converted');
  const last = Math.max(0, ...state.transfers.map(({ conversion }) => conversion ?? 0));
  const methods = [...groupBy(convert, ({ transfer }) => methodOf(transfer)).keys()];
  const transfers = state.transfers.map((transfer) => {
    const part = convert.find((one) => one.transfer === transfer);
    if (part === undefined) return transfer;
    return { ...transfer, converted: part.coins, conversion: last + 1 + methods.indexOf(methodOf(transfer)) };
  });
  const begun = { ...state, jobs, transfers, converting: methods.map((_method, i) => last + 1 + i) };
  return begun.converting.length === 0 ? endSettle(begun, 'converted') : begun;
}

/** The second half: records the outcome of every conversion, and what follows. */
export function endSettle(state: State, outcome: 'converted' | 'refused'): State {
  const { converting, payment, clock } = state;
  const isOwn = ({ conversion }: { conversion: number | null }) =>
    conversion !== null && converting.includes(conversion);
  const own = state.transfers.filter(isOwn);
  const entries = own.flatMap(({ coin, converted: amount, ...transfer }) => {
    const network = 'ethereum';
    if (!converts(payment)) return [settledEntry(payment.id, { coin, network, amount })];
    const credit = creditOfBottom({ ...transfer, converted: amount }, amount);
    return convertedEntries(payment.id, { coin, network, amount }, { coin: 'USDC', network, amount: credit });
  });
  let next: State = { ...state, converting: [] };
  if (outcome === 'converted') next = book(next, entries);
  else
    next = {
      ...next,
      transfers: next.transfers.map((one) => (isOwn(one) ? { ...one, converted: '0' } : one)),
    };
  if (isProcessing(payment.status)) {
    const request = afterConversions(payment, next.transfers, timeOf(clock));
    if (request !== null) next = take(next, request);
  }
  if (hasToConvert(next.payment, next.transfers))
    next = { ...next, jobs: { ...next.jobs, settle: timeOf(clock).getTime() } };
  return acceptDue(next);
}
