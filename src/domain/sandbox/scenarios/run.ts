import { createHash } from 'node:crypto';
import { claimAfterwards, findReplay } from '../../idempotency/afterwards.ts';
import { replayOf } from '../../idempotency/claim.ts';
import { createPayment } from '../../payments/create.ts';
import { toResource } from '../../payments/schemas.ts';
import { readPayments } from '../../payments/lifecycle/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller, IdempotencyClaim, Reply } from '../../../platform/endpoint.ts';
import { ValidationError } from '../../../platform/errors.ts';
import { SILENT } from '../../../platform/log.ts';
import { FREEZE_SECONDS, runFrozen } from '../test-clock/freeze.ts';
import { discardPayment } from './discard.ts';
import type { Sandbox } from '../../adapters.ts';
import { simulateReceiver, type SimulatedReceiver } from './receiver.ts';
import type { ScenarioBody } from './schemas.ts';
import { withDeterministicIds } from './deterministic-ids.ts';
import { runScript } from './steps.ts';
import { STORIES } from './library.ts';
import { readHistory } from '../test-clock/history.ts';

/** Where every story begins, so that its times are the same each time that it is told. */
const BEGIN = '2026-01-01T00:00:00.000Z';
/** After the last step everything that is due still happens; the longest retries and windows end well within this. */
const EPILOGUE_SECONDS = 30 * 86_400;
/** A story's events go to the simulated receiver only; a name that no network resolves, in case that a worker ever takes one over. */
const RECEIVER_URL = 'https://receiver.sandbox.invalid/';

/**
 * Plays a script to its end on a payment of its own, in the payment's own time, and answers the whole story: transitions, events,
 * deliveries, and what the simulated receiver saw. The same script and seed give the same answer but for ids, and with
 * `ids: "stable"` those too. Throws ValidationError that names the step which cannot be played; nothing of the story is left then.
 */
export async function runScenario(
  ctx: Context,
  caller: Caller,
  { body, claim, sandbox }: { body: ScenarioBody; claim: IdempotencyClaim | null; sandbox: Sandbox },
): Promise<Reply> {
  const earlier = await findReplay(ctx.db, claim);
  if (earlier !== null) return earlier;
  const { id, answer } = await play(ctx, caller, body, sandbox);
  if (claim === null || (await claimAfterwards(ctx.db, claim, answer, ctx.now()))) return answer;
  // Another request with this key told its story first.
  await discardPayment(ctx.db, id);
  return replayOf(ctx.db, claim);
}

async function play(
  ctx: Context,
  caller: Caller,
  body: ScenarioBody,
  sandbox: Sandbox,
): Promise<{ id: string; answer: Reply }> {
  const { terms, script } = scriptOf(body);
  const { seed = 'seed' } = body;
  const begin = new Date(BEGIN);
  let random = seededRandom(seed);
  const clock = {
    offsetMs: begin.getTime() - ctx.systemNow().getTime(),
    frozenUntil: addSeconds(ctx.systemNow(), FREEZE_SECONDS),
  };
  const stage: Context = {
    ...ctx,
    // What a story makes fail on purpose must not wake anybody.
    log: SILENT,
    config: { ...ctx.config, autopaySeconds: null },
    random: () => random(),
    now: () => begin,
    testClock: { ...clock, id: '' },
  };
  // A story's customer is made up, and nobody is sent mail about it: not here, and not by a worker that takes the story over.
  const { customer_email: _nobody, ...order } = terms;
  const { text } = await createPayment(
    stage,
    caller,
    { order_id: 'scenario', ...order, callback_url: RECEIVER_URL },
    null,
  );
  const { id } = JSON.parse(text) as { id: string };
  let time = () => begin;
  const receiver = simulateReceiver(() => time());
  const director = { refusesConversion: false, seed: (next: string) => void (random = seededRandom(next)) };
  const handlers = sandbox.handlersFor({
    exchange: receiver,
    conversions: { convert: () => Promise.resolve(director.refusesConversion ? 'refused' : 'converted') },
    receiver: RECEIVER_URL,
  });
  const told = runFrozen(stage, { ...clock, id }, handlers, async (frozen) => {
    time = frozen.ctx.now;
    await runScript({ frozen, caller, id, receiver, director }, begin, script);
    await frozen.advanceTo(addSeconds(frozen.ctx.now(), EPILOGUE_SECONDS));
    const story = await reportRun(frozen.ctx, id, receiver);
    return withDeterministicIds(ctx.db, id, JSON.stringify(story), seed, body.ids === 'stable');
  });
  try {
    const answer = { status: 200, text: await told };
    ctx.log.info('scenario played', { payment_id: id, merchant_id: caller.merchantId });
    return { id, answer };
  } catch (error) {
    await discardPayment(ctx.db, id);
    throw error;
  }
}

/** A story by its name, or the request's own. Throws ValidationError when it is neither or both. */
function scriptOf({ story, payment, script }: ScenarioBody) {
  if (story !== undefined && script === undefined && payment === undefined) {
    const told = STORIES[story];
    return { terms: told.payment, script: told.script };
  }
  if (story !== undefined)
    throw new ValidationError('story', 'not', 'cannot be combined with payment or script');
  if (payment === undefined) throw new ValidationError('payment', 'required', 'is required without a story');
  if (script === undefined) throw new ValidationError('script', 'required', 'is required without a story');
  return { terms: payment, script };
}

/** The whole story, in the payment's own times. */
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

/** A sequence of numbers in [0, 1) that follows from the seed: mulberry32 over the first 32 bits of its SHA-256. */
function seededRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
