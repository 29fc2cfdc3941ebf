import { chainKey } from '../../chain/chain-key.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { ChainScope } from './store.ts';

/**
 * After an outage a day's transfers may confirm at once; one transaction for all would exceed its time limit.
 */
const CONFIRM_AT_ONCE = 1_000;

interface Depth {
  readonly network: NetworkId;
  readonly height: number;
  readonly now: Date;
}

// Served by transfers_confirming. The rows are selected once, as an array of ctids, and updated by ctid.
const confirmTransfers = sql<{ payment_id: string }, Depth & { limit: number }>(
  'confirm_transfers',
  (p) => `
    UPDATE transfers SET confirmed_at = ${p.now}
    WHERE ctid = ANY (ARRAY(
      SELECT t.ctid FROM transfers t JOIN payments p ON p.id = t.payment_id
      WHERE t.network = ${p.network} AND t.block_height <= ${p.height}
        AND t.confirmed_at IS NULL AND t.dropped_at IS NULL AND p.test_clock IS NULL
      ORDER BY t.block_height LIMIT ${p.limit}))
    RETURNING payment_id`,
);
// Served by the primary key of transfers, however many other payments wait for blocks.
const confirmTransfersOfPayment = sql<{ payment_id: string }, Depth & { paymentId: string }>(
  'confirm_transfers_of_payment',
  (p) => `
    UPDATE transfers SET confirmed_at = ${p.now}
    WHERE payment_id = ${p.paymentId} AND network = ${p.network} AND block_height <= ${p.height}
      AND confirmed_at IS NULL AND dropped_at IS NULL
    RETURNING payment_id`,
);

/**
 * Marks transfers of a chain at `height` or below as confirmed, the deepest first, at most CONFIRM_AT_ONCE.
 * Returns their payments, and whether there are more.
 */
export async function confirmUpTo(
  tx: Tx,
  { network, testClock }: ChainScope,
  height: number,
  now: Date,
): Promise<{ paymentIds: string[]; more: boolean }> {
  const depth = { network, height, now };
  const rows =
    testClock === null
      ? await run(tx, confirmTransfers, { ...depth, limit: CONFIRM_AT_ONCE })
      : await run(tx, confirmTransfersOfPayment, { ...depth, paymentId: testClock });
  return {
    paymentIds: rows.map(({ payment_id }) => payment_id),
    more: testClock === null && rows.length === CONFIRM_AT_ONCE,
  };
}

interface UnconfirmedDepth {
  readonly in_pool: boolean;
  readonly lowest: string | null;
  readonly head: string;
}

const unconfirmedDepth = sql<UnconfirmedDepth, { paymentId: string; network: NetworkId; chain: string }>(
  'unconfirmed_depth',
  (p) => `
    SELECT bool_or(t.block_height IS NULL) AS in_pool, min(t.block_height) AS lowest, c.head
    FROM transfers t, chain_cursors c
    WHERE t.payment_id = ${p.paymentId} AND t.network = ${p.network}
      AND t.confirmed_at IS NULL AND t.dropped_at IS NULL AND c.chain = ${p.chain}
    GROUP BY c.head`,
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
  return Math.max(1, Number(row.lowest) + NETWORKS[network].confirmations - 1 - Number(row.head));
}
