import { setTimeout as sleep } from 'node:timers/promises';
import { liveChainKey } from '../../chain/chain-key.ts';
import { isProofOfWork, NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { ChainHalted } from '../../chain/port.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';
import { isUnavailable } from '../../../platform/postgres/db.ts';
import type { Leadership } from '../../../platform/postgres/leadership.ts';
import { declareChain, haltChain, isHalted } from './cursor.ts';
import { syncPage, type SyncAdapters } from './sync-network.ts';

/** Whoever does not lead asks again: a leader that was killed is followed within this time. */
const STANDBY_MS = 2_000;
/** An operator who resumes a network waits no longer for it to be read. */
const HALTED_MS = 2_000;
/** Another watcher was faster, which lasts as long as it believes to lead. */
const OVERTAKEN_MS = 200;
/**
 * A new block is asked for this often, and before one is due not at all: half of its webhooks arrive within a
 * second, of which the workers need some.
 */
const MOST_POLL_MS = 500;
const LEAST_POLL_MS = 200;
/** Where blocks come at random, and seldom, customers wait for what is seen in the pool. */
const POOL_POLL_MS = 5_000;
/** Where a second has several blocks, a poll reads some at once: it also asks for head and checkpoints. */
const FAST_POLL_MS = 1_000;
/** A poll that fails is tried again after 1 s, 2 s, 4 s ... */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** A real network that this process reads while it leads. */
export interface WatchedNetwork {
  readonly network: NetworkId;
  readonly adapters: SyncAdapters;
  readonly leadership: Pick<Leadership, 'hold' | 'end'>;
  /**
   * Called after a page that reaches the head, unless it is running still, and does what is due. It asks
   * providers, which may take long: no page waits for it.
   */
  readonly beside?: () => Promise<void>;
}

/** What a watcher remembers between its polls. */
export interface WatchState {
  leads: boolean;
  failures: number;
  /** What is done beside the pages; null: nothing. */
  beside: Promise<void> | null;
}

export const newWatchState = (): WatchState => ({ leads: false, failures: 0, beside: null });

/**
 * Reads a network until `signal` aborts, whenever this process leads; hands over at once at its end. Returns
 * what is under way beside then, in an object: it may take until the client is closed.
 */
export async function watchNetwork(
  ctx: Context,
  watched: WatchedNetwork,
  signal: AbortSignal,
): Promise<Pick<WatchState, 'beside'>> {
  const state = newWatchState();
  while (!signal.aborted) {
    const pauseMs = await watchOnce(ctx, watched, state);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  await watched.leadership.end();
  return state;
}

/** Applies one page of a network, if this process leads; returns after how long to come again. */
export async function watchOnce(ctx: Context, watched: WatchedNetwork, state: WatchState): Promise<number> {
  const { network, leadership } = watched;
  try {
    const leads = await leadership.hold();
    if (leads && !state.leads) {
      await declareChain(ctx.db, liveChainKey(network));
      ctx.log.info('network read from now on', { network });
    }
    if (state.leads && !leads) ctx.log.info('network read by another watcher', { network });
    state.leads = leads;
    if (!leads) return STANDBY_MS;
    if (await isHalted(ctx.db, liveChainKey(network))) return HALTED_MS;
    const pauseMs = await pollOnce(ctx, watched, state);
    state.failures = 0;
    return pauseMs;
  } catch (error) {
    state.failures += 1;
    const retryMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (state.failures - 1));
    ctx.log.warn(
      isUnavailable(error)
        ? 'network not read: Postgres unavailable, retrying'
        : 'network not read: its client failed, retrying',
      { network, failures: state.failures, retry_seconds: retryMs / 1_000, error: messageOf(error) },
    );
    return retryMs;
  }
}

async function pollOnce(
  ctx: Context,
  { network, adapters, beside }: WatchedNetwork,
  state: WatchState,
): Promise<number> {
  try {
    const { isBehind, isOvertaken, waitSeconds, headAt } = await syncPage(ctx, adapters, network);
    if (isOvertaken) return OVERTAKEN_MS;
    if (isBehind) return 0;
    if (waitSeconds !== null) return waitSeconds * 1_000;
    if (beside !== undefined)
      state.beside ??= beside()
        .catch((error: unknown) => {
          const fault = { network, ...faultOf(error) };
          ctx.log.warn('what is due beside the pages of a network failed, retrying', fault);
        })
        .finally(() => void (state.beside = null));
    return untilNextBlock(ctx, network, headAt);
  } catch (error) {
    if (!(error instanceof ChainHalted)) throw error;
    await haltChain(ctx.db, liveChainKey(network), error.message, ctx.now());
    ctx.log.error('network halted: nothing of it is read or confirmed until `ops chain resume`', {
      network,
      reason: error.message,
    });
    return HALTED_MS;
  }
}

/** A block comes its usual time after the one before, or later: until it is there it is asked for often. */
function untilNextBlock({ config, now }: Context, network: NetworkId, headAt: Date): number {
  const { blockSeconds } = NETWORKS[network];
  if (config.blockSeconds === null && blockSeconds < 1) return FAST_POLL_MS;
  const blockMs = (config.blockSeconds ?? blockSeconds) * 1_000;
  const dueInMs = headAt.getTime() + blockMs - now().getTime();
  const often = Math.min(MOST_POLL_MS, Math.max(LEAST_POLL_MS, blockMs / 4));
  const most = isProofOfWork(network) ? Math.min(POOL_POLL_MS, blockMs) : blockMs;
  return Math.min(most, Math.max(often, dueInMs));
}
