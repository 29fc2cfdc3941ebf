import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Tx } from '../../../platform/postgres/db.ts';
import type { Ends } from './copy.ts';
import { deleteMerchant } from './delete.ts';
import { endNotes } from './early/notes.ts';
import { dropFence } from './fence.ts';
import { releaseJobs } from './hold-jobs.ts';
import { claim, holdRun, reopen, takenOver, takeTarget, type Run } from './runs.ts';
import { endMove, holdStep, MoveRefused, readMove, recordStep } from './steps.ts';

/** Ends a move that was not decided, whoever began it: the source goes on, and the target knows nothing. */
export async function takeBack(ends: Ends, move: Run): Promise<void> {
  await claim(ends.source, move);
  await letGo(ends, move);
}

/** Ends a move of this run. Throws MoveRefused where it is decided, or another run's. */
export async function letGo(ends: Ends, move: Run): Promise<void> {
  const { source } = ends;
  await reopen(source, move);
  await cleanUp(ends, move);
  await source.transaction(async (tx) => {
    await releaseJobs(tx, move.merchantId);
    if (!(await endMove(tx, move))) throw takenOver(move);
  });
}

/**
 * Takes away what runs before have left in both databases: fences, and rows that have come to the target.
 * Each transaction holds this run's row there, so that none comes behind the beginning of another one.
 */
export async function cleanUp({ source, target }: Ends, move: Run): Promise<void> {
  const holds = (tx: Tx) => holdRun(tx, move);
  if (await takeTarget(source, target, move)) {
    await deleteMerchant(target, { merchantId: move.merchantId, keeps: 'nothing', holds });
    await dropFence(target, move.merchantId, holds);
    if (!(await endMove(target, move))) throw takenOver(move);
  }
  await dropFence(source, move.merchantId, holds);
  await source.transaction(async (tx) => {
    await holds(tx);
    await endNotes(tx, move.merchantId);
  });
}

/** Longer than a web process keeps what it knows of a key. */
const KNOWN_MS = 11_000;

interface ForgetOptions {
  readonly knownMs?: number;
  readonly onProgress?: (rows: number, of: string) => void;
}

/**
 * Deletes what has moved in the source, once proxies lead nobody there any more. Its keys are refused there
 * for good; the fence stays until every web process knows that.
 */
export async function forgetMerchant(
  source: Db,
  merchantId: string,
  { knownMs = KNOWN_MS, onProgress = () => undefined }: ForgetOptions = {},
): Promise<void> {
  const before = await readMove(source, merchantId);
  if (before?.step !== 'arrived' && before?.step !== 'forgotten')
    throw new MoveRefused(`${merchantId} has not arrived in another cell`);
  // Not where it is on its way back here.
  const holds = (tx: Tx) => holdStep(tx, merchantId, ['arrived', 'forgotten']);
  await Promise.all([
    deleteMerchant(source, { merchantId, keeps: 'keys', holds, onProgress }),
    sleep(knownMs),
  ]);
  await dropFence(source, merchantId, holds);
  await recordStep(source, { merchantId, run: before.run }, 'forgotten');
}
