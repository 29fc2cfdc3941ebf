import { chainKey } from '../../chain/chain-key.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import type { ChainPage, Rates, Watch } from '../../chain/port.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { isUnavailable, run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { readOwners, type ChainScope } from '../transfers/store.ts';
import { applyPage, paymentsOfPage, readPage, WHOLE, type Part } from './apply-page.ts';
import { findFailing, type Failures } from './find-failing.ts';

/** How far a chain is read, and the head of then; a bigint, thus a string. */
interface Cursor {
  readonly cursor: string | null;
  readonly head: string;
}

const cursorOfChain = sql<Cursor, { chain: string }>(
  'chain_cursor',
  (p) => `SELECT cursor, head FROM chain_cursors WHERE chain = ${p.chain}`,
);
// The head is the chain's own, also where it is lower than before: a node that was wrong is corrected. Of two
// syncs that began at the same cursor and head one applies its page, so an older head replaces none.
const advanceCursor = sql<
  { chain: string },
  { chain: string; before: string | null; headBefore: string | null; after: string; head: number }
>(
  'advance_chain_cursor',
  (p) => `
    INSERT INTO chain_cursors (chain, cursor, head) VALUES (${p.chain}, ${p.after}, ${p.head})
    ON CONFLICT (chain) DO UPDATE SET
      cursor = excluded.cursor,
      head = excluded.head
      WHERE chain_cursors.cursor IS NOT DISTINCT FROM ${p.before}
        AND chain_cursors.head IS NOT DISTINCT FROM ${p.headBefore}::bigint
    RETURNING chain`,
);

/** The adapters that a sync uses. */
export type SyncAdapters = Pick<PaymentAdapters, 'chain' | 'rates' | 'modes' | 'networks' | 'isSimulated'>;

/** What is left of a network after a sync. */
export interface Synced {
  /**
   * There is more to read, or another sync was faster: the page that it applied may be older than this call.
   */
  readonly isBehind: boolean;
  /** The client asks for this time before it is asked again. */
  readonly waitSeconds: number | null;
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
  const scope: ChainScope = { network, testClock: ctx.testClock?.id ?? null, modes: adapters.modes };
  const chain = chainKey(network, scope.testClock);
  const known = await runOne(ctx.db, cursorOfChain, { chain });
  const before = known?.cursor ?? null;
  const polled = await adapters.chain(ctx).poll(network, before, watchOf(ctx, scope), now);
  const page = adapters.isSimulated ? polled : agreed(polled, network, known);
  const rates = page.transfers.length === 0 ? null : await ratesOf(ctx, adapters);
  const apply = async (tx: Tx, part: Part) => {
    // The cursor is updated first: syncs of one chain wait for each other here, and the loser finds it
    // advanced.
    const [advanced, read] = await pipelined(
      tx,
      () =>
        run(tx, advanceCursor, {
          chain,
          before,
          headBefore: known?.head ?? null,
          after: page.cursor,
          head: page.head,
        }),
      () => readPage(tx, scope, page),
    );
    return advanced.length === 0 ? null : applyPage(tx, scope, { read, rates }, now, part);
  };
  const applyWithout = async (error: unknown) => {
    if (isUnavailable(error)) throw error;
    const ids = await paymentsOfPage(ctx.db, scope, page);
    const failures = await findFailing(ctx.db, ids, (tx, only) => apply(tx, { ...WHOLE, only }));
    // None: another sync has applied the page, or the fault has ended; one of all payments fails again.
    const failing = new Set(failures.keys());
    const applied = await transact(ctx.db, (tx) => apply(tx, { ...WHOLE, failing }));
    if (applied !== null) reportFailures(ctx, network, failures);
    return applied;
  };
  const applied = await transact(ctx.db, (tx) => apply(tx, WHOLE)).catch(applyWithout);
  for (const { id, status, exceptions, tx_hash } of applied?.moved ?? [])
    ctx.log.info(`payment ${status}`, { payment_id: id, exceptions, network, tx_hash });
  const waitSeconds = typeof page.next === 'object' ? page.next.waitSeconds : null;
  return { isBehind: applied === null || (waitSeconds === null && applied.more), waitSeconds };
}

/**
 * Two polls must agree on what is final: a head that is too high once, or every other time, confirms nothing.
 */
function agreed(page: ChainPage, network: NetworkId, before: Cursor | null): ChainPage {
  const finalBefore = before === null ? -1 : Number(before.head) - NETWORKS[network].confirmations + 1;
  return { ...page, finalHeight: Math.min(page.finalHeight, finalBefore) };
}

const watchOf = (ctx: Context, scope: ChainScope): Watch => ({
  own: async (network, addresses) =>
    new Set((await readOwners(ctx.db, { ...scope, network }, addresses)).keys()),
});

/** Null: they are not to be had. Money at par goes on, and so does what a locked quote covers. */
async function ratesOf(ctx: Context, adapters: SyncAdapters): Promise<Rates | null> {
  return adapters.rates().catch((error: unknown) => {
    ctx.log.warn('market rates unavailable: transfers that need one are quarantined', {
      error: messageOf(error),
    });
    return null;
  });
}

function reportFailures(ctx: Context, network: NetworkId, failures: Failures): void {
  for (const [payment_id, error] of failures)
    ctx.log.error('transfers of a payment cannot be applied: quarantined, while its network goes on', {
      payment_id,
      network,
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
}
