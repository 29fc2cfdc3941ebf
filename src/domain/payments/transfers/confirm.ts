import { chainKey } from '../../chain/chain-key.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import type { ChainScope } from './store.ts';

/**
 * After an outage a day's transfers may confirm at once; one transaction for all would exceed its time limit.
 */
const CONFIRM_AT_ONCE = 1_000;

/**
 * Up to which height transfers are confirmed: those that a checkpoint makes final, and those that so many
 * blocks below the head do.
 */
export interface ConfirmedHeights {
  readonly final: number;
  readonly safe: number;
  readonly head: number;
  /** Transactions that none of them confirms yet. */
  readonly unsure: readonly string[];
}

/** Returns the heights of a chain where one height decides all: a simulated one. */
export const allAt = (height: number): ConfirmedHeights => ({
  final: height,
  safe: height,
  head: height,
  unsure: [],
});

interface Depth extends ConfirmedHeights {
  readonly network: NetworkId;
}

/** SQL: whether the blocks up to these heights confirm a transfer; the first condition bounds the index. */
const IS_DEEP = (t: string, p: Readonly<Record<keyof ConfirmedHeights, string>>) => `
      ${t}.block_height <= ${p.head}::bigint AND ${t}.block_height <= CASE coalesce(${t}.finality, 'finalized')
        WHEN 'finalized' THEN ${p.final}::bigint WHEN 'safe' THEN ${p.safe}::bigint
        ELSE ${p.head}::bigint - ${t}.finality::bigint + 1 END
      AND ${t}.tx_hash <> ALL (${p.unsure}::text[])`;

// Served by transfers_unconfirmed.
const confirmable = sql<
  { payment_id: string },
  Depth & Pick<ChainScope, 'modes' | 'isLive'> & { limit: number }
>(
  'confirmable_payments',
  (p) => `
    SELECT t.payment_id FROM transfers t
      JOIN payments p ON p.id = t.payment_id JOIN merchants m ON m.id = p.merchant_id
    WHERE t.network = ${p.network} AND t.is_live = ${p.isLive} AND ${IS_DEEP('t', p)}
      AND t.confirmed_at IS NULL AND t.dropped_at IS NULL AND p.test_clock IS NULL
      AND m.mode = ANY (${p.modes}) AND NOT ${HAS_QUARANTINED('p.id')}
    ORDER BY t.block_height LIMIT ${p.limit}`,
);
// Served by the primary key of transfers, however many other payments wait for blocks.
const confirmableOfPayment = sql<{ payment_id: string }, Depth & { paymentId: string }>(
  'confirmable_of_payment',
  (p) => `
    SELECT payment_id FROM transfers t
    WHERE payment_id = ${p.paymentId} AND network = ${p.network} AND ${IS_DEEP('t', p)}
      AND confirmed_at IS NULL AND dropped_at IS NULL AND NOT ${HAS_QUARANTINED('t.payment_id')}`,
);

/**
 * Returns the payments of a chain with a transfer that `heights` confirm and that is not confirmed yet, the
 * deepest first, at most CONFIRM_AT_ONCE, and whether there are more; without those with quarantined
 * transfers. It locks nothing: payments are locked before their transfers, or two transactions could wait for
 * each other.
 */
export async function findConfirmable(
  connection: Connection,
  { network, testClock, modes, isLive }: ChainScope,
  heights: ConfirmedHeights,
): Promise<{ paymentIds: string[]; more: boolean }> {
  const rows =
    testClock === null
      ? await run(connection, confirmable, { network, ...heights, modes, isLive, limit: CONFIRM_AT_ONCE })
      : await run(connection, confirmableOfPayment, { network, ...heights, paymentId: testClock });
  return {
    paymentIds: [...new Set(rows.map(({ payment_id }) => payment_id))],
    more: testClock === null && rows.length === CONFIRM_AT_ONCE,
  };
}

// By the primary key of transfers: the index of unconfirmed ones, whose predicate this does not repeat, would
// find all of the network, and search the payment of each among those asked for.
const confirmTransfers = sql<never, Depth & { paymentIds: readonly string[]; now: Date }>(
  'confirm_transfers',
  (p) => `
    UPDATE transfers t SET confirmed_at = ${p.now}
    WHERE payment_id = ANY (${p.paymentIds}) AND network = ${p.network} AND ${IS_DEEP('t', p)}
      AND coalesce(confirmed_at, dropped_at) IS NULL`,
);

/** Marks the transfers of payments, whose rows the caller has locked, that `heights` confirm. */
export async function confirmUpTo(
  tx: Tx,
  network: NetworkId,
  { paymentIds, heights }: { paymentIds: readonly string[]; heights: ConfirmedHeights },
  now: Date,
): Promise<void> {
  await run(tx, confirmTransfers, { network, ...heights, paymentIds, now });
}

// Index: transfers_unconfirmed.
const unconfirmed = sql<{ network: NetworkId }, { network: NetworkId }>(
  'unconfirmed_transfer_of_network',
  (p) => `
    SELECT network FROM transfers
    WHERE network = ${p.network} AND confirmed_at IS NULL AND dropped_at IS NULL AND NOT is_live LIMIT 1`,
);

/** Whether a transfer on a simulated network may still change: it is not confirmed. */
export async function hasUnconfirmed(connection: Connection, network: NetworkId): Promise<boolean> {
  return (await runOne(connection, unconfirmed, { network })) !== null;
}

interface UnconfirmedDepth {
  readonly in_pool: boolean;
  readonly lowest: string | null;
  /** Null: an earlier release has synced the chain. */
  readonly final_height: string | null;
}

const unconfirmedDepth = sql<UnconfirmedDepth, { paymentId: string; network: NetworkId; chain: string }>(
  'unconfirmed_depth',
  (p) => `
    SELECT bool_or(t.block_height IS NULL) AS in_pool, min(t.block_height) AS lowest, c.final_height
    FROM transfers t, chain_cursors c
    WHERE t.payment_id = ${p.paymentId} AND t.network = ${p.network}
      AND t.confirmed_at IS NULL AND t.dropped_at IS NULL AND c.chain = ${p.chain}
    GROUP BY c.final_height`,
);

/**
 * Returns the number of blocks, at least 1, until a transfer of an isolated payment changes on a network;
 * null: none will change. The id of its test clock is the payment's own.
 */
export async function blocksToWait(
  connection: Connection,
  paymentId: string,
  network: NetworkId,
): Promise<number | null> {
  const chain = chainKey(network, paymentId);
  const row = await runOne(connection, unconfirmedDepth, { paymentId, network, chain });
  if (row === null) return null;
  if (row.in_pool || row.lowest === null) return 1;
  return row.final_height === null ? 1 : Math.max(1, Number(row.lowest) - Number(row.final_height));
}
