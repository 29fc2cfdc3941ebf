import { addSeconds } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { isProofOfWork, type NetworkId } from '../../chain/networks.ts';
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

const FAULTS = {
  halted: 'has halted: an operator must look at it',
  new: 'is not read yet',
  unread: 'is not read: payments there are seen later',
} as const;
/** `halted`: until an operator lets it be read on; `new`: no watcher has read it. */
export type NetworkFault = keyof typeof FAULTS;

/** Returns what is wrong with a network, in words for operators and merchants; null: nothing. */
export function faultOf(config: Pick<Config, 'chainProfile'>, chain: LiveChain, now: Date): string | null {
  const fault = networkFault(config, chain, now);
  return fault === null ? null : `${chain.network} ${FAULTS[fault]}`;
}

function networkFault(
  config: Pick<Config, 'chainProfile'>,
  { network, halted_at, scanned_until, read_at }: LiveChain,
  now: Date,
): NetworkFault | null {
  if (halted_at !== null) return 'halted';
  if (scanned_until === null) return 'new';
  const isUnread =
    isProofOfWork(network) && read_at !== null && read_at < addSeconds(now, -MOST_UNREAD_SECONDS);
  return isUnread || scanned_until < addSeconds(now, -mostSecondsBehind(config, network)) ? 'unread' : null;
}

/** Returns those of the networks that no watcher reads now, and why. */
export async function findUnread(
  { db, config, systemNow }: Pick<Context, 'db' | 'config' | 'systemNow'>,
  networks: readonly NetworkId[],
): Promise<{ network: NetworkId; fault: NetworkFault }[]> {
  const chains = await readLiveChains(db);
  return networks.flatMap((network) => {
    const chain = chains.find((one) => one.network === network);
    const fault = chain === undefined ? 'new' : networkFault(config, chain, systemNow());
    return fault === null ? [] : [{ network, fault }];
  });
}
