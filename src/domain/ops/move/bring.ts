import type { Context } from '../../../platform/context.ts';
import type { Db, Tx } from '../../../platform/postgres/db.ts';
import { assertMovable, assertFree } from './checks/preflight.ts';
import { copyRest, CopyDiffers, type Ends } from './copy.ts';
import { deleteMerchant } from './delete.ts';
import { copyEarly } from './early/copy-early.ts';
import { goOnNoting } from './early/notes.ts';
import { raiseFence } from './fence.ts';
import { drainMerchant, freezeJobs } from './hold-jobs.ts';
import { ask } from './tables/rows.ts';
import { beginArriving, claim, holdRun, takenOver, type Run } from './runs.ts';
import { decide, MARGIN_SECONDS, MoveRefused, stopFor } from './steps.ts';
import { cleanUp, letGo } from './take-back.ts';

/** The longest that writes of a merchant are refused by a move that is not decided. */
const STOP_SECONDS = 30;
/**
 * How long its jobs rest before that, while deliveries that are under way end: their deadline, and a margin.
 */
const REST_SECONDS = 60;
const DRAIN_SECONDS = 40;
/** Of the 30 s; the others are for the rows. */
const LATE_DRAIN_SECONDS = 8;
/** From the stop on; later than that nothing is decided, so writes are not refused any longer. */
const COPY_SECONDS = STOP_SECONDS - MARGIN_SECONDS;

const tooMany = (rows: number) =>
  new MoveRefused(`${rows} rows took too long: writes may be refused for ${STOP_SECONDS} s`);

export interface MoveOrder {
  readonly merchantId: string;
  readonly cell: string;
  /** Writes down in the source that the merchant moves, for its people. */
  readonly announce: () => Promise<void>;
  /** Leads keys and tokens of the merchant to the target; again it changes nothing. */
  readonly switchRoutes: () => Promise<void>;
  /** Waited for while writes go on, and not in the stop. */
  readonly onProgress?: (rows: number, of: string) => void | Promise<void>;
}

/**
 * Brings the rows into the target. Behind it the source refuses for good; where it throws, all is as before.
 */
export async function bring(
  ctx: Context,
  ends: Ends,
  order: MoveOrder,
  run: string,
): Promise<{ rows: number; stoppedAt: number }> {
  const { source, target } = ends;
  const { merchantId, cell } = order;
  const move = { merchantId, cell, run, now: ctx.systemNow() };
  await claim(source, move);
  try {
    await cleanUp(ends, move);
    await assertMovable(ctx, ends, merchantId);
    await order.announce();
    // One that has left the target once comes back: what was kept to refuse its keys makes room for it.
    if (await beginArriving(source, target, move))
      await deleteMerchant(target, { merchantId, keeps: 'nothing', holds: (tx) => holdRun(tx, move) });
    // What a chain reports of its payments meanwhile is quarantined in the target, and applied when they have
    // arrived.
    for (const part of ['first', 'late'] as const)
      await raiseFence(target, merchantId, part, (tx) => holdRun(tx, move));
    const early = await copyEarly(ends, move, (copied, of) => order.onProgress?.(copied, of));
    await assertFree(ctx, ends, merchantId);
    await rest(source, move);
    const stoppedAt = performance.now();
    await stop(source, move);
    await goOnNoting(source, move);
    const late = await copyRest(ends, move, early.feed, (copied, of) => {
      if (performance.now() > stoppedAt + COPY_SECONDS * 1_000) throw tooMany(copied);
      void order.onProgress?.(copied, of);
    });
    const isDecided = await source.transaction(async (tx) => {
      if (!(await decide(tx, move))) return false;
      await freezeJobs(tx, merchantId);
      return true;
    });
    if (!isDecided) throw tooMany(late);
    return { rows: early.rows + late, stoppedAt };
  } catch (error) {
    await letGo(ends, move);
    if (error instanceof CopyDiffers) throw new MoveRefused(`The copy is not equal: ${error.message}`);
    throw error;
  }
}

/**
 * Lets the merchant's jobs rest while all else goes on: what is under way ends, deliveries to slow receivers
 * too.
 */
async function rest(source: Db, move: Run): Promise<void> {
  const [row] = await ask<{ until: string }>(
    source,
    `SELECT (clock_timestamp() + make_interval(secs => ${REST_SECONDS}))::text AS until`,
  );
  const deadlineMs = performance.now() + DRAIN_SECONDS * 1_000;
  if (await drainMerchant(source, move, { until: row?.until ?? '', deadlineMs })) return;
  throw new MoveRefused('Jobs of the merchant are still under way: a receiver may hang. Nothing is changed');
}

/** Refuses the merchant's writes: first what begins something, and, when no job is under way, the rest. */
async function stop(source: Db, move: Run): Promise<void> {
  const { merchantId } = move;
  const holds = (tx: Tx) => holdRun(tx, move);
  const until = await stopFor(source, move, STOP_SECONDS);
  if (until === null) throw takenOver(move);
  await raiseFence(source, merchantId, 'first', holds);
  const deadlineMs = performance.now() + LATE_DRAIN_SECONDS * 1_000;
  if (!(await drainMerchant(source, move, { until, deadlineMs })))
    throw new MoveRefused('Jobs of the merchant are still under way. Nothing is changed');
  await raiseFence(source, merchantId, 'late', holds);
}
