import { createHash } from 'node:crypto';
import { findReplay } from '../../idempotency/afterwards.ts';
import { createPayment } from '../../payments/create.ts';
import { readPayments } from '../../payments/lifecycle/store.ts';
import { toResource } from '../../payments/schemas.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller, IdempotencyClaim, Reply } from '../../../platform/endpoint.ts';
import { ApiError } from '../../../platform/errors.ts';
import { SILENT } from '../../../platform/log.ts';
import type { Budget } from '../budgets/budget.ts';
import { FREEZE_SECONDS, runFrozen, type FrozenClock } from '../test-clock/freeze.ts';
import { readHistory } from '../test-clock/history.ts';
import type { Sandbox } from '../test-clock/sandbox.ts';
import { withDeterministicIds } from './deterministic-ids.ts';
import { discardPayments } from './discard.ts';
import { LIBRARY } from './library.ts';
import { simulateReceiver, type SimulatedReceiver } from './receiver.ts';
import { beginRun, endRun } from './scenario-runs.ts';
import type { ScenarioBody, Script } from './schemas.ts';
import { runScript } from './steps.ts';

/** When every scenario begins: its times are the same in each run. */
const BEGIN = '2026-01-01T00:00:00.000Z';
/**
 * How long jobs still run after the last step; the longest retry schedule and the late window end well within
 * it.
 */
const EPILOGUE_SECONDS = 30 * 86_400;
/**
 * A scenario's events go to the simulated receiver only; a worker that takes one over cannot resolve this
 * name.
 */
const RECEIVER_URL = 'https://receiver.sandbox.invalid/';

export interface ScenarioRequest {
  readonly body: ScenarioBody;
  readonly claim: IdempotencyClaim | null;
  /** What its jobs may spend; absent or null: as much as they need. */
  readonly budget?: Budget | null;
}

/**
 * Runs a script to its end on a new payment with a test clock, and returns everything that happened:
 * transitions, events, deliveries, and the requests that the simulated receiver got. The same script and seed
 * give the same reply except for ids, and with `ids: "stable"` those too. Throws ValidationError that names
 * the step which cannot be run, and what the budget throws; then nothing of the scenario remains.
 */
export async function runScenario(
  ctx: Context,
  sandbox: Sandbox,
  caller: Caller,
  { body, claim, budget = null }: ScenarioRequest,
): Promise<Reply> {
  const earlier = await findReplay(ctx.db, claim);
  if (earlier !== null) return earlier;
  const { terms, script } = scriptOf(body);
  const { seed = 'seed' } = body;
  const stage = setUp(ctx, sandbox, seed);
  const { own, begin, adapters, receiver } = stage;
  const id = await createPaymentOf(stage, caller, terms);
  const clock = { ...stage.clock, id };
  const work = async (frozen: FrozenClock): Promise<Reply> => {
    stage.enter(frozen);
    try {
      await runScript({ frozen, caller, id, adapters, receiver, control: stage.control }, begin, script);
      await frozen.advanceTo(addSeconds(frozen.ctx.now(), EPILOGUE_SECONDS));
      const report = JSON.stringify(await reportRun(frozen.ctx, id, receiver));
      const text = await withDeterministicIds(ctx.db, id, report, seed, body.ids === 'stable');
      const reply = { status: 200, text };
      const stored = await endRun(ctx.db, id, { claim, reply, systemNow: ctx.systemNow() });
      if (stored === reply)
        ctx.log.info('scenario played', { payment_id: id, merchant_id: caller.merchantId });
      // Another request with this key ran its scenario first.
      else await discardPayments(ctx.db, adapters.testChain(ctx), [id]);
      return stored;
    } catch (error) {
      // A worker that ran a job of the payment would write rows after this. So it happens while the clock is
      // frozen; what lost its freeze is left to the sweep.
      if (!hasLostFreeze(error)) await discardPayments(ctx.db, adapters.testChain(ctx), [id]);
      throw error;
    }
  };
  return runFrozen(own, { clock, now: begin }, sandbox.handlersFor(adapters), work, budget);
}

/** Whether the clock's freeze ended in the middle, because the process stood still for too long. */
function hasLostFreeze(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'unavailable' || error.code === 'clock_held');
}

/** Returns everything that a scenario runs with, whose clock is frozen before its payment is created. */
function setUp(ctx: Context, sandbox: Sandbox, seed: string) {
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
    config: { ...ctx.config, autopaySeconds: null },
    random: () => random(),
    now: () => begin,
    testClock: { ...clock, id: '' },
  };
  const receiver = simulateReceiver(() => now());
  const control = { refusesConversion: false, seed: (next: string) => void (random = seededRandom(next)) };
  const exchange = {
    convert: () => Promise.resolve(control.refusesConversion ? ('refused' as const) : ('converted' as const)),
  };
  const adapters = { ...sandbox.adapters, webhooks: receiver, exchange, receiver: RECEIVER_URL };
  const enter = (frozen: FrozenClock) => void (now = frozen.ctx.now);
  return { own, begin, clock, receiver, control, adapters, enter };
}

/** Creates the scenario's payment, together with the record that it runs, and returns its id. */
function createPaymentOf(
  { own, adapters }: ReturnType<typeof setUp>,
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

/**
 * Returns a library scenario by its name, or the request's own: the schema allows one of the two.
 */
function scriptOf({ story, payment, script }: ScenarioBody) {
  if (story !== undefined) {
    const scenario = LIBRARY[story];
    return { terms: scenario.payment, script: scenario.script };
  }
  if (payment === undefined || script === undefined)
    throw new TypeError('the schema lets a scenario without a story have both a payment and a script');
  return { terms: payment, script };
}

/** Returns everything that happened, in the time of the payment's test clock. */
async function reportRun(ctx: Context, id: string, receiver: SimulatedReceiver) {
  const [payment] = await readPayments(ctx.db, [id]);
  const { events, deliveries } = await readHistory(ctx.db, id);
  const statuses = events.map(({ data }) => (data as { checkout: { status: string } }).checkout.status);
  return {
    payment: payment && toResource(payment, ctx.config.publicUrl),
    transitions: events.map(({ timestamp, type, sequence }, i) => ({
      at: timestamp,
      sequence,
      from: statuses[i - 1] ?? null,
      to: statuses[i],
      event: type,
    })),
    events,
    deliveries,
    received: receiver.received,
  };
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
