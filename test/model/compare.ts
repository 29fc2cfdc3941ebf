import { expect } from 'chai';
import { format, parse } from './decimal.ts';
import type { Facts, RefundFact, TransferFact } from './facts.ts';
import type { Model } from './model.ts';
import { describeRefund } from './returns.ts';
import type { Sent } from './transfers.ts';

/** The contract's table: which event may follow in which status. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'created WAITING': [''],
  'pending PENDING': ['WAITING', 'PENDING', 'PROCESSING', 'EXPIRED'],
  'processing PROCESSING': ['PENDING'],
  'settled SETTLED': ['PROCESSING'],
  'failed FAILED': ['PENDING', 'PROCESSING'],
  'failed EXPIRED': ['WAITING', 'PENDING'],
  'refunded REFUNDED': ['SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED'],
  'refunded SETTLED': ['SETTLED'],
  'funds_received WAITING': ['WAITING'],
  'funds_received PENDING': ['PENDING'],
  'funds_received PROCESSING': ['PROCESSING'],
  'funds_received SETTLED': ['SETTLED'],
  'funds_received EXPIRED': ['EXPIRED'],
  'funds_received FAILED': ['FAILED'],
  'funds_received REFUNDED': ['REFUNDED'],
};

/** Throws when the service's view of a payment is not the model's. */
export function compareFacts(when: string, facts: Facts, model: Model): void {
  const { payment, money } = model;
  const actual = {
    status: facts.status,
    exceptions: facts.exceptions,
    received: plain(facts.received),
    refunded: plain(facts.refunded),
    events: unordered(facts.events.map(eventOf)),
    transfers: facts.transfers.map(describeFact),
    refunds: facts.refunds.map(describeRefundFact).sort(),
    balances: Object.fromEntries(
      Object.entries(facts.balances).map(([account, balance]) => [account, plain(balance)]),
    ),
    settled: facts.settled,
    settledAs: facts.settled_as,
    paid: facts.paid === null ? null : { amount: plain(facts.paid), coin: facts.paid_currency },
  };
  const expected: typeof actual = {
    status: payment.status,
    exceptions: [...payment.exceptions].sort(),
    received: format(money.received),
    refunded: format(money.refunded),
    events: unordered(payment.events),
    transfers: money.sent.map(describeSent),
    refunds: money.refunds.map(describeRefund).sort(),
    balances: money.ledger.balances,
    settled: payment.isSettled,
    settledAs: payment.settledAs,
    paid: payment.paid,
  };
  expect(actual, `${when}${differences(actual, expected)}`).to.deep.equal(expected);
  expect(facts.due, `due and not done ${when}`).to.equal(0);
  const converting = facts.conversions.filter(({ status }) => status === 'PENDING');
  expect(converting, `conversions without an outcome ${when}`).to.deep.equal([]);
  expect(facts.sequence, `sequence ${when}`).to.equal(facts.events.length);
  facts.events.forEach(({ sequence, event }, i) => {
    const before = facts.events[i - 1]?.event.split(' ')[1] ?? '';
    expect(sequence, `place of an event ${when}`).to.equal(i + 1);
    expect(ALLOWED[event], `${before} -> ${event} ${when}`).to.include(before);
  });
}

/** A whole state is long: the message names what differs. */
function differences<T extends object>(actual: T, expected: T): string {
  return (Object.keys(actual) as (keyof T)[])
    .map((name) => [name, JSON.stringify(actual[name]), JSON.stringify(expected[name])] as const)
    .filter(([, is, should]) => is !== should)
    .map(([name, is, should]) => `\n${String(name)} is\n  ${is}\nand should be\n  ${should}`)
    .join('');
}

/**
 * Refunds that are due at the same moment are sent in any order, which decides on the status of all but the
 * last.
 */
function unordered(events: readonly string[]): string[] {
  return events.map((event, i) =>
    event.startsWith('refunded ') && events[i + 1]?.startsWith('refunded ') === true ? 'refunded' : event,
  );
}

function plain(decimal: string): string {
  return format(parse(decimal));
}

function eventOf({ event, transfer }: Facts['events'][number]): string {
  if (transfer === null) return event;
  const { coin, network, amount, credit } = transfer;
  return `${event} ${plain(amount)} ${coin} ${network} for ${plain(credit)}`;
}

interface TransferState {
  readonly amount: string;
  readonly credit: string;
  readonly locked: string;
  readonly converted: string;
  readonly returned: string;
  readonly state: string;
}

function describeFact(fact: TransferFact): TransferState {
  return {
    amount: `${plain(fact.amount)} ${fact.method}`,
    credit: plain(fact.credit),
    locked: `${plain(fact.locked_amount)} for ${plain(fact.locked_credit)}`,
    converted: plain(fact.converted),
    returned: plain(fact.returned),
    state: fact.dropped ? 'dropped' : fact.lapsed ? 'lapsed' : fact.confirmed ? 'confirmed' : 'seen',
  };
}

function describeSent(sent: Sent): TransferState {
  return {
    amount: `${format(sent.amount)} ${sent.method}`,
    credit: format(sent.credit),
    locked: `${format(sent.lockedAmount)} for ${format(sent.lockedCredit)}`,
    converted: format(sent.converted),
    returned: format(sent.returned),
    state: sent.isDropped ? 'dropped' : sent.isLapsed ? 'lapsed' : sent.isConfirmed ? 'confirmed' : 'seen',
  };
}

function describeRefundFact({ method, source, coins, credit, status }: RefundFact): string {
  return `${plain(coins)} ${method} ${source} for ${plain(credit)} ${status}`;
}
