import type { NetworkId } from '../../chain/networks.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Db } from '../../../platform/postgres/db.ts';
import { syncNetwork, type SyncAdapters } from './sync-network.ts';

/** Runs of a network's sync in this process: the one under way, and the one that begins when it ends. */
interface Runs {
  running: Promise<void>;
  next: Promise<void> | null;
}

/** By the network, and the modes whose payments a sync moves. */
type RunsByKey = Map<string, Runs>;

const runsOf = new WeakMap<Db, RunsByKey>();

/**
 * Syncs a network up to its head. Callers on a shared chain who come while a sync is under way share the next
 * one, which begins after all of them came and so reads all that the network saw before: as many batches that
 * each synced would wait for each other, and read nothing new. Throws what the sync throws.
 */
export async function syncToHead(ctx: Context, adapters: SyncAdapters, network: NetworkId): Promise<void> {
  const sync = async () => {
    while (await syncNetwork(ctx, adapters, network));
  };
  if (ctx.testClock !== null) return sync();
  const byKey: RunsByKey = runsOf.get(ctx.db) ?? new Map();
  runsOf.set(ctx.db, byKey);
  const key = `${network} ${adapters.modes.join()}`;
  const known = byKey.get(key);
  if (known === undefined) return start(byKey, key, sync);
  known.next ??= known.running.then(() => start(byKey, key, sync));
  return known.next;
}

/** Begins a sync, which is under way until it ends; then the one that waits begins, if any. */
function start(byKey: RunsByKey, key: string, sync: () => Promise<void>): Promise<void> {
  const done = sync();
  const runs: Runs = { running: Promise.resolve(), next: null };
  // Whoever waits for the next one does so also when this one fails.
  runs.running = done
    .catch(() => undefined)
    .then(() => {
      if (runs.next === null) byKey.delete(key);
    });
  byKey.set(key, runs);
  return done;
}

const networksOfPayments = sql<{ network: NetworkId }, { paymentIds: readonly string[] }>(
  'networks_of_payments',
  (p) => `SELECT DISTINCT network FROM quotes WHERE payment_id = ANY (${p.paymentIds}) ORDER BY network`,
);

/** Syncs, up to the head, every network that `adapters` reach on which a payment may have been paid. */
export async function syncNetworksOf(
  ctx: Context,
  adapters: SyncAdapters,
  paymentIds: readonly string[],
): Promise<void> {
  for (const { network } of await run(ctx.db, networksOfPayments, { paymentIds }))
    if (adapters.networks.includes(network)) await syncToHead(ctx, adapters, network);
}
