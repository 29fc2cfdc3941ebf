import { chainKey, liveChainKey } from '../../chain/chain-key.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { ChainPage, Watch } from '../../chain/port.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { isUnavailable, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { followPayouts } from '../refunds/by-merchant/follow.ts';
import { readWatched, recordPayoutTransfers } from '../refunds/by-merchant/payout-transfers.ts';
import type { ChainScope } from '../transfers/store.ts';
import { applyPage, paymentsOfPage, readPage, WHOLE, type Part } from './apply-page.ts';
import { advanceCursor, readCursor, type ChainCursor } from './cursor.ts';
import { findFailing, type Failures } from './find-failing.ts';
import { pricesOfPage, PricesUnread, unreadPrices } from './prices.ts';
import { readMined, readOwners, readStanding } from './standing.ts';

/** The adapters that a sync uses. */
export type SyncAdapters = Pick<PaymentAdapters, 'chain' | 'rates' | 'modes' | 'networks' | 'isSimulated'>;

/** What is left of a network after a sync. */
export interface Synced {
  /**
   * There is more to read, or another sync was faster: the page that it applied may be older than this call.
   */
  readonly isBehind: boolean;
  /** The page was not applied: another sync was faster, or the chain has halted. */
  readonly isOvertaken: boolean;
  /** The client asks for this time before it is asked again. */
  readonly waitSeconds: number | null;
  /** The time of the newest block. */
  readonly headAt: Date;
}

/** Syncs a network once, and returns whether to sync again at once. */
export async function syncNetwork(
  ctx: Context,
  adapters: SyncAdapters,
  network: NetworkId,
): Promise<boolean> {
  return (await syncPage(ctx, adapters, network)).isBehind;
}

/**
 * Syncs a network once: reads the changes of its transfers, outside any transaction, and then moves, in one
 * transaction and in sets, every payment that a change or the new head affects. Of two syncs with the same
 * page one applies it and the other does nothing.
 *
 * A page that cannot be applied for one of its payments is applied for the others, and what it reports of
 * that payment is quarantined. A fault of all payments, or of Postgres, quarantines nothing: the sync fails.
 */
export async function syncPage(ctx: Context, adapters: SyncAdapters, network: NetworkId): Promise<Synced> {
  const now = ctx.now();
  const isLive = !adapters.isSimulated;
  const { finality } = ctx.config;
  const testClock = ctx.testClock?.id ?? null;
  const scope: ChainScope = { network, testClock, isLive, finality, modes: adapters.modes };
  const chain = isLive ? liveChainKey(network) : chainKey(network, scope.testClock);
  const before = await readCursor(ctx.db, chain);
  const polled = await adapters.chain(ctx).poll(network, before?.cursor ?? null, watchOf(ctx, scope), now);
  const page = isLive ? agreed(polled, before) : polled;
  let pricesOf = unreadPrices;
  const apply = async (tx: Tx, part: Part) => {
    // The cursor is updated first: syncs of one chain wait for each other here, and the loser finds it
    // advanced.
    const [advanced, read] = await pipelined(
      tx,
      () => advanceCursor(tx, chain, before, polled, now),
      () => readPage(tx, scope, page),
    );
    if (!advanced) return null;
    if (isLive) await recordPayoutTransfers(tx, page.transfers);
    return applyPage(tx, scope, { read, pricesOf }, now, part);
  };
  const applyWithout = async (error: unknown) => {
    if (isUnavailable(error)) throw error;
    // What is quarantined keeps the prices of now.
    await price();
    const ids = await paymentsOfPage(ctx.db, scope, page);
    const failures = await findFailing(ctx.db, ids, (tx, only) => apply(tx, { ...WHOLE, only }));
    // None: another sync has applied the page, or the fault has ended; one of all payments fails again.
    const failing = new Set(failures.keys());
    const applied = await transact(ctx.db, (tx) => apply(tx, { ...WHOLE, failing }));
    if (applied !== null) reportFailures(ctx, network, failures);
    return applied;
  };
  const price = async () => {
    pricesOf = await pricesOfPage(ctx.db, adapters.rates, scope, page.transfers, now);
  };
  const applyPriced = async (error: unknown) => {
    if (!(error instanceof PricesUnread)) throw error;
    await price();
    return transact(ctx.db, (tx) => apply(tx, WHOLE));
  };
  const applied = await transact(ctx.db, (tx) => apply(tx, WHOLE))
    .catch(applyPriced)
    .catch(applyWithout);
  for (const { id, status, exceptions, tx_hash } of applied?.moved ?? [])
    ctx.log.info(`payment ${status}`, { payment_id: id, exceptions, network, tx_hash });
  // While there is more to read, a later page may report that a block was replaced.
  if (isLive && applied !== null && page.next === 'head')
    await followPayouts(ctx, { network, finalHeight: page.finalHeight });
  const waitSeconds = typeof page.next === 'object' ? page.next.waitSeconds : null;
  const isOvertaken = applied === null;
  const isBehind = isOvertaken || (waitSeconds === null && applied.more);
  return { isBehind, isOvertaken, waitSeconds, headAt: page.head.time };
}

/**
 * Two polls must agree on what is final: a head that is too high once, or every other time, confirms nothing.
 */
function agreed(page: ChainPage, before: ChainCursor | null): ChainPage {
  const least = (height: number, known: string | null | undefined) => Math.min(height, Number(known ?? -1));
  return {
    ...page,
    head: { ...page.head, height: least(page.head.height, before?.head) },
    finalHeight: least(page.finalHeight, before?.final_height),
    safeHeight: least(page.safeHeight, before?.safe_height),
  };
}

const watchOf = (ctx: Context, scope: ChainScope): Watch => ({
  own: async (network, addresses) =>
    scope.isLive
      ? readWatched(ctx.db, { ...scope, network }, addresses)
      : new Set((await readOwners(ctx.db, { ...scope, network }, addresses)).keys()),
  standing: (network, aboveHeight) => readStanding(ctx.db, network, aboveHeight),
  mined: (network, hashes, height) => readMined(ctx.db, network, hashes, height),
});

function reportFailures(ctx: Context, network: NetworkId, failures: Failures): void {
  for (const [payment_id, error] of failures)
    ctx.log.error('transfers of a payment cannot be applied: quarantined, while its network goes on', {
      payment_id,
      network,
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
}
