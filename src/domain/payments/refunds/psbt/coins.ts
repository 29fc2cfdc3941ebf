import { recordset, run, runOne, sql, type Connection, type Tx } from '../../../../platform/postgres/db.ts';

/** A final deposit of a wallet. */
export interface FinalDeposit {
  readonly tx_hash: string;
  readonly deposit_index: number;
}

interface Deposits {
  readonly walletId: string;
  /** In BTC: what brought no more is left out. */
  readonly above: string;
  readonly merchantId: string;
  readonly finalHeight: number;
  readonly places: number;
  readonly limit: number;
}

// Of one merchant alone: several may share the installation's default wallet. Indexes: payments_by_deposit,
// that of further_deposits.
const finalDeposits = sql<FinalDeposit, Deposits>(
  'final_deposits_of_wallet',
  (p) => `
    WITH place AS (
      SELECT d.* FROM (
        SELECT id AS payment_id, deposit_index FROM payments WHERE wallet_id = ${p.walletId}
        UNION ALL
        SELECT payment_id, deposit_index FROM further_deposits WHERE wallet_id = ${p.walletId}
      ) d
      ORDER BY deposit_index DESC LIMIT ${p.places}
    )
    SELECT t.tx_hash, place.deposit_index
    FROM place JOIN payments m ON m.id = place.payment_id AND m.merchant_id = ${p.merchantId}
      JOIN transfers t ON t.payment_id = place.payment_id
    WHERE t.network = 'bitcoin' AND t.is_live AND t.dropped_at IS NULL
      AND t.block_height <= ${p.finalHeight}::bigint AND t.amount > ${p.above}::numeric
    ORDER BY t.block_height DESC, t.tx_hash, place.deposit_index LIMIT ${p.limit}`,
);

/** Returns the newest final deposits of a merchant at a wallet. */
export async function readFinalDeposits(connection: Connection, deposits: Deposits): Promise<FinalDeposit[]> {
  return run(connection, finalDeposits, deposits);
}

/** A coin that a request spends. */
export interface TakenCoin extends FinalDeposit {
  readonly output_index: number;
  readonly refund_id: string;
}

interface Among {
  readonly hashes: readonly string[];
  readonly id: string;
}

/**
 * SQL: the coin `w` of a withdrawn request is that of the refund `r`, which was accepted in its place: it
 * must be spent by it.
 */
const REPLACES = (r: string, w: string): string =>
  `${w}.payment_id = ${r}.payment_id AND ${w}.withdrawn_at <= ${r}.created_at`;

type CoinName = Pick<TakenCoin, 'tx_hash' | 'output_index'>;

const takenByOthers = sql<CoinName, Among>(
  'coins_taken_by_other_refunds',
  (p) => `
    SELECT tx_hash, output_index FROM refund_coins
    WHERE tx_hash = ANY (${p.hashes}) AND refund_id <> ${p.id}
    UNION ALL
    SELECT w.tx_hash, w.output_index FROM withdrawn_coins w
    WHERE w.tx_hash = ANY (${p.hashes})
      AND NOT EXISTS (SELECT FROM refunds r WHERE r.id = ${p.id} AND ${REPLACES('r', 'w')})`,
);

/** Returns the coins of transactions that requests of other refunds spend, or withdrawn ones have spent. */
export async function readTaken(connection: Connection, among: Among): Promise<CoinName[]> {
  return run(connection, takenByOthers, among);
}

const coinsOfRefund = sql<TakenCoin, { id: string }>(
  'coins_of_refund',
  (p) => `
    SELECT tx_hash, output_index, deposit_index, refund_id FROM refund_coins WHERE refund_id = ${p.id}
    UNION ALL
    SELECT w.tx_hash, w.output_index, w.deposit_index, r.id
    FROM refunds r JOIN withdrawn_coins w ON ${REPLACES('r', 'w')}
    WHERE r.id = ${p.id} AND r.network = 'bitcoin'`,
);

/**
 * Returns the coins that the request of a refund spends, and those of requests in whose place it is: either
 * may have been signed.
 */
export async function readCoinsOf(connection: Connection, id: string): Promise<TakenCoin[]> {
  return run(connection, coinsOfRefund, { id });
}

const lockWallet = sql<{ id: string }, { id: string }>(
  'lock_wallet_for_coins',
  (p) => `SELECT id FROM wallets WHERE id = ${p.id} FOR NO KEY UPDATE`,
);

/** Makes those who take coins and change addresses of a wallet wait for each other. */
export async function lockWalletForCoins(tx: Tx, id: string): Promise<void> {
  await runOne(tx, lockWallet, { id });
}

const freeChange = sql<{ index: number }, { account: string | null; refundId: string; but: number }>(
  'free_change_index',
  (p) => `
    SELECT coalesce(
      (SELECT change_index FROM refund_psbts WHERE refund_id = ${p.refundId} AND change_index <> ${p.but}),
      (SELECT min(next.i) FROM (
        SELECT ${p.but}::integer + 1 AS i UNION ALL
        SELECT change_index + 1 FROM refund_psbts WHERE account = ${p.account}
      ) next WHERE next.i <> ${p.but} AND NOT EXISTS (
        SELECT FROM refund_psbts b WHERE b.account = ${p.account} AND b.change_index = next.i))
    )::integer AS index`,
);

/**
 * Returns the change index of a refund: its own, or the lowest that no other has. The wallet is locked. Not
 * one whose address is paid: the two outputs would be one transfer of their sum, which completes nothing.
 */
export async function freeChangeIndex(
  tx: Tx,
  account: string | null,
  refundId: string,
  isPaid: (index: number) => boolean,
): Promise<number> {
  const lowest = async (but: number) =>
    (await runOne(tx, freeChange, { account, refundId, but }))?.index ?? but + 1;
  const index = await lowest(-1);
  return isPaid(index) ? lowest(index) : index;
}

const releaseCoins = sql<never, { id: string }>(
  'release_refund_coins',
  (p) => `DELETE FROM refund_coins WHERE refund_id = ${p.id}`,
);

const endWithdrawn = sql<never, { id: string }>(
  'end_withdrawn_coins',
  (p) => `
    DELETE FROM withdrawn_coins w USING refunds r
    WHERE r.id = ${p.id} AND r.network = 'bitcoin' AND ${REPLACES('r', 'w')}`,
);

const takeCoins = sql<never, { coins: string }>(
  'take_refund_coins',
  (p) => `
    INSERT INTO refund_coins (tx_hash, output_index, deposit_index, refund_id)
    SELECT tx_hash, output_index, deposit_index, refund_id FROM json_to_recordset(${p.coins}::json) AS c (
      tx_hash text, output_index integer, deposit_index integer, refund_id text)`,
);

/**
 * Makes a request of a refund spend these coins, and no others: among them what is unspent of those that
 * `readCoinsOf` has returned. Payment and wallet are locked.
 */
export async function replaceCoins(tx: Tx, id: string, coins: readonly TakenCoin[]): Promise<void> {
  await run(tx, releaseCoins, { id });
  await run(tx, endWithdrawn, { id });
  if (coins.length > 0) await run(tx, takeCoins, { coins: recordset(coins) });
}
