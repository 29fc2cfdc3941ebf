import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../platform/postgres/db.ts';
import { deleteMerchant, type Ends } from './copy.ts';
import { dropFence } from './fence.ts';
import { releaseJobs } from './hold-jobs.ts';
import { beginTakingBack, endMove, MoveRefused, readMove, recordStep } from './steps.ts';

/** Ends a move that was not decided: the source goes on, and the target knows nothing but the log. */
export async function takeBack({ source, target }: Ends, merchantId: string): Promise<void> {
  const before = await readMove(source, merchantId);
  if (before !== null && !(await beginTakingBack(source, merchantId)))
    throw new MoveRefused(`${merchantId} is in ${before.cell} already: the way back is another move`);
  if ((await readMove(target, merchantId))?.step === 'arriving') {
    await deleteMerchant(target, merchantId, 'nothing');
    await endMove(target, merchantId);
  }
  await dropFence(target, merchantId);
  await source.transaction(async (tx) => {
    if (before !== null) await releaseJobs(tx, merchantId);
    await endMove(tx, merchantId);
  });
  await dropFence(source, merchantId);
}

/** Longer than a web process keeps what it knows of a key. */
const KNOWN_MS = 11_000;

/**
 * Deletes what has moved in the source, once proxies lead nobody there any more. Its keys are refused there
 * for good; the fence stays until every web process knows that.
 */
export async function forgetMerchant(source: Db, merchantId: string, knownMs = KNOWN_MS): Promise<void> {
  const before = await readMove(source, merchantId);
  if (before?.step !== 'arrived' && before?.step !== 'forgotten')
    throw new MoveRefused(`${merchantId} has not arrived in another cell`);
  await Promise.all([deleteMerchant(source, merchantId, 'keys'), sleep(knownMs)]);
  await dropFence(source, merchantId);
  await recordStep(source, merchantId, 'forgotten');
}
