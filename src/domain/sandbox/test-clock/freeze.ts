import { followTestClock, nextJobOfTestClock } from '../../schedule/test-clock.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { testClockOf } from '../../payments/lifecycle/payment.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
import { addSeconds, type TestClock } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { ApiError } from '../../../platform/errors.ts';
import { isolatePayment, isolateJobs } from './isolate.ts';
import type { Handlers } from '../../adapters.ts';

/** After it the clock of a process that died is free again, and the relay does the world's work. Who lives renews it in time. */
export const FREEZE_SECONDS = 60;
/** More pieces of work than any honest payment has; a loop that feeds itself must not hold a request for ever. */
const MAX_STEPS = 20_000;
/** Work that is still there after so many tries is in other hands (a delivery that is just being posted): it is left to the relay. */
const MAX_TRIES = 20;

/** A world whose clock is held: `now` stands still until `wind` moves it. */
export interface FrozenClock {
  readonly ctx: Context;
  /** Moves the clock to `until`, and does on the way all that falls due, each piece at its own time. */
  advanceTo(until: Date): Promise<void>;
  /** The same, but for what falls due at `until` itself. */
  advanceUpTo(until: Date): Promise<void>;
}

/**
 * Holds a test payment's clock, which takes the payment into a world of its own, and gives it to `work`. Meanwhile no worker touches
 * the payment. Afterwards its time runs on from where `work` left it. Throws ApiError clock_held when somebody else holds it.
 */
export async function freezeClock<T>(
  ctx: Context,
  paymentId: string,
  handlers: Handlers,
  work: (frozen: FrozenClock) => Promise<T>,
): Promise<T> {
  const clock = await ctx.db.transaction((tx) => take(ctx, tx, paymentId, [...handlers.keys()]));
  return runFrozen(ctx, clock, handlers, work);
}

/** Gives a clock that the caller holds to `work`; afterwards the world's time runs on from where `work` left it. */
export async function runFrozen<T>(
  ctx: Context,
  held: TestClock,
  handlers: Handlers,
  work: (frozen: FrozenClock) => Promise<T>,
): Promise<T> {
  let clock = held;
  let time = new Date(ctx.systemNow().getTime() + clock.offsetMs);
  const frozen: Context = {
    ...ctx,
    now: () => time,
    get testClock() {
      return clock;
    },
  };
  const wind = async (lastDue: Date, until: Date) => {
    const tries = new Map<string, number>();
    const inOtherHands: string[] = [];
    for (let steps = 0; ; steps += 1) {
      if (steps > MAX_STEPS) throw new Error(`the work of ${clock.id} finds no end`);
      clock = await renewed(ctx, clock);
      const due = await nextJobOfTestClock(ctx.db, clock.id, lastDue, {
        first: syncChain, // What is decided at a moment knows the blocks of that moment, of every network.
        skipped: inOtherHands,
      });
      if (due === null) break;
      const name = `${due.job} ${due.key}`;
      const what = `${name} ${due.runAt.getTime()}`;
      tries.set(what, (tries.get(what) ?? 0) + 1);
      if ((tries.get(what) ?? 0) > MAX_TRIES) {
        inOtherHands.push(name);
        continue;
      }
      if (due.runAt > time) time = due.runAt;
      const handler = handlers.get(due.job);
      if (handler === undefined) throw new Error(`no handler for the job ${due.job}`);
      await handler.handle(frozen, [due.key]);
    }
    if (until > time) time = until;
  };
  try {
    return await work({
      ctx: frozen,
      advanceTo: (until) => wind(until, until),
      advanceUpTo: (until) => wind(new Date(until.getTime() - 1), until),
    });
  } finally {
    const offsetMs = time.getTime() - ctx.systemNow().getTime();
    await ctx.db.transaction(async (tx) => {
      await run(tx, resyncChains, [clock.id, syncChain.name, time]);
      await setClock(tx, clock, { ...clock, offsetMs, frozenUntil: null });
    });
  }
}

const updateClock = sql<{ id: string }>(
  'update_clock',
  `UPDATE payments SET test_clock = $1, clock_offset_ms = $2, clock_frozen_until = $3
   WHERE id = $1 AND clock_frozen_until IS NOT DISTINCT FROM $4 RETURNING id`,
);

// While the clock is held its chains are looked at when something happens there. From now on somebody may watch the blocks.
const resyncChains = sql(
  'look_at_chains_of_world',
  'UPDATE scheduled_jobs SET run_at = $3 WHERE test_clock = $1 AND job = $2 AND run_at > $3',
);

/** False, and nothing is done, when the clock is not any more as it was: it was held for too long, and somebody else has it. */
async function setClock(tx: Tx, before: TestClock, after: TestClock): Promise<boolean> {
  const { id, offsetMs, frozenUntil } = after;
  const set = await run(tx, updateClock, [id, offsetMs, frozenUntil, before.frozenUntil]);
  if (set.length > 0) await followTestClock(tx, after);
  return set.length > 0;
}

async function take(ctx: Context, tx: Tx, paymentId: string, jobs: readonly string[]): Promise<TestClock> {
  const [payment] = await lockPayments(tx, [paymentId]);
  if (payment === undefined) throw new ApiError('payment_not_found');
  const found = testClockOf(payment);
  if (found?.frozenUntil && found.frozenUntil > ctx.systemNow()) throw new ApiError('clock_held');
  const before = found ?? { id: paymentId, offsetMs: 0, frozenUntil: null };
  if (found === null) await isolatePayment(ctx, tx, payment);
  await isolateJobs(tx, paymentId, { jobs, systemNow: ctx.systemNow() });
  const clock = { ...before, frozenUntil: addSeconds(ctx.systemNow(), FREEZE_SECONDS) };
  await setClock(tx, before, clock);
  return clock;
}

/** The clock itself while most of its hold is left; else the same, held for longer. */
async function renewed(ctx: Context, clock: TestClock): Promise<TestClock> {
  const now = ctx.systemNow();
  if (clock.frozenUntil !== null && clock.frozenUntil > addSeconds(now, FREEZE_SECONDS / 2)) return clock;
  const longer = { ...clock, frozenUntil: addSeconds(now, FREEZE_SECONDS) };
  if (!(await ctx.db.transaction((tx) => setClock(tx, clock, longer)))) throw new ApiError('clock_held');
  return longer;
}
