import { endHolds, syncChain } from '../../payments/lifecycle/jobs.ts';
import { testClockOf } from '../../payments/lifecycle/payment.ts';
import { lockPayment } from '../../payments/lifecycle/store.ts';
import { followTestClock, nextJobOfTestClock } from '../../schedule/test-clock.ts';
import { addSeconds, type TestClock } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { ApiError } from '../../api/errors.ts';
import type { Handlers } from '../../schedule/job.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import type { Budget } from '../budgets/budget.ts';
import { isolateJobs, isolatePayment } from './isolate.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * The freeze of a process that died ends after this, and workers take over its jobs. A live process renews
 * it.
 */
export const FREEZE_SECONDS = 60;
/**
 * More jobs than any real payment has; jobs that schedule each other without end must not block a request.
 */
const MAX_STEPS = 20_000;
/** After so many tries a job is another worker's (a delivery in flight): workers take it over. */
const MAX_TRIES = 20;
/** At one moment: blocks, which decisions must know, then holds that end, which the next quote must know. */
const FIRST = [syncChain, endHolds];

/** A frozen test clock: `now` of its context changes only when the clock is advanced. */
export interface FrozenClock {
  readonly ctx: Context;
  /** Advances the clock to `until`, and runs every job that becomes due, each at its own time. */
  advanceTo(until: Date): Promise<void>;
  /** The same, without the jobs that are due at `until` itself. */
  advanceUpTo(until: Date): Promise<void>;
}

/**
 * Freezes a test payment's clock, which isolates the payment, and passes it to `work`. Meanwhile no worker
 * changes the payment. Afterwards the clock runs on from the time that `work` advanced it to. Throws ApiError
 * clock_held when another request has frozen it.
 */
export async function freezeClock<T>(
  ctx: Context,
  sandbox: Sandbox,
  paymentId: string,
  work: (frozen: FrozenClock) => Promise<T>,
  budget: Budget | null = null,
): Promise<T> {
  const handlers = sandbox.handlersFor(sandbox.adapters);
  const frozen = await ctx.db.transaction((tx) => freeze(ctx, tx, sandbox, paymentId, [...handlers.keys()]));
  return runFrozen(ctx, frozen, handlers, work, budget);
}

/**
 * A test clock that was frozen, and its time at that moment: the system clock runs on, and must not be read
 * again.
 */
export interface Frozen {
  readonly clock: TestClock;
  readonly now: Date;
}

/**
 * Passes a clock that the caller has frozen to `work`; afterwards it runs on from the time it was advanced
 * to. `budget` is asked before each job; null: the jobs may spend what they need.
 */
export async function runFrozen<T>(
  ctx: Context,
  frozen: Frozen,
  handlers: Handlers,
  work: (frozen: FrozenClock) => Promise<T>,
  budget: Budget | null = null,
): Promise<T> {
  let { clock, now: time } = frozen;
  const own: Context = {
    ...ctx,
    now: () => time,
    get testClock() {
      return clock;
    },
  };
  const advance = async (lastDue: Date, until: Date) => {
    const tries = new Map<string, number>();
    const skipped: string[] = [];
    for (let steps = 0; ; steps += 1) {
      if (steps > MAX_STEPS)
        throw new Error(`test clock ${clock.id} stopped: more than ${MAX_STEPS} jobs became due`);
      clock = await renewed(ctx, clock);
      const due = await nextJobOfTestClock(ctx.db, clock.id, lastDue, { first: FIRST, skipped });
      if (due === null) break;
      await budget?.spend({ connection: ctx.db, paymentId: clock.id, now: time });
      const name = `${due.job} ${due.key}`;
      const attempt = `${name} ${due.runAt.getTime()}`;
      const tried = (tries.get(attempt) ?? 0) + 1;
      tries.set(attempt, tried);
      if (tried > MAX_TRIES) {
        skipped.push(name);
        continue;
      }
      if (due.runAt > time) time = due.runAt;
      const handler = handlers.get(due.job);
      if (handler === undefined) throw new Error(`job ${due.job} has no handler`);
      await handler.handle(own, [due.key]);
    }
    if (until > time) time = until;
  };
  try {
    const result = await work({
      ctx: own,
      advanceTo: (until) => advance(until, until),
      advanceUpTo: (until) => advance(new Date(until.getTime() - 1), until),
    });
    clock = await renewed(ctx, clock);
    return result;
  } finally {
    const offsetMs = time.getTime() - ctx.systemNow().getTime();
    await ctx.db.transaction((tx) =>
      setClock(tx, clock, { ...clock, offsetMs, frozenUntil: null }, () =>
        run(tx, resyncChains, { testClock: clock.id, job: syncChain.name, now: time }),
      ),
    );
  }
}

interface ClockUpdate {
  readonly id: string;
  readonly offsetMs: number;
  readonly frozenUntil: Date | null;
  /** The previous `frozenUntil`. */
  readonly before: Date | null;
}

const updateClock = sql<{ id: string }, ClockUpdate>(
  'update_clock',
  (p) => `
    UPDATE payments
    SET test_clock = ${p.id}, clock_offset_ms = ${p.offsetMs}, clock_frozen_until = ${p.frozenUntil}
    WHERE id = ${p.id} AND clock_frozen_until IS NOT DISTINCT FROM ${p.before}
    RETURNING id`,
);

// A frozen clock's chains are synced only when a transfer changes. A running clock's are synced with each
// block.
const resyncChains = sql<never, { testClock: string; job: string; now: Date }>(
  'resync_chains_of_test_clock',
  (p) => `
    UPDATE scheduled_jobs SET run_at = ${p.now}
    WHERE test_clock = ${p.testClock} AND job = ${p.job} AND run_at > ${p.now}`,
);

/**
 * Returns false, without a change, when the clock has changed since: the freeze expired and another request
 * has it. `alsoMove` moves jobs of the clock. The payment is locked first and its jobs then, as everybody
 * does: a transfer that a customer sends meanwhile would wait for a job, and this for the payment, for ever.
 */
async function setClock(
  tx: Tx,
  before: TestClock,
  after: TestClock,
  alsoMove: () => Promise<unknown> = () => Promise.resolve(),
): Promise<boolean> {
  const set = await run(tx, updateClock, { ...after, before: before.frozenUntil });
  if (set.length === 0) return false;
  await alsoMove();
  await followTestClock(tx, after);
  return true;
}

async function freeze(
  ctx: Context,
  tx: Tx,
  { adapters }: Sandbox,
  paymentId: string,
  jobs: readonly string[],
): Promise<Frozen> {
  const payment = await lockPayment(tx, paymentId);
  const systemNow = ctx.systemNow();
  const found = testClockOf(payment);
  if (found?.frozenUntil && found.frozenUntil > systemNow) throw new ApiError('clock_held');
  const before = found ?? { id: paymentId, offsetMs: 0, frozenUntil: null };
  if (found === null) await isolatePayment(ctx, tx, adapters.testChain(ctx), payment);
  await isolateJobs(tx, paymentId, { jobs, systemNow });
  const clock = { ...before, frozenUntil: addSeconds(systemNow, FREEZE_SECONDS) };
  await setClock(tx, before, clock);
  return { clock, now: new Date(systemNow.getTime() + clock.offsetMs) };
}

/**
 * Returns the clock while most of its freeze is left; else extends the freeze. Throws ApiError unavailable
 * when the freeze has ended meanwhile, because the process or its database stood still: workers may have run
 * jobs.
 */
async function renewed(ctx: Context, clock: TestClock): Promise<TestClock> {
  const now = ctx.systemNow();
  if (clock.frozenUntil !== null && clock.frozenUntil <= now) throw new ApiError('unavailable');
  if (clock.frozenUntil !== null && clock.frozenUntil > addSeconds(now, FREEZE_SECONDS / 2)) return clock;
  const longer = { ...clock, frozenUntil: addSeconds(now, FREEZE_SECONDS) };
  if (!(await ctx.db.transaction((tx) => setClock(tx, clock, longer)))) throw new ApiError('clock_held');
  return longer;
}
