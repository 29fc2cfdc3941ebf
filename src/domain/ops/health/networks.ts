import { addSeconds } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { isProofOfWork } from '../../chain/networks.ts';
import { mostSecondsBehind } from '../../chain/profile.ts';
import { readLiveChains, type LiveChain } from '../chains.ts';
import type { Check } from './monitor.ts';

const EVERY_MS = 10_000;
/** Where blocks come at random, the pool is read every few seconds. */
const MOST_UNREAD_SECONDS = 60;

/** Whether each real network that a watcher has read is read still. */
export function networksCheck({ db, config, systemNow }: Context): Check {
  return {
    name: 'networks',
    everyMs: EVERY_MS,
    async look() {
      return (await readLiveChains(db)).flatMap((chain) => faultOf(config, chain, systemNow()) ?? []);
    },
  };
}

/** Returns what is wrong with a network, in words for operators and merchants; null: nothing. */
export function faultOf(config: Pick<Config, 'chainProfile'>, chain: LiveChain, now: Date): string | null {
  const { network, halted_at, scanned_until, read_at } = chain;
  if (halted_at !== null) return `${network} has halted: an operator must look at it`;
  if (scanned_until === null) return `${network} is not read yet`;
  const isUnread =
    isProofOfWork(network) && read_at !== null && read_at < addSeconds(now, -MOST_UNREAD_SECONDS);
  return isUnread || scanned_until < addSeconds(now, -mostSecondsBehind(config, network))
    ? `${network} is not read: payments there are seen later`
    : null;
}
