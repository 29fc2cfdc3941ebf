import { createHash } from 'node:crypto';
import { createPayment } from '../../payments/create.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { DEFAULT_RETRY_SECONDS } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import { SILENT } from '../../../platform/log.ts';
import { FREEZE_SECONDS, type FrozenClock } from '../test-clock/freeze.ts';
import type { Sandbox } from '../test-clock/sandbox.ts';
import { simulateReceiver } from './receiver.ts';
import { beginRun } from './scenario-runs.ts';
import type { ScenarioBody, Script } from './schemas.ts';

/** When every scenario begins: its times are the same in each run. */
const BEGIN = '2026-01-01T00:00:00.000Z';
/**
 * A scenario's events go to the simulated receiver only; a worker that takes one over cannot resolve this
 * name.
 */
const RECEIVER_URL = 'https://receiver.sandbox.invalid/';
/** Where the page of a payment with stable ids would be: its token does not exist. */
const PAGE_URL = 'https://checkout.sandbox.invalid';

/**
 * Returns everything that a scenario runs with, whose clock is frozen before its payment is created. What a
 * story means must not depend on the environment: networks have their own block times, and a receiver is
 * tried again by the service's own schedule.
 */
export function prepareRun(ctx: Context, sandbox: Sandbox, { seed = 'seed', ids }: ScenarioBody) {
  const begin = new Date(BEGIN);
  let random = seededRandom(seed);
  let now = () => begin;
  const systemNow = ctx.systemNow();
  const clock = {
    offsetMs: begin.getTime() - systemNow.getTime(),
    frozenUntil: addSeconds(systemNow, FREEZE_SECONDS),
  };
  const own: Context = {
    ...ctx,
    // Failures that a scenario causes on purpose must not raise alerts.
    log: SILENT,
    config: {
      ...ctx.config,
      autopaySeconds: null,
      blockSeconds: null,
      webhookRetrySeconds: DEFAULT_RETRY_SECONDS,
      publicUrl: ids === 'stable' ? PAGE_URL : ctx.config.publicUrl,
    },
    random: () => random(),
    now: () => begin,
    testClock: { ...clock, id: '' },
  };
  const receiver = simulateReceiver(() => now());
  const control = { refusesConversion: false, seed: (next: string) => void (random = seededRandom(next)) };
  const exchange = {
    convert: () => Promise.resolve(control.refusesConversion ? ('refused' as const) : ('converted' as const)),
  };
  const adapters = {
    ...sandbox.adapters,
    webhooks: receiver,
    exchange,
    receiver: RECEIVER_URL,
    rates: sandbox.adapters.testMarket.fixed,
  };
  const enter = (frozen: FrozenClock) => void (now = frozen.ctx.now);
  return { own, begin, clock, receiver, control, adapters, enter };
}

/** Creates the scenario's payment, together with the record that it runs, and returns its id. */
export function createPaymentOf(
  { own, adapters }: ReturnType<typeof prepareRun>,
  caller: Caller,
  terms: Script['payment'],
): Promise<string> {
  // A scenario's customer is fictitious: no process may send them mail, nor a worker that takes the payment
  // over.
  const { customer_email: _removed, ...order } = terms;
  const payment = { order_id: 'scenario', ...order, callback_url: RECEIVER_URL };
  return own.db.transaction(async (tx) => {
    const { text } = await createPayment({ ...own, db: tx }, adapters, caller, payment, null);
    const { id } = JSON.parse(text) as { id: string };
    await beginRun(tx, id);
    return id;
  });
}

/** Returns a generator of numbers in [0, 1) from a seed: mulberry32 over the first 32 bits of its SHA-256. */
function seededRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
