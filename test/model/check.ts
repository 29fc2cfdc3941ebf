import { expect } from 'chai';
import type { Step } from '../../src/domain/sandbox/scenarios/schemas.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Caller } from '../../src/platform/endpoint.ts';
import { Model } from './model.ts';
import type { Action, Terms } from './terms.ts';
import { withPayment, type Facts } from './service.ts';

export interface Script {
  readonly terms: Terms;
  readonly steps: readonly { readonly after: number; readonly action: Action }[];
}

const DAY = 86_400_000;

/** The contract's table: which event may follow in which status. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'created WAITING': [''],
  'pending PENDING': ['WAITING', 'PENDING', 'PROCESSING', 'EXPIRED'],
  'processing PROCESSING': ['PENDING'],
  'settled SETTLED': ['PROCESSING'],
  'failed FAILED': ['PENDING', 'PROCESSING'],
  'failed EXPIRED': ['WAITING', 'PENDING'],
  'refunded REFUNDED': ['SETTLED', 'EXPIRED', 'FAILED'],
  'refunded SETTLED': ['SETTLED'],
};

/** Runs a script on the service and on the model; throws when they differ or an invariant is violated. */
export async function checkScript(ctx: Context, caller: Caller, { terms, steps }: Script): Promise<void> {
  const model = new Model(terms);
  await withPayment(ctx, caller, terms, async (payment) => {
    let at = 0;
    for (const [index, { after, action }] of steps.entries()) {
      // Each step has its own millisecond: no step coincides with a block or a deadline by chance.
      at = Math.floor(at / 1000) * 1000 + after * 1000 + index + 1;
      model.advanceTo(at);
      const step = toStep(action, model);
      const isRefused = !model.act(action);
      if (step !== null)
        expect(!(await payment.play(step, at)), `step ${index + 1} (${action.do}) is refused`).to.equal(
          isRefused,
        );
      else await payment.advanceTo(at);
      compare(`after step ${index + 1} (${action.do})`, await payment.facts(), model);
    }
    at += 30 * DAY;
    model.advanceTo(at);
    await payment.advanceTo(at);
    const facts = await payment.facts();
    compare('at the end', facts, model);
    expect(facts.planned, 'work that is left at the end').to.equal(0);
    expect(facts.status, 'at the end').to.be.oneOf(['SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED']);
  });
}

/** Null: no step, only time passes. */
function toStep(action: Action, model: Model): Step | null {
  const at = '0s';
  switch (action.do) {
    case 'wait':
      return null;
    case 'transfer': {
      const coin = action.network === 'tron' ? 'USDT' : 'USDC';
      return { at, do: 'transfer', amount: euros(action.cents), coin, network: action.network };
    }
    case 'replace':
      return { at, do: 'replace', transfer: (action.which % Math.max(1, model.sent.length)) + 1 };
    case 'refund':
      return { at, do: 'refund', ...(action.cents === null ? {} : { amount: euros(action.cents) }) };
    default:
      return { at, ...action };
  }
}

function euros(cents: number): string {
  return (cents / 100).toFixed(2);
}

function compare(when: string, facts: Facts, model: Model): void {
  const { accounts, entries } = facts;
  const account = (name: string) => Math.round((accounts[name] ?? 0) * 100);
  const entry = (name: string) => Math.round((entries[name] ?? 0) * 100);
  const actual = {
    status: facts.status,
    exceptions: facts.exceptions,
    received: Math.round(Number(facts.received) * 100),
    refunded: Math.round(Number(facts.refunded) * 100),
    events: facts.events.map(({ event }) => event),
  };
  expect(actual, when).to.deep.equal({
    status: model.status,
    exceptions: [...model.exceptions].sort((a, b) => (a < b ? -1 : 1)),
    received: model.received,
    refunded: model.refunded,
    events: model.events,
  });
  expect(facts.due, `due and not done ${when}`).to.equal(0);
  expect(facts.sequence, `sequence ${when}`).to.equal(facts.events.length);
  facts.events.forEach(({ sequence, event }, i) => {
    const before = facts.events[i - 1]?.event.split(' ')[1] ?? '';
    expect(sequence, `place of an event ${when}`).to.equal(i + 1);
    expect(ALLOWED[event], `${before} -> ${event} ${when}`).to.include(before);
  });
  expect(
    account('customer') + account('held') + account('converted') + account('merchant'),
    `balance ${when}`,
  ).to.equal(0);
  expect(-account('customer'), `what the customer is out of ${when}`).to.equal(
    actual.received - actual.refunded,
  );
  expect(entry('received') - entry('reversed'), `received in the ledger ${when}`).to.equal(actual.received);
  expect(entry('refunded'), `refunded in the ledger ${when}`).to.equal(actual.refunded);
  expect(account('converted'), `converted and not settled ${when}`).to.equal(0);
  expect(entry('settled') > 0, `settled in the ledger ${when}`).to.equal(facts.settled);
  expect(facts.paid !== null, `actually_paid ${when}`).to.equal(facts.settled);
}
