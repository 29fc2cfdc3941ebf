import { findReplay } from '../../idempotency/afterwards.ts';
import { readPayments } from '../../payments/lifecycle/store.ts';
import { toResource } from '../../payments/schemas.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller, IdempotencyClaim, Reply } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { isUnavailable } from '../../../platform/postgres/db.ts';
import { MergedTransactions } from '../../../platform/postgres/transactions/merged.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import type { Budget } from '../budgets/budget.ts';
import { runFrozen, type FrozenClock } from '../test-clock/freeze.ts';
import { readHistory } from '../test-clock/history.ts';
import type { Sandbox } from '../test-clock/sandbox.ts';
import { readIdentifiers, withDeterministicIds } from './deterministic-ids.ts';
import { discardPayments } from './discard.ts';
import { LIBRARY } from './library.ts';
import type { SimulatedReceiver } from './receiver.ts';
import { endRun } from './scenario-runs.ts';
import type { ScenarioBody } from './schemas.ts';
import { createPaymentOf, prepareRun } from './prepare.ts';
import { runScript } from './steps.ts';

/**
 * How long jobs still run after the last step; the longest retry schedule and the late window end well within
 * it.
 */
const EPILOGUE_SECONDS = 30 * 86_400;
/**
 * A scenario begins in one transaction, and goes on in those of its jobs when it is not over after this. Many
 * times what one of the library takes; the feed of all merchants waits for the transactions that are open.
 */
const MERGED_MS = 250;

export interface ScenarioRequest {
  readonly body: ScenarioBody;
  readonly claim: IdempotencyClaim | null;
  /** What its jobs may spend; absent or null: as much as they need. */
  readonly budget?: Budget | null;
  /** How long its transactions are one; default: MERGED_MS. */
  readonly mergedMs?: number;
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
  request: ScenarioRequest,
): Promise<Reply> {
  const earlier = await findReplay(ctx.db, request.claim);
  if (earlier !== null) return earlier;
  const merged = new MergedTransactions(ctx.db);
  try {
    const reply = await runPrepared({ ...ctx, db: merged.db }, sandbox, caller, request, merged);
    await merged.commit();
    return reply;
  } catch (error) {
    await merged.rollback(error);
    // A transaction that failed, as one of a payment whose transfers are then quarantined, has undone those
    // before it. They happen again, each by itself.
    if (!merged.isUndone || error instanceof ApiError || isUnavailable(error)) throw error;
    return runPrepared(ctx, sandbox, caller, request, null);
  }
}

/** Runs a scenario; null: each of its transactions by itself. */
async function runPrepared(
  ctx: Context,
  sandbox: Sandbox,
  caller: Caller,
  { body, claim, budget = null, mergedMs = MERGED_MS }: ScenarioRequest,
  merged: MergedTransactions | null,
): Promise<Reply> {
  const { terms, script } = scriptOf(body);
  const { seed = 'seed' } = body;
  const prepared = prepareRun(ctx, sandbox, body);
  const { own, begin, adapters, receiver } = prepared;
  const id = await createPaymentOf(prepared, caller, terms);
  const clock = { ...prepared.clock, id };
  const work = async (frozen: FrozenClock): Promise<Reply> => {
    prepared.enter(frozen);
    try {
      await runScript({ frozen, caller, id, adapters, receiver, control: prepared.control }, begin, script);
      await frozen.advanceTo(addSeconds(frozen.ctx.now(), EPILOGUE_SECONDS));
      const [report, identifiers] = await pipelined(
        ctx.db,
        () => reportRun(frozen.ctx, id, receiver),
        () => readIdentifiers(ctx.db, id),
      );
      const options = { seed, idsToo: body.ids === 'stable' };
      const text = withDeterministicIds(JSON.stringify(report), identifiers, options);
      const reply = { status: 200, text };
      const stored = await endRun(ctx.db, id, { claim, reply, systemNow: ctx.systemNow() });
      if (stored === reply) ctx.log.info('scenario run', { payment_id: id, merchant_id: caller.merchantId });
      // Another request with this key ran its scenario first.
      else await discardPayments(ctx.db, adapters.testChain(ctx), [id]);
      return stored;
    } catch (error) {
      // What follows, which ends the freeze, finds no payment then.
      if ((await merged?.rollback(error)) === true) throw error;
      // A worker that ran a job of the payment would write rows after this. So it happens while the clock is
      // frozen; what lost its freeze is left to the sweep.
      if (!hasLostFreeze(error)) await discardPayments(ctx.db, adapters.testChain(ctx), [id]);
      throw error;
    }
  };
  const spending = merged === null ? budget : endingMerge(merged, budget, mergedMs);
  return runFrozen(own, { clock, now: begin }, sandbox.handlersFor(adapters), work, spending);
}

/** Returns a budget that lets the transactions of a scenario be one for `mergedMs` only. */
function endingMerge(merged: MergedTransactions, budget: Budget | null, mergedMs: number): Budget {
  const endsAt = performance.now() + mergedMs;
  return {
    async spend(at) {
      if (merged.isOpen && performance.now() >= endsAt) await merged.commit();
      await budget?.spend(at);
    },
  };
}

/** Whether the clock's freeze ended in the middle, because the process stood still for too long. */
function hasLostFreeze(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'unavailable' || error.code === 'clock_held');
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
  const [[payment], { events, deliveries }] = await pipelined(
    ctx.db,
    () => readPayments(ctx.db, [id]),
    () => readHistory(ctx.db, id),
  );
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
