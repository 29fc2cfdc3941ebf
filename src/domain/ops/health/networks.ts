import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { mostSecondsBehind } from '../../chain/networks.ts';
import { readLiveChains, type LiveChain } from '../chains.ts';
import type { Check } from './monitor.ts';

const EVERY_MS = 10_000;

/** Whether each real network that a watcher has read is read still. */
export function networksCheck({ db, systemNow }: Context): Check {
  return {
    name: 'networks',
    everyMs: EVERY_MS,
    async look() {
      return (await readLiveChains(db)).flatMap((chain) => faultOf(chain, systemNow()) ?? []);
    },
  };
}

/** Returns what is wrong with a network, in words for operators and merchants; null: nothing. */
export function faultOf({ network, halted_at, scanned_until }: LiveChain, now: Date): string | null {
  if (halted_at !== null) return `${network} has halted: an operator must look at it`;
  if (scanned_until === null) return `${network} is not read yet`;
  return scanned_until < addSeconds(now, -mostSecondsBehind(network))
    ? `${network} is not read: payments there are seen later`
    : null;
}
