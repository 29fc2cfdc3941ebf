import { marketAt } from '../support/market.ts';
import { expect } from 'chai';
import { createHandlers } from '../../src/background/workers.ts';
import { createAdapters, type Adapters } from '../../src/domain/adapters.ts';
import { chainKey } from '../../src/domain/chain/chain-key.ts';
import { SIMULATED_RATES } from '../../src/domain/chain/simulator/market.ts';
import { selectMethodByToken } from '../../src/domain/checkout/actions/select-method.ts';
import { findByToken } from '../../src/domain/checkout/view/store.ts';
import { giveRefundAddress } from '../support/refunds.ts';
import { setAcceptedMethods } from '../../src/domain/merchants/accepted-methods.ts';
import { createPayment } from '../../src/domain/payments/create.ts';
import { syncChain } from '../../src/domain/payments/lifecycle/jobs.ts';
import { readPayments } from '../../src/domain/payments/lifecycle/store.ts';
import { FREEZE_SECONDS, runFrozen, type FrozenClock } from '../../src/domain/sandbox/test-clock/freeze.ts';
import { simulateReceiver } from '../../src/domain/sandbox/scenarios/receiver.ts';
import type { Step } from '../../src/domain/sandbox/scenarios/schemas.ts';
import { runScript, type ScenarioRun } from '../../src/domain/sandbox/scenarios/steps.ts';
import { schedule } from '../../src/domain/schedule/store.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import { runOne } from '../../src/platform/postgres/db.ts';
import type { Caller } from '../../src/domain/api/endpoint.ts';
import { ValidationError } from '../../src/domain/api/errors.ts';
import { SILENT } from '../../src/platform/log.ts';
import { CHAIN_BEGINS } from './chain.ts';
import { METHOD_NAMES, METHODS, NETWORKS, type Coin, type Method, type Network } from './coins.ts';
import { readFacts, type Facts } from './facts.ts';
import type { Terms } from './terms.ts';
import { NOBODY } from '../support/simulator.ts';

const BEGIN = new Date('2026-01-01T00:00:00.000Z');

/** A payment of the real service, with its own test clock and its own market, on which scripts run. */
export interface ServicePayment {
  advanceTo(ms: number): Promise<void>;
  /** Runs a step at a time since the beginning; false when the service refuses it. */
  run(step: Step, ms: number): Promise<boolean>;
  /** Selects a coin as the checkout page does. */
  choose(method: Method): Promise<boolean>;
  /** Sends a transfer to the payment's address on a network, without selecting the coin. */
  send(method: Method, amount: string): Promise<void>;
  setRate(coin: Coin, rate: string): void;
  /**
   * Gives the address that the checkout page asks for; returns its network, or null when it asks for none.
   */
  giveAddress(): Promise<Network | null>;
  /** An address that is none of the payment's. */
  customerAddress(network: Network): string;
  facts(): Promise<Facts>;
}

/** Creates a payment and passes it to `work`. */
export async function withPayment<T>(
  shared: Context,
  caller: Caller,
  { price, minutes, policy, settlement }: Terms,
  work: (payment: ServicePayment) => Promise<T>,
): Promise<T> {
  const clock = {
    offsetMs: BEGIN.getTime() - shared.systemNow().getTime(),
    frozenUntil: addSeconds(shared.systemNow(), FREEZE_SECONDS),
  };
  const ctx: Context = { ...shared, log: SILENT, now: () => BEGIN, testClock: { ...clock, id: '' } };
  const terms = { order_id: 'model', pay_amount: price, expiration_minutes: minutes, policy };
  const control = { refusesConversion: false, seed: () => undefined };
  const rates = { ...SIMULATED_RATES };
  const receiver = simulateReceiver(() => BEGIN);
  const convert = () =>
    Promise.resolve(control.refusesConversion ? ('refused' as const) : ('converted' as const));
  const adapters: Adapters = {
    ...createAdapters(shared.config),
    settlement,
    webhooks: receiver,
    exchange: { convert },
    rates: marketAt(() => rates),
  };
  // Where nothing is sold, a page offers what the merchant accepts.
  const accepted = METHOD_NAMES.map((name) => ({ coin: METHODS[name].coin, network: METHODS[name].network }));
  await setAcceptedMethods(shared.db, caller.merchantId, accepted);
  const { id } = JSON.parse((await createPayment(ctx, adapters, caller, terms, null)).text) as { id: string };
  return runFrozen(ctx, { clock: { ...clock, id }, now: BEGIN }, createHandlers(adapters), async (frozen) => {
    await beginChains(frozen.ctx, adapters);
    const run = { frozen, caller, id, adapters, receiver, control };
    return work(servicePayment(run, adapters, rates));
  });
}

const at = (ms: number) => new Date(BEGIN.getTime() + ms);

/** Before the payment, so that the time of a block does not depend on when the service first looks. */
async function beginChains(ctx: Context, { testChain }: Adapters): Promise<void> {
  for (const network of NETWORKS) await testChain(ctx).poll(network, null, NOBODY, at(CHAIN_BEGINS[network]));
}

function servicePayment(
  run: ScenarioRun & { frozen: FrozenClock },
  adapters: Adapters,
  rates: Record<string, string>,
): ServicePayment {
  const { id, frozen } = run;
  const { ctx } = frozen;
  const customerAddress = (network: Network) =>
    adapters.testChain(ctx).derive(network, { id: 'the customer' });
  const token = async () => {
    const [payment] = await readPayments(ctx.db, [id]);
    return payment?.token_id ?? '';
  };
  return {
    customerAddress,
    advanceTo: (ms) => frozen.advanceTo(at(ms)),
    async run(step, ms) {
      try {
        await runScript(run, at(ms), [step]);
        await frozen.advanceTo(at(ms));
        return true;
      } catch (error) {
        if (error instanceof ValidationError) return false;
        throw error;
      }
    },
    async choose(method) {
      const { coin, network } = METHODS[method];
      return (await selectMethodByToken(ctx, adapters, await token(), coin, network)) === 'selected';
    },
    async send(method, amount) {
      const { coin, network } = METHODS[method];
      const chain = adapters.testChain(ctx);
      const address = chain.derive(network, { id });
      await chain.send(ctx.db, [{ network, coin, address, amount }], ctx.now());
      const job = { job: syncChain, key: chainKey(network, id), runAt: ctx.now(), testClock: ctx.testClock };
      await schedule(ctx.db, [job]);
      await frozen.advanceTo(ctx.now());
    },
    setRate: (coin, rate) => void (rates[coin] = rate),
    async giveAddress() {
      const page = await findByToken(ctx.db, await token());
      const network = page?.refund_network as Network;
      const given = await giveRefundAddress(ctx, adapters, await token(), customerAddress(network));
      await frozen.advanceTo(ctx.now());
      return given === 'saved' ? network : null;
    },
    async facts() {
      const facts = await runOne(ctx.db, readFacts, { id, now: ctx.now() });
      expect(facts, 'the payment').to.not.equal(null);
      return facts as Facts;
    },
  };
}
