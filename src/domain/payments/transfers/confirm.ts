import { chainKey } from '../../chain/chain-key.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { ChainScope } from './store.ts';

/** After an outage a whole day may confirm at once; in one transaction it would never end within its time. */
const CONFIRM_AT_ONCE = 1_000;

interface Depth {
  readonly network: NetworkId;
  readonly height: number;
  readonly now: Date;
}

// Served by transfers_confirming. The rows are found once, as an array, and updated where they lie.
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
// An isolated payment is found by its key, however many others wait for blocks.
const confirmTransfersOfPayment = sql<{ payment_id: string }, Depth & { paymentId: string }>(
  'confirm_transfers_of_payment',
  (p) => `
    UPDATE transfers SET confirmed_at = ${p.now}
    WHERE payment_id = ${p.paymentId} AND network = ${p.network} AND block_height <= ${p.height}
      AND confirmed_at IS NULL AND dropped_at IS NULL
    RETURNING payment_id`,
);

/**
 * Marks transfers of a chain that lie at `height` or below as confirmed, the deepest first and not too many at once. Returns the
 * payments that they belong to, and whether there are more.
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
 * Blocks until something happens to an isolated payment's transfers on a network, at least 1; null: nothing will. The id of its test
 * clock is the payment's own.
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
