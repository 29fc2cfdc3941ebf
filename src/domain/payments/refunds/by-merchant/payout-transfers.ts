import type { CoinId } from '../../../chain/coins.ts';
import type { NetworkId } from '../../../chain/networks.ts';
import type { ChainTransfer, Owned } from '../../../chain/port.ts';
import { recordset, run, sql, type Connection, type Tx } from '../../../../platform/postgres/db.ts';
import { plain } from '../../../../platform/values/money.ts';
import type { ChainScope } from '../../transfers/store.ts';
import { IS_AWAITED } from '../states.ts';

/** SQL: the refund `r` is paid by a transfer like `t`: its coin, to the unit, to its address. */
export const FITS = (r: string, t: string): string =>
  `${r}.network = ${t}.network AND lower(${r}.address) = lower(${t}.address) AND ${r}.coin = ${t}.coin
    AND ${r}.coin_amount::numeric = ${t}.amount`;

/**
 * SQL: what stands in place of a transfer's address once it is erased. It says no more than the hash of the
 * transaction, and tells that the transfer was used when it is read or announced again.
 */
export const ERASED_ADDRESS = (txHash: string, address: string): string =>
  `encode(sha256(convert_to(${txHash} || lower(${address}), 'UTF8')), 'hex')`;

/** SQL: a mined transfer `t` that completes no refund yet. Index: payout_transfers_open. */
export const IS_STANDING_PAYOUT = (t: string): string =>
  `${t}.refund_id IS NULL AND ${t}.dropped_at IS NULL AND ${t}.block_height IS NOT NULL`;

/** What a client must report of an address; null: every transfer, for a payment has it. */
interface WatchedRow {
  readonly address: string;
  readonly coin: CoinId | null;
  readonly amount: string | null;
}

// Served by quotes_by_address and refunds_awaited. A refund may go to a deposit address, of another merchant
// as well. Its address is compared without the case of its letters: a checksum keeps two of Bitcoin's older
// form from differing by that alone.
const watchedAddresses = sql<
  WatchedRow,
  Pick<ChainScope, 'network' | 'modes'> & { addresses: readonly string[]; lower: readonly string[] }
>(
  'watched_addresses',
  (p) => `
    SELECT q.address, NULL AS coin, NULL AS amount
    FROM quotes q JOIN payments p ON p.id = q.payment_id JOIN merchants m ON m.id = p.merchant_id
    WHERE q.network = ${p.network} AND q.address = ANY (${p.addresses}) AND m.mode = ANY (${p.modes})
    UNION
    SELECT lower(r.address), r.coin, r.coin_amount FROM refunds r
    WHERE r.network = ${p.network} AND lower(r.address) = ANY (${p.lower}) AND ${IS_AWAITED('r')}`,
);

/**
 * Returns those of the addresses that payments have, or to which refunds wait to be paid. To one of a refund
 * alone only what fits it counts: a busy address, an exchange's for example, costs nobody anything.
 */
export async function readWatched(
  connection: Connection,
  { network, modes }: ChainScope,
  addresses: readonly string[],
): Promise<Owned> {
  const lower = addresses.map((address) => address.toLowerCase());
  const rows = await run(connection, watchedAddresses, { network, modes, addresses, lower });
  const ofRefunds = new Set(rows.flatMap(({ address, coin }) => (coin === null ? [] : address)));
  const whole = new Set(rows.flatMap(({ address, coin }) => (coin === null ? address : [])));
  const fitting = new Set(
    rows.flatMap(({ address, coin, amount }) =>
      amount === null ? [] : `${address} ${coin} ${plain(amount)}`,
    ),
  );
  return {
    size: whole.size + ofRefunds.size,
    has: (address) => whole.has(address) || ofRefunds.has(address.toLowerCase()),
    takes: ({ address, coin, amount }) =>
      whole.has(address) || fitting.has(`${address.toLowerCase()} ${coin} ${plain(amount)}`),
  };
}

// What completed a refund is final: nothing changes it any more. LIMIT looks each transfer up by the indexes:
// else all refunds that wait are read for each page.
const recordPayouts = sql<never, { transfers: string }>(
  'record_payout_transfers',
  (p) => `
    INSERT INTO payout_transfers (network, tx_hash, coin, address, amount, seen_at, block_height, dropped_at)
    SELECT t.* FROM jsonb_to_recordset(${p.transfers}::jsonb) AS t (
      network text, tx_hash text, coin text, address text, amount numeric, seen_at timestamptz,
      block_height bigint, dropped_at timestamptz)
      CROSS JOIN LATERAL (
        SELECT FROM refunds r WHERE ${FITS('r', 't')} AND ${IS_AWAITED('r')}
        UNION ALL
        SELECT FROM payout_transfers known WHERE known.network = t.network AND known.tx_hash = t.tx_hash
          AND known.coin = t.coin AND known.address = t.address
        LIMIT 1
      ) concerned
    WHERE NOT EXISTS (SELECT FROM payout_transfers used WHERE used.network = t.network
      AND used.tx_hash = t.tx_hash AND used.coin = t.coin
      AND used.address = ${ERASED_ADDRESS('t.tx_hash', 't.address')})
    ON CONFLICT (network, tx_hash, coin, address) DO UPDATE SET
      amount = excluded.amount,
      seen_at = excluded.seen_at,
      block_height = excluded.block_height,
      dropped_at = excluded.dropped_at
      WHERE payout_transfers.refund_id IS NULL`,
);

/** Stores those of a page's transfers that fit a refund which waits, in the transaction of its cursor. */
export async function recordPayoutTransfers(tx: Tx, transfers: readonly ChainTransfer[]): Promise<void> {
  if (transfers.length === 0) return;
  const rows = transfers.map(({ network, txHash, coin, address, amount, seenAt, block, droppedAt }) => ({
    network,
    tx_hash: txHash,
    coin,
    address,
    amount,
    seen_at: seenAt,
    block_height: block?.height ?? null,
    dropped_at: droppedAt,
  }));
  await run(tx, recordPayouts, { transfers: recordset(rows) });
}

type StandingRow = PayoutKey & { amount: string; seen_at: Date; block_height: string | null };

const standingPayouts = sql<StandingRow, { network: NetworkId; height: number }>(
  'standing_payout_transfers',
  (p) => `
    SELECT network, tx_hash, coin, address, amount, seen_at, block_height FROM payout_transfers
    WHERE network = ${p.network} AND refund_id IS NULL AND dropped_at IS NULL
      AND (block_height IS NULL OR block_height > ${p.height})`,
);

/** Returns those that completed no refund and are in the pool or above a height, as they were reported. */
export async function readStandingPayouts(
  connection: Connection,
  network: NetworkId,
  height: number,
): Promise<ChainTransfer[]> {
  return (await run(connection, standingPayouts, { network, height })).map((row) => ({
    network,
    txHash: row.tx_hash,
    coin: row.coin,
    address: row.address,
    amount: row.amount,
    seenAt: row.seen_at,
    sender: null,
    final: false,
    droppedAt: null,
    replacedBy: null,
    reason: null,
    block: row.block_height === null ? null : { height: Number(row.block_height), hash: '' },
  }));
}

/** What identifies a transfer. */
export interface PayoutKey {
  readonly network: NetworkId;
  readonly tx_hash: string;
  readonly coin: CoinId;
  readonly address: string;
}
