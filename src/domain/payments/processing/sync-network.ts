import { chainOf } from '../../chain/chain.ts';
import type { ChainPage } from '../../chain/port.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { ratesOf, type Rates } from '../../chain/rates.ts';
import { chainKey } from '../../chain/simulator/store.ts';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { postEntries, receivedEntries } from '../ledger/ledger.ts';
import { confirmedInFull, decideTransition, type Decision } from '../transfers/decide.ts';
import { acceptDueRefunds } from '../refunds/accept-due.ts';
import { lockPayments, readPendingRefunds } from '../lifecycle/store.ts';
import { transition } from '../lifecycle/transition.ts';
import { confirmUpTo, readTransfers, storeTransfers } from '../transfers/store.ts';

const cursorOf = sql<{ cursor: string | null }>(
  'chain_cursor',
  `SELECT cursor FROM chain_cursors WHERE chain = $1`,
);
const advanceCursor = sql<{ chain: string }>(
  'advance_chain_cursor',
  `INSERT INTO chain_cursors (chain, cursor, head) VALUES ($1, $3, $4)
   ON CONFLICT (chain) DO UPDATE SET cursor = excluded.cursor, head = greatest(chain_cursors.head, excluded.head)
     WHERE chain_cursors.cursor IS NOT DISTINCT FROM $2
   RETURNING chain`,
);

/**
 * Looks at a network once: reads what changed on it, outside any transaction, and then moves, in one transaction and in sets, every
 * payment that the change or the new head concerns. Of two observers with the same view one applies it, the other does nothing.
 * Answers whether to look again at once, because there is more to read, or because another observer was faster: what it saw may be
 * older than this call.
 */
export async function syncNetwork(ctx: Context, network: NetworkId): Promise<boolean> {
  const now = ctx.now();
  const testClock = ctx.testClock?.id ?? null;
  const chain = chainKey(network, testClock);
  const before = (await runOne(ctx.db, cursorOf, [chain]))?.cursor ?? null;
  const view = await chainOf(ctx).poll(network, before, now);
  const rates = await ratesOf(ctx);
  const applied = await ctx.db.transaction(async (tx) => {
    // Taking the cursor first makes observers of one network stand in line; the loser finds it moved on.
    const taken = await run(tx, advanceCursor, [chain, before, view.cursor, view.head]);
    return taken.length === 0 ? null : applyPage(tx, { network, testClock }, { view, rates }, now);
  });
  for (const { id, status, exceptions, tx_hash } of applied?.moved ?? [])
    ctx.log.info(`payment ${status}`, { payment_id: id, exceptions, network, tx_hash });
  return applied === null || applied.more;
}

const networksOfPayments = sql<{ network: NetworkId }>(
  'networks_of_payments',
  'SELECT DISTINCT network FROM quotes WHERE payment_id = ANY ($1)',
);

/** Reads all that there is to read on every network on which one of the payments may have been paid. */
export async function syncNetworksOf(ctx: Context, ids: readonly string[]): Promise<void> {
  for (const { network } of await run(ctx.db, networksOfPayments, [ids]))
    while (await syncNetwork(ctx, network));
}

async function applyPage(
  tx: Tx,
  { network, testClock }: { network: NetworkId; testClock: string | null },
  { view, rates }: { view: ChainPage; rates: Rates },
  now: Date,
): Promise<{ moved: Payment[]; more: boolean }> {
  const news = await storeTransfers(tx, { network, testClock }, view.transfers, rates, now);
  // While there is more to read, a block may have been replaced without our knowing it yet: nothing confirms on such a view.
  const confirmedHeight = view.head - NETWORKS[network].confirmations + 1;
  const confirmed = view.more ? null : await confirmUpTo(tx, { network, testClock }, confirmedHeight, now);
  const more = confirmed?.more ?? true;
  const newsOf = groupBy(news, ({ paymentId }) => paymentId);
  const ids = [...new Set([...newsOf.keys(), ...(confirmed?.paymentIds ?? [])])];
  if (ids.length === 0) return { moved: [], more };
  const payments = await lockPayments(tx, ids);
  const transfersOf = groupBy(await readTransfers(tx, ids), ({ payment_id }) => payment_id);
  const promised = await readPendingRefunds(tx, ids);
  const subjects = payments.map((payment) =>
    decideTransition(payment, newsOf.get(payment.id) ?? [], {
      transfers: transfersOf.get(payment.id) ?? [],
      promised: promised.get(payment.id) ?? '0',
    }),
  );
  const moved = await transition(
    tx,
    subjects.flatMap(({ request }) => request ?? []),
    now,
  );
  await recordMoney(
    tx,
    subjects.filter(({ request }) => request === null),
  );
  const inFull = await transition(tx, confirmedInFull(subjects, moved), now);
  await postEntries(
    tx,
    subjects.flatMap(({ payment, evaluation }) =>
      receivedEntries(payment.id, payment.amount_received, evaluation.received),
    ),
    now,
  );
  await acceptDueRefunds(tx, ids, now);
  return { moved: [...moved, ...inFull], more };
}

const updateMoney = sql(
  'update_money',
  `UPDATE payments p SET amount_received = m.amount_received, fully_funded = m.fully_funded, exceptions = m.exceptions, tx_hash = m.tx_hash,
     confirmations = m.confirmations
   FROM jsonb_to_recordset($1::jsonb) AS m (id text, amount_received numeric, fully_funded boolean, exceptions text[], tx_hash text,
     confirmations integer)
   WHERE p.id = m.id`,
);

/** Notes money that moves nothing: what came after settlement or too late is still the customer's to get back. */
async function recordMoney(tx: Tx, subjects: readonly Decision[]): Promise<void> {
  if (subjects.length === 0) return;
  await run(tx, updateMoney, [
    JSON.stringify(subjects.map(({ payment, changes }) => ({ id: payment.id, ...changes }))),
  ]);
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
