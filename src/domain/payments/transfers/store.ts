import type { ChainTransfer } from '../../chain/port.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { Rates } from '../../chain/rates.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { chainKey } from '../../chain/simulator/store.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { PaymentTransfer } from './evaluate.ts';
import { storeQuote } from '../pricing/quotes.ts';

/** How a transfer of ours differs from what we knew of it. */
export interface TransferUpdate {
  readonly paymentId: string;
  readonly kind: 'seen' | 'dropped' | 'orphaned' | 'moved';
  readonly transfer: ChainTransfer;
}

const addressesOfPayments = sql<{
  payment_id: string;
  address: string;
  coin: CoinId | null;
  pay_amount: string;
  pay_currency: CoinId;
}>(
  'addresses_of_payments',
  `SELECT q.payment_id, q.address, q.coin, p.pay_amount, p.pay_currency
   FROM quotes q JOIN payments p ON p.id = q.payment_id WHERE q.network = $1 AND q.address = ANY ($2)
     AND p.test_clock IS NOT DISTINCT FROM $3`,
);
const knownTransfers = sql<{
  payment_id: string;
  tx_hash: string;
  coin: string;
  block_height: string | null;
  dropped_at: Date | null;
}>(
  'known_transfers',
  `SELECT payment_id, tx_hash, coin, block_height, dropped_at FROM transfers WHERE network = $1 AND tx_hash = ANY ($2)`,
);
const upsertTransfers = sql(
  'upsert_transfers',
  `INSERT INTO transfers (payment_id, network, tx_hash, coin, amount, seen_at, block_height, dropped_at, replaced_by)
   SELECT * FROM jsonb_to_recordset($1::jsonb) AS t (payment_id text, network text, tx_hash text, coin text, amount numeric,
     seen_at timestamptz, block_height bigint, dropped_at timestamptz, replaced_by text)
   ON CONFLICT (payment_id, network, tx_hash, coin) DO UPDATE SET
     block_height = excluded.block_height, dropped_at = excluded.dropped_at, replaced_by = excluded.replaced_by,
     confirmed_at = CASE WHEN transfers.block_height = excluded.block_height THEN transfers.confirmed_at END`,
);

/**
 * Stores the present state of transfers and answers what is new about those that pay one of our addresses; others are none of our
 * business, nor are those of a payment that moved to another world meanwhile: its own observer finds them on its own chain. The caller
 * holds the network's cursor, so that nobody else stores transfers of that network meanwhile.
 */
export async function storeTransfers(
  tx: Tx,
  { network, testClock }: { network: NetworkId; testClock: string | null },
  transfers: readonly ChainTransfer[],
  rates: Rates,
  now: Date,
): Promise<TransferUpdate[]> {
  if (transfers.length === 0) return [];
  const addresses = transfers.map(({ address }) => address);
  const owners = await run(tx, addressesOfPayments, [network, addresses, testClock]);
  const known = await run(tx, knownTransfers, [network, transfers.map(({ txHash }) => txHash)]);
  const ownerOf = new Map(owners.map((owner) => [owner.address, owner]));
  const quoted = new Set(owners.map(({ address, coin }) => `${address} ${coin}`));
  const knownBy = new Map(known.map((row) => [`${row.payment_id} ${row.tx_hash} ${row.coin}`, row]));
  const news: TransferUpdate[] = [];
  for (const transfer of transfers) {
    const owner = ownerOf.get(transfer.address);
    if (owner === undefined) continue;
    if (!quoted.has(`${transfer.address} ${transfer.coin}`)) {
      // A coin that was never offered at this address: it is money all the same, worth today's rate, which then holds for good.
      const { payment_id: paymentId, pay_amount: payAmount, pay_currency: payCurrency, address } = owner;
      const asked = { payAmount, payCurrency, coin: transfer.coin, network };
      await storeQuote(tx, { paymentId, address, asked, rates, lockedUntil: null }, now);
      quoted.add(`${transfer.address} ${transfer.coin}`);
    }
    const before = knownBy.get(`${owner.payment_id} ${transfer.txHash} ${transfer.coin}`);
    news.push({ paymentId: owner.payment_id, kind: kindOf(transfer, before), transfer });
  }
  await run(tx, upsertTransfers, [JSON.stringify(news.map(toRow))]);
  return news;
}

function kindOf(
  transfer: ChainTransfer,
  before: { block_height: string | null; dropped_at: Date | null } | undefined,
): TransferUpdate['kind'] {
  // What was never seen to stand was never counted on.
  if (transfer.droppedAt !== null) return before === undefined || before.dropped_at ? 'moved' : 'dropped';
  if (before === undefined) return 'seen';
  const wasMined = before.block_height !== null;
  return wasMined && Number(before.block_height) !== transfer.blockHeight ? 'orphaned' : 'moved';
}

function toRow({ paymentId, transfer }: TransferUpdate) {
  return {
    payment_id: paymentId,
    network: transfer.network,
    tx_hash: transfer.txHash,
    coin: transfer.coin,
    amount: transfer.amount,
    seen_at: transfer.seenAt,
    block_height: transfer.blockHeight,
    dropped_at: transfer.droppedAt,
    replaced_by: transfer.replacedBy,
  };
}

/** After an outage a whole day may confirm at once; in one transaction it would never end within its time. */
const CONFIRM_AT_ONCE = 1_000;

const confirmTransfers = sql<{ payment_id: string }>(
  'confirm_transfers',
  `UPDATE transfers SET confirmed_at = $3
   WHERE ctid = ANY (ARRAY(
     SELECT t.ctid FROM transfers t JOIN payments p ON p.id = t.payment_id
     WHERE t.network = $1 AND t.block_height <= $2 AND t.confirmed_at IS NULL AND t.dropped_at IS NULL AND p.test_clock IS NULL
     ORDER BY t.block_height LIMIT $4))
   RETURNING payment_id`,
);
// A world is one payment's: found by its key, however many other worlds wait for blocks.
const confirmTransfersOfTestClock = sql<{ payment_id: string }>(
  'confirm_transfers_of_world',
  `UPDATE transfers SET confirmed_at = $3
   WHERE payment_id = $4 AND network = $1 AND block_height <= $2 AND confirmed_at IS NULL AND dropped_at IS NULL
   RETURNING payment_id`,
);

/**
 * Marks transfers of a network (of a world, or of the shared one) that lie at `height` or below as confirmed, the deepest first and
 * not too many at once. Answers the payments that they belong to, and whether there are more.
 */
export async function confirmUpTo(
  tx: Tx,
  { network, testClock }: { network: NetworkId; testClock: string | null },
  height: number,
  now: Date,
): Promise<{ paymentIds: string[]; more: boolean }> {
  const rows =
    testClock === null
      ? await run(tx, confirmTransfers, [network, height, now, CONFIRM_AT_ONCE])
      : await run(tx, confirmTransfersOfTestClock, [network, height, now, testClock]);
  return {
    paymentIds: rows.map(({ payment_id }) => payment_id),
    more: testClock === null && rows.length === CONFIRM_AT_ONCE,
  };
}

const unconfirmedDepth = sql<{ in_pool: boolean; lowest: string | null; head: string }>(
  'unconfirmed_depth',
  `SELECT bool_or(t.block_height IS NULL) AS in_pool, min(t.block_height) AS lowest, c.head
   FROM transfers t, chain_cursors c
   WHERE t.payment_id = $1 AND t.network = $2 AND t.confirmed_at IS NULL AND t.dropped_at IS NULL AND c.chain = $3
   GROUP BY c.head`,
);

/** Blocks until something happens to the payment's transfers on a network of its own world, at least 1; null: nothing will. */
export async function blocksToWait(
  connection: Connection,
  testClock: string,
  network: NetworkId,
): Promise<number | null> {
  const row = await runOne(connection, unconfirmedDepth, [testClock, network, chainKey(network, testClock)]);
  if (row === null) return null;
  if (row.in_pool || row.lowest === null) return 1;
  return Math.max(1, Number(row.lowest) + NETWORKS[network].confirmations - 1 - Number(row.head));
}

/**
 * SQL: the key in `chain_cursors` of a transfer `t` of a payment `p`, as `chainKey` makes it. `||` takes on the collation of `world`, with
 * which the key's index does not serve: it would be the whole table, which has rows for every world, for each look at a payment.
 */
export const CHAIN_KEY_OF_TRANSFER = `(CASE WHEN p.test_clock IS NULL THEN t.network ELSE t.network || '/' || p.test_clock END COLLATE "default")`;

const transfersOfPayments = sql<PaymentTransfer>(
  'transfers_of_payments',
  `SELECT t.payment_id, t.network, t.tx_hash, t.coin, t.amount, q.crypto_amount AS quoted_amount, t.seen_at, t.confirmed_at, t.dropped_at,
     coalesce(greatest(0, c.head - t.block_height + 1), 0)::int AS confirmations
   FROM transfers t JOIN quotes q ON q.payment_id = t.payment_id AND q.coin = t.coin AND q.network = t.network
     JOIN payments p ON p.id = t.payment_id
     LEFT JOIN chain_cursors c ON c.chain = ${CHAIN_KEY_OF_TRANSFER}
   WHERE t.payment_id = ANY ($1) ORDER BY t.payment_id, t.seen_at, t.place`,
);

/** All transfers of the payments, oldest first, with what was quoted for their coin and how deep they lie. */
export async function readTransfers(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<PaymentTransfer[]> {
  return run(connection, transfersOfPayments, [paymentIds]);
}
