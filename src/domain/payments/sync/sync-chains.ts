import { isNetwork, NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { finish, reschedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { syncChain } from '../lifecycle/jobs.ts';
import type { AdaptersByMode } from '../lifecycle/ports.ts';
import { blocksToWait, hasUnconfirmed } from '../transfers/confirm.ts';
import { syncPage, type SyncAdapters } from './sync-network.ts';

/** The simulated chains. */
type ChainAdapters = SyncAdapters & Pick<AdaptersByMode, 'testChain'>;

/** A network is polled once per block, within these bounds, so that a transfer is seen soon. */
const SLOWEST_POLL_SECONDS = 5;
const FASTEST_POLL_SECONDS = 0.2;
/**
 * A simulated network without an unconfirmed transfer is polled as seldom: whoever sends one there schedules
 * its sync. All such networks are polled at the same moment, by one run.
 */
const QUIET_POLL_SECONDS = 60;

/**
 * Syncs each chain, and again at its next block, or at once while there is more to read. The key is a
 * network, which is synced for ever, or the chain of an isolated payment, which is synced while a transfer
 * there is unconfirmed.
 */
export async function syncChains(
  ctx: Context,
  adapters: ChainAdapters,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    const [network = ''] = key.split('/', 1);
    if (!isNetwork(network)) continue;
    const startedAt = ctx.now();
    const { isBehind, waitSeconds } = await syncPage(ctx, adapters, network);
    const runAt = isBehind
      ? ctx.now()
      : waitSeconds === null
        ? await nextSyncAt(ctx, adapters, network)
        : addSeconds(ctx.now(), waitSeconds);
    if (runAt === null) await finish(ctx.db, syncChain, [key], startedAt);
    else await reschedule(ctx.db, syncChain, key, { startedAt, runAt, testClock: ctx.testClock });
  }
}

const NOT_ASKED = Promise.resolve(null);

/**
 * While a clock is frozen, blocks without effect are skipped: the next sync is at the next change of a
 * transfer.
 */
async function nextSyncAt(
  ctx: Context,
  { testChain, isSimulated }: ChainAdapters,
  network: NetworkId,
): Promise<Date | null> {
  const blockSeconds = ctx.config.blockSeconds ?? NETWORKS[network].blockSeconds;
  const pollSeconds = Math.min(SLOWEST_POLL_SECONDS, Math.max(FASTEST_POLL_SECONDS, blockSeconds));
  const soon = addSeconds(ctx.now(), pollSeconds);
  if (ctx.testClock === null)
    return isSimulated && !(await hasUnconfirmed(ctx.db, network)) ? nextQuietPoll(ctx.now()) : soon;
  const { id, frozenUntil } = ctx.testClock;
  const [blocks, timeOf] = await pipelined(
    ctx.db,
    () => blocksToWait(ctx.db, id, network),
    () => (frozenUntil === null ? NOT_ASKED : testChain(ctx).blockTimes(network)),
  );
  if (blocks === null) return null;
  if (frozenUntil !== null) return timeOf?.(blocks) ?? soon;
  return addSeconds(ctx.now(), Math.min(pollSeconds, blocks * blockSeconds));
}

function nextQuietPoll(now: Date): Date {
  const everyMs = QUIET_POLL_SECONDS * 1000;
  return new Date((Math.floor(now.getTime() / everyMs) + 1) * everyMs);
}
