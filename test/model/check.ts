import { expect } from 'chai';
import type { Step } from '../../src/domain/sandbox/scenarios/schemas.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Caller } from '../../src/domain/api/endpoint.ts';
import { METHODS, NETWORKS } from './coins.ts';
import { compareFacts } from './compare.ts';
import { format } from './decimal.ts';
import { Invariants } from './invariants.ts';
import { Model } from './model.ts';
import type { Action, Terms } from './terms.ts';
import { withPayment, type ServicePayment } from './service.ts';

export interface Script {
  readonly terms: Terms;
  readonly steps: readonly { readonly after: number; readonly action: Action }[];
}

const DAY = 86_400_000;

/** Runs a script on the service and on the model; throws when they differ or an invariant is violated. */
export async function checkScript(ctx: Context, caller: Caller, { terms, steps }: Script): Promise<void> {
  const { blockSeconds } = ctx.config;
  const model = new Model(terms, blockSeconds === null ? null : blockSeconds * 1000);
  const invariants = new Invariants(terms);
  await withPayment(ctx, caller, terms, async (payment) => {
    const step = async (at: number, action: Action, when: string) => {
      model.advanceTo(at);
      if (action.do === 'give_address') {
        await payment.advanceTo(at);
        const network = await payment.giveAddress();
        expect(model.giveAddress(network), `the page asks about ${network}: ${when}`).to.equal(true);
      } else {
        const act = actOf(action, model);
        const isAllowed = model.act(action);
        expect(await act(payment, at), `allowed: ${when}`).to.equal(isAllowed);
      }
      const facts = await payment.facts();
      compareFacts(when, facts, model);
      invariants.check(when, facts, model);
    };
    let at = 0;
    for (const [index, { after, action }] of steps.entries()) {
      // Each step has its own millisecond: no step coincides with a block or a deadline by chance.
      at = Math.floor(at / 1000) * 1000 + after * 1000 + index + 1;
      await step(at, action, `after step ${index + 1} (${action.do})`);
    }
    at += 30 * DAY;
    await step(at, { do: 'wait' }, 'at the end');
    // Whatever money is left at rest can be sent back: no money is stuck.
    await step(at, { do: 'refund', percent: null, to: null }, 'after the refund of all that is left');
    while (NETWORKS.some((network) => model.waitsForAddress(network)))
      await step(at, { do: 'give_address' }, 'after the address for a refund');
    // A refund of coins that a reorganisation took away waits until they are confirmed again.
    at += DAY;
    await step(at, { do: 'wait' }, 'a day later');
    const facts = await payment.facts();
    expect(facts.planned, 'work that is left at the end').to.equal(0);
    expect(facts.status, 'at the end').to.be.oneOf(['SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED']);
    invariants.checkNothingIsStuck(facts);
  });
}

type Act = (payment: ServicePayment, at: number) => Promise<boolean>;

/** Returns what the service is asked to do; amounts are those of the model before the action. */
function actOf(action: Exclude<Action, { do: 'give_address' }>, model: Model): Act {
  const done = async (payment: ServicePayment, at: number, work: () => unknown) => {
    await payment.advanceTo(at);
    await work();
    return true;
  };
  switch (action.do) {
    case 'wait':
      return (payment, at) => done(payment, at, () => undefined);
    case 'market': {
      const { coin } = action;
      return (payment, at) =>
        done(payment, at, () => payment.setRate(coin, format(model.pricing.rateOfCoin(coin))));
    }
    case 'choose':
      return async (payment, at) => {
        await payment.advanceTo(at);
        return payment.choose(action.method);
      };
    case 'transfer': {
      const { method, direct } = action;
      const amount = format(model.amountOf(action));
      const isSent = model.pricing.isWatched(method);
      if (direct)
        return (payment, at) => done(payment, at, () => (isSent ? payment.send(method, amount) : undefined));
      const { coin, network } = METHODS[method];
      return (payment, at) => payment.run({ at: '0s', do: 'transfer', amount, coin, network }, at);
    }
    default: {
      const stepOf = scriptStep(action, model);
      return (payment, at) => payment.run(stepOf(payment), at);
    }
  }
}

type ScriptAction = Extract<Action, { do: 'replace' | 'reorg' | 'mine' | 'fail_conversion' | 'refund' }>;

function scriptStep(action: ScriptAction, model: Model): (payment: ServicePayment) => Step {
  const at = '0s';
  switch (action.do) {
    case 'replace': {
      const transfer = (action.which % Math.max(1, model.money.sent.length)) + 1;
      return () => ({ at, do: 'replace', transfer, ...(action.speedUp ? { speed_up: true } : {}) });
    }
    case 'refund': {
      const asked = model.askedOf(action);
      const { to } = action;
      return (payment) => ({
        at,
        do: 'refund',
        ...(asked === null ? {} : { amount: format(asked) }),
        ...(to === null ? {} : { address: payment.customerAddress(to) }),
      });
    }
    default:
      return () => ({ at, ...action });
  }
}
