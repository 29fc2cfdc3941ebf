import { createHash } from 'node:crypto';
import { claimAfterwards, findReplay } from '../../idempotency/afterwards.ts';
import { replayOf } from '../../idempotency/claim.ts';
import { createPayment } from '../../payments/create.ts';
import { readPayments } from '../../payments/lifecycle/store.ts';
import { toResource } from '../../payments/schemas.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller, IdempotencyClaim, Reply } from '../../../platform/endpoint.ts';
import { ValidationError } from '../../../platform/errors.ts';
import { SILENT } from '../../../platform/log.ts';
import { FREEZE_SECONDS, runFrozen } from '../test-clock/freeze.ts';
import { readHistory } from '../test-clock/history.ts';
import type { Sandbox } from '../test-clock/sandbox.ts';
import { withDeterministicIds } from './deterministic-ids.ts';
import { discardPayment } from './discard.ts';
import { LIBRARY } from './library.ts';
import { simulateReceiver, type SimulatedReceiver } from './receiver.ts';
import type { ScenarioBody } from './schemas.ts';
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

/**
 * Runs a script to its end on a new payment with a test clock, and returns everything that happened:
 * transitions, events, deliveries, and the requests that the simulated receiver got. The same script and seed
 * give the same reply except for ids, and with `ids: "stable"` those too. Throws ValidationError that names
 * the step which cannot be run; then nothing of the scenario remains.
 */
export async function runScenario(
  ctx: Context,
  sandbox: Sandbox,
  caller: Caller,
  { body, claim }: { body: ScenarioBody; claim: IdempotencyClaim | null },
): Promise<Reply> {
  const earlier = await findReplay(ctx.db, claim);
  if (earlier !== null) return earlier;
  const { id, played } = await execute(ctx, sandbox, caller, body);
  if (claim === null || (await claimAfterwards(ctx.db, claim, played, ctx.now()))) return played;
  // Another request with this key ran its scenario first.
  await discardPayment(ctx.db, sandbox.adapters.testChain(ctx), id);
  return replayOf(ctx.db, claim);
}

async function execute(
  ctx: Context,
  sandbox: Sandbox,
  caller: Caller,
  body: ScenarioBody,
): Promise<{ id: string; played: Reply }> {
  const { terms, script } = scriptOf(body);
  const { seed = 'seed' } = body;
  const begin = new Date(BEGIN);
  let random = seededRandom(seed);
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
  let now = () => begin;
  const receiver = simulateReceiver(() => now());
  const control = { refusesConversion: false, seed: (next: string) => void (random = seededRandom(next)) };
  const adapters = {
    ...sandbox.adapters,
    webhooks: receiver,
    exchange: {
      convert: () =>
        Promise.resolve(control.refusesConversion ? ('refused' as const) : ('converted' as const)),
    },
    receiver: RECEIVER_URL,
  };
  // A scenario's customer is fictitious: no process may send them mail, nor a worker that takes the payment
  // over.
  const { customer_email: _removed, ...order } = terms;
  const payment = { order_id: 'scenario', ...order, callback_url: RECEIVER_URL };
  const { text } = await createPayment(own, adapters, caller, payment, null);
  const { id } = JSON.parse(text) as { id: string };
  // The clock is frozen since before the payment was created, however long that took.
  const atBegin = { clock: { ...clock, id }, now: begin };
  const run = runFrozen(own, atBegin, sandbox.handlersFor(adapters), async (frozen) => {
    now = frozen.ctx.now;
    await runScript({ frozen, caller, id, adapters, receiver, control }, begin, script);
    await frozen.advanceTo(addSeconds(frozen.ctx.now(), EPILOGUE_SECONDS));
    const report = await reportRun(frozen.ctx, id, receiver);
    return withDeterministicIds(ctx.db, id, JSON.stringify(report), seed, body.ids === 'stable');
  });
  try {
    const played = { status: 200, text: await run };
    ctx.log.info('scenario played', { payment_id: id, merchant_id: caller.merchantId });
    return { id, played };
  } catch (error) {
    await discardPayment(ctx.db, adapters.testChain(ctx), id);
    throw error;
  }
}

/**
 * Returns a library scenario by its name, or the request's own. Throws ValidationError for neither or both.
 */
function scriptOf({ story, payment, script }: ScenarioBody) {
  if (story !== undefined && script === undefined && payment === undefined) {
    const scenario = LIBRARY[story];
    return { terms: scenario.payment, script: scenario.script };
  }
  if (story !== undefined)
    throw new ValidationError('story', 'not', 'cannot be combined with payment or script');
  if (payment === undefined) throw new ValidationError('payment', 'required', 'is required without a story');
  if (script === undefined) throw new ValidationError('script', 'required', 'is required without a story');
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
