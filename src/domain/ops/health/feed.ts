import type { Context } from '../../../platform/context.ts';
import { feedCheck, holderText, listFeedHolders } from '../../events/holders.ts';
import type { Check } from './monitor.ts';

const EVERY_MS = 10_000;

/**
 * Whether a transaction that does not end holds back the feed of all merchants. Who it is stands in the log,
 * for operators; the status is for merchants, too.
 */
export function feedHealth({ db, log }: Context): Check {
  return {
    name: 'feed',
    everyMs: EVERY_MS,
    async look() {
      const { heldSeconds, isLate } = await feedCheck(db);
      if (!isLate) return [];
      const holders = (await listFeedHolders(db)).map(holderText);
      log.warn('an open transaction holds the event feed back', { held_seconds: heldSeconds, holders });
      return [`an open transaction has held the event feed back for ${Math.round(heldSeconds)} s`];
    },
  };
}
