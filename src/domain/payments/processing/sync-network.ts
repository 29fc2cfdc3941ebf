import { chainKey } from '../../chain/chain-key.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { isUnavailable, run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { together } from '../../../platform/postgres/transactions/together.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import type { ChainScope } from '../transfers/store.ts';
import { applyPage, paymentsOfPage, readPage, WHOLE, type Part } from './apply-page.ts';
import { findFailing, type Failures } from './find-failing.ts';

const cursorOfChain = sql<{ cursor: string | null }, { chain: string }>(
  'chain_cursor',
  (p) => `SELECT cursor FROM chain_cursors WHERE chain = ${p.chain}`,
);
const advanceCursor = sql<
  { chain: string },
  { chain: string; before: string | null; after: string; head: number }
>(
  'advance_chain_cursor',
  (p) => `
    INSERT INTO chain_cursors (chain, cursor, head) VALUES (${p.chain}, ${p.after}, ${p.head})
    ON CONFLICT (chain) DO UPDATE SET
      cursor = excluded.cursor,
      head = greatest(chain_cursors.head, excluded.head)
      WHERE chain_cursors.cursor IS NOT DISTINCT FROM ${p.before}
    RETURNING chain`,
);

/** The adapters that a sync uses. */
export type SyncAdapters = Pick<PaymentAdapters, 'chain' | 'rates' | 'modes' | 'networks'>;

/**
 * Syncs a network once: reads the changes of its transfers, outside any transaction, and then moves, in one
 * transaction and in sets, every payment that a change or the new head affects. Of two syncs with the same
 * page one applies it and the other does nothing. Returns whether to sync again at once, because there is
 * more to read, or because another sync was faster: the page that it applied may be older than this call.
 *
 * A page that cannot be applied for one of its payments is applied for the others, and what it reports of
 * that payment is set aside. A fault of all payments, or of Postgres, sets nothing aside: the sync fails.
 */
export async function syncNetwork(
  ctx: Context,
  adapters: SyncAdapters,
  network: NetworkId,
): Promise<boolean> {
  const now = ctx.now();
  const scope: ChainScope = { network, testClock: ctx.testClock?.id ?? null, modes: adapters.modes };
  const chain = chainKey(network, scope.testClock);
  const before = (await runOne(ctx.db, cursorOfChain, { chain }))?.cursor ?? null;
  const page = await adapters.chain(ctx).poll(network, before, now);
  const rates = await adapters.rates();
  const apply = async (tx: Tx, part: Part) => {
    // The cursor is updated first: syncs of one chain wait for each other here, and the loser finds it
    // advanced.
    const [advanced, read] = await together(
      tx,
      () => run(tx, advanceCursor, { chain, before, after: page.cursor, head: page.head }),
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
  return applied === null || applied.more;
}

function reportFailures(ctx: Context, network: NetworkId, failures: Failures): void {
  for (const [payment_id, error] of failures)
    ctx.log.error('transfers of a payment cannot be applied: set aside, while its network goes on', {
      payment_id,
      network,
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
}
