import { randomUUID } from 'node:crypto';
import type { Step } from '../../moves/steps.ts';
import type { Context } from '../../../platform/context.ts';
import type { Db } from '../../../platform/postgres/db.ts';
import { bring, type MoveOrder } from './bring.ts';
import { assertEqual } from './checks/equal.ts';
import { endNotes } from './early/notes.ts';
import { dropFence } from './fence.ts';
import { releaseJobs } from './hold-jobs.ts';
import { holdRun, keepRun } from './runs.ts';
import { endMove, goOnArriving, MoveRefused, readMove, recordStep, type Decided } from './steps.ts';

export interface MoveReport {
  readonly step: Step;
  /** Null: a move that was interrupted has gone on. */
  readonly rows: number | null;
  /** For how long writes were refused. */
  readonly stopped_seconds: number | null;
}

/**
 * Moves a merchant to the target, or goes on with a move that was interrupted: each step is remembered in the
 * source when it is done, and changes nothing when it is done again. Until the rows are in the target, equal
 * to those of the source, every fault takes all back, and a process that is killed leaves a source that goes
 * on by itself within 60 s. Throws MoveRefused.
 */
export async function moveMerchant(ctx: Context, target: Db, order: MoveOrder): Promise<MoveReport> {
  const { merchantId, cell } = order;
  const ends = { source: ctx.db, target };
  const before = await readMove(ctx.db, merchantId);
  if (before?.step === 'arriving')
    throw new MoveRefused(
      `${merchantId} is still arriving here: give the command that brings it again first`,
    );
  if (before !== null && before.cell !== cell)
    throw new MoveRefused(`${merchantId} is moved to ${before.cell}, not to ${cell}`);
  const isDecided = before !== null && before.step !== 'announced';
  const move = { merchantId, run: isDecided ? before.run : randomUUID() };
  const brought = isDecided ? null : await bring(ctx, ends, order, move.run);
  const after = isDecided ? before.step : 'moved';
  if (after === 'moved') {
    // Interrupted behind its decision: before anybody is led to the target, the rows are compared again.
    if (isDecided) await assertEqual(ends, merchantId, order);
    await order.switchRoutes();
    await recordStep(ctx.db, move, 'switched');
  } else if (after === 'switched' && (await isArriving(target, move))) await order.switchRoutes();
  if (after === 'moved' || after === 'switched') {
    await goOn(target, move);
    await ctx.db.transaction(async (tx) => {
      // Not those of a later move.
      if (await keepRun(tx, move)) await endNotes(tx, merchantId);
    });
    await recordStep(ctx.db, move, 'arrived');
  }
  const seconds = brought === null ? null : Math.round((performance.now() - brought.stoppedAt) / 100) / 10;
  return {
    step: after === 'forgotten' ? after : 'arrived',
    rows: brought?.rows ?? null,
    stopped_seconds: seconds,
  };
}

/**
 * The merchant's work goes on in the target, and the fence there falls. The move's row is deleted behind
 * that: until then no way back begins, and what another move has raised is not this one's. A command that
 * comes late finds no row of its run.
 */
async function goOn(target: Db, move: Decided): Promise<void> {
  await target.transaction(async (tx) => {
    if (await goOnArriving(tx, move)) await releaseJobs(tx, move.merchantId);
  });
  if (!(await isArriving(target, move))) return;
  await dropFence(target, move.merchantId, (tx) => holdRun(tx, move));
  await endMove(target, move);
}

/** The target has this move's row: the merchant cannot have moved on from there. */
async function isArriving(target: Db, { merchantId, run }: Decided): Promise<boolean> {
  return (await readMove(target, merchantId))?.run === run;
}
