import { chainKey } from '../../chain/chain-key.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import type { ChainPage, Rates } from '../../chain/port.ts';
import type { Context } from '../../../platform/context.ts';
import { recordset, run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { postEntries, receivedEntries } from '../ledger/ledger.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { lockPayments } from '../lifecycle/store.ts';
import { transition } from '../lifecycle/transition.ts';
import { readPendingRefunds } from '../refunds/accept.ts';
import { acceptDueRefunds } from '../refunds/due.ts';
import { confirmUpTo } from '../transfers/confirm.ts';
import { confirmedInFull, decideTransition, type Decision } from '../transfers/decide.ts';
import { readTransfers, storeTransfers, type ChainScope, type TransferUpdate } from '../transfers/store.ts';

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
export type SyncAdapters = Pick<PaymentAdapters, 'chain' | 'rates'>;

/**
 * Syncs a network once: reads the changes of its transfers, outside any transaction, and then moves, in one
 * transaction and in sets, every payment that a change or the new head affects. Of two syncs with the same
 * page one applies it and the other does nothing. Returns whether to sync again at once, because there is
 * more to read, or because another sync was faster: the page that it applied may be older than this call.
 */
export async function syncNetwork(
  ctx: Context,
  adapters: SyncAdapters,
  network: NetworkId,
): Promise<boolean> {
  const now = ctx.now();
  const scope: ChainScope = { network, testClock: ctx.testClock?.id ?? null };
  const chain = chainKey(network, scope.testClock);
  const before = (await runOne(ctx.db, cursorOfChain, { chain }))?.cursor ?? null;
  const page = await adapters.chain(ctx).poll(network, before, now);
  const rates = await adapters.rates();
  const applied = await ctx.db.transaction(async (tx) => {
    // The cursor is updated first: syncs of one chain wait for each other here, and the loser finds it
    // advanced.
    const advanced = await run(tx, advanceCursor, { chain, before, after: page.cursor, head: page.head });
    return advanced.length === 0 ? null : applyPage(tx, scope, { page, rates }, now);
  });
  for (const { id, status, exceptions, tx_hash } of applied?.moved ?? [])
    ctx.log.info(`payment ${status}`, { payment_id: id, exceptions, network, tx_hash });
  return applied === null || applied.more;
}

const networksOfPayments = sql<{ network: NetworkId }, { paymentIds: readonly string[] }>(
  'networks_of_payments',
  (p) => `SELECT DISTINCT network FROM quotes WHERE payment_id = ANY (${p.paymentIds})`,
);

/** Syncs, up to the head, every network on which one of the payments may have been paid. */
export async function syncNetworksOf(
  ctx: Context,
  adapters: SyncAdapters,
  paymentIds: readonly string[],
): Promise<void> {
  for (const { network } of await run(ctx.db, networksOfPayments, { paymentIds }))
    while (await syncNetwork(ctx, adapters, network));
}

async function applyPage(
  tx: Tx,
  scope: ChainScope,
  { page, rates }: { page: ChainPage; rates: Rates },
  now: Date,
): Promise<{ moved: Payment[]; more: boolean }> {
  const updates = await storeTransfers(tx, scope, page.transfers, rates, now);
  // While there is more to read, a later page may report that a block was replaced: nothing confirms on this
  // page.
  const confirmedHeight = page.head - NETWORKS[scope.network].confirmations + 1;
  const confirmed = page.more ? null : await confirmUpTo(tx, scope, confirmedHeight, now);
  const more = confirmed?.more ?? true;
  const ids = [...new Set([...updates.map(({ paymentId }) => paymentId), ...(confirmed?.paymentIds ?? [])])];
  if (ids.length === 0) return { moved: [], more };
  const decisions = await decideAll(tx, ids, updates);
  const moved = await transition(
    tx,
    decisions.flatMap(({ request }) => request ?? []),
    now,
  );
  await recordMoney(
    tx,
    decisions.filter(({ request }) => request === null),
  );
  const inFull = await transition(tx, confirmedInFull(decisions, moved), now);
  await postEntries(
    tx,
    decisions.flatMap(({ payment, evaluation }) =>
      receivedEntries(payment.id, payment.amount_received, evaluation.received),
    ),
    now,
  );
  await acceptDueRefunds(tx, ids, now);
  return { moved: [...moved, ...inFull], more };
}

/** Locks the payments and returns the decision for each. */
async function decideAll(
  tx: Tx,
  ids: readonly string[],
  updates: readonly TransferUpdate[],
): Promise<Decision[]> {
  const payments = await lockPayments(tx, ids);
  const updatesOf = groupBy(updates, ({ paymentId }) => paymentId);
  const transfersOf = groupBy(await readTransfers(tx, ids), ({ payment_id }) => payment_id);
  const pending = await readPendingRefunds(tx, ids);
  return payments.map((payment) =>
    decideTransition(payment, updatesOf.get(payment.id) ?? [], {
      transfers: transfersOf.get(payment.id) ?? [],
      pendingRefund: pending.get(payment.id) ?? '0',
    }),
  );
}

const updateMoney = sql<never, { payments: string }>(
  'update_money',
  (p) => `
    UPDATE payments p SET
      amount_received = m.amount_received,
      fully_funded = m.fully_funded,
      exceptions = m.exceptions,
      tx_hash = m.tx_hash,
      confirmations = m.confirmations
    FROM jsonb_to_recordset(${p.payments}::jsonb) AS m (
      id text, amount_received numeric, fully_funded boolean, exceptions text[], tx_hash text,
      confirmations integer)
    WHERE p.id = m.id`,
);

/**
 * Records money that moves no status: money after settlement, or too late, can still be refunded to the
 * customer.
 */
async function recordMoney(tx: Tx, decisions: readonly Decision[]): Promise<void> {
  if (decisions.length === 0) return;
  const payments = recordset(decisions.map(({ payment, changes }) => ({ id: payment.id, ...changes })));
  await run(tx, updateMoney, { payments });
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
