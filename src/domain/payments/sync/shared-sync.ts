import type { NetworkId } from '../../chain/networks.ts';
import { Batch } from '../../../platform/batch.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Db } from '../../../platform/postgres/db.ts';
import { syncNetwork, type SyncAdapters } from './sync-network.ts';

/** What a sync that many share is done with: that of any of its callers. */
interface Caller {
  readonly ctx: Context;
  readonly adapters: SyncAdapters;
}

/** Null: it has not failed. */
type Failure = { readonly error: unknown } | null;

/** By the network, and the modes whose payments a sync moves. */
type SyncsByKey = Map<string, Batch<Caller, Failure>>;

const syncsOf = new WeakMap<Db, SyncsByKey>();

/**
 * Syncs a network up to its head. Callers on a shared chain who come while a sync is under way share the next
 * one, which begins after all of them came and so reads all that the network saw before: as many batches that
 * each synced would wait for each other, and read nothing new. Throws what the sync throws.
 */
export async function syncToHead(ctx: Context, adapters: SyncAdapters, network: NetworkId): Promise<void> {
  if (ctx.testClock !== null) return sync({ ctx, adapters }, network);
  const byKey: SyncsByKey = syncsOf.get(ctx.db) ?? new Map();
  syncsOf.set(ctx.db, byKey);
  const key = `${network} ${adapters.modes.join()}`;
  const shared = byKey.get(key) ?? shareSyncs(network);
  byKey.set(key, shared);
  const failure = await shared.do({ ctx, adapters });
  if (failure !== null) throw failure.error;
}

function shareSyncs(network: NetworkId): Batch<Caller, Failure> {
  // A failure is a result: those who share a sync share it, and no sync is done again for each alone. Whoever
  // waits for the next one does so also when this one fails.
  const once = async (callers: readonly Caller[]): Promise<Failure[]> => {
    const [caller] = callers;
    if (caller === undefined) return [];
    const failure = await sync(caller, network).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    return callers.map(() => failure);
  };
  return new Batch(once, { size: Infinity, waiting: Infinity });
}

async function sync({ ctx, adapters }: Caller, network: NetworkId): Promise<void> {
  while (await syncNetwork(ctx, adapters, network));
}

const networksOfPayments = sql<{ network: NetworkId }, { paymentIds: readonly string[] }>(
  'networks_of_payments',
  (p) => `SELECT DISTINCT network FROM quotes WHERE payment_id = ANY (${p.paymentIds}) ORDER BY network`,
);

/**
 * Syncs, up to the head, every network that `adapters` reach on which a payment may have been paid. Returns
 * when it began.
 */
export async function syncNetworksOf(
  ctx: Context,
  adapters: SyncAdapters,
  paymentIds: readonly string[],
): Promise<Date> {
  const begun = ctx.now();
  for (const { network } of await run(ctx.db, networksOfPayments, { paymentIds }))
    if (adapters.networks.includes(network)) await syncToHead(ctx, adapters, network);
  return begun;
}
