import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { FAMILY_OF } from '../../chain/wallets/families.ts';
import { ERASED_ADDRESS } from '../../payments/refunds/by-merchant/payout-transfers.ts';
import { IS_COMPLETED } from '../../payments/refunds/states.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import type { Range } from '../verify/invariant.ts';
import { within } from '../verify/pages/statements.ts';
import type { Received } from './witness.ts';

/** What is compared: the payments of a page, on a network up to a block. */
export interface Portion extends Range {
  readonly network: NetworkId;
  readonly height: number;
}

/** An address of a payment, and what the ledger has of a coin there; a row for each coin, one where none. */
export interface DepositRow {
  readonly payment_id: string;
  readonly wallet_id: string;
  /** Null: the payment has none there, and nothing of it can be there. */
  readonly address: string | null;
  readonly coin: CoinId | null;
  /** What the ledger has received, less what it has reversed and what is in blocks above. */
  readonly ledger: string;
  /** In a block up to the height, and not confirmed: the watcher is about to. */
  readonly confirming: string;
  /** What its audit found there of the native coin before the payment. */
  readonly baseline: string | null;
}

// Each part is looked up for the payment by its key, so that no page reads a table: quotes, further_deposits,
// balance_audits, ledger_of_payment, transfers. What is unmined, evicted or reverted is no part of it.
const deposits = sql<DepositRow, Portion>(
  'verify_chain_deposits',
  (p) => `
    SELECT p.id AS payment_id, coalesce(f.wallet_id, p.wallet_id) AS wallet_id, q.address, m.coin,
      coalesce(m.ledger, 0)::text AS ledger, coalesce(m.confirming, 0)::text AS confirming,
      a.baseline::text AS baseline
    FROM payments p
      LEFT JOIN LATERAL (
        SELECT address FROM quotes WHERE payment_id = p.id AND network = ${p.network} LIMIT 1
      ) q ON true
      LEFT JOIN LATERAL (
        SELECT wallet_id FROM further_deposits
        WHERE payment_id = p.id AND family = ${FAMILY_OF(`${p.network}::text`)} LIMIT 1
      ) f ON true
      LEFT JOIN LATERAL (
        SELECT baseline FROM balance_audits WHERE payment_id = p.id AND network = ${p.network} LIMIT 1
      ) a ON true
      LEFT JOIN LATERAL (
        SELECT coin, sum(booked) - sum(above) AS ledger, sum(confirming) AS confirming FROM (
          SELECT coin, CASE kind WHEN 'received' THEN amount ELSE -amount END AS booked, 0 AS above,
            0 AS confirming
          FROM ledger_entries
          WHERE payment_id = p.id AND network = ${p.network} AND kind IN ('received', 'reversed')
          UNION ALL
          SELECT coin, 0,
            CASE WHEN confirmed_at IS NOT NULL AND block_height > ${p.height}::bigint THEN amount ELSE 0 END,
            CASE WHEN confirmed_at IS NULL AND block_height <= ${p.height}::bigint THEN amount ELSE 0 END
          FROM transfers
          WHERE payment_id = p.id AND network = ${p.network} AND is_live AND dropped_at IS NULL
        ) parts
        GROUP BY coin
      ) m ON true
    WHERE ${within('p.id', p)} AND coalesce(f.wallet_id, p.wallet_id) IS NOT NULL
      AND (q.address IS NOT NULL OR m.ledger + m.confirming <> 0)
    ORDER BY p.id`,
);

/** Returns the addresses of a page's payments on a network. */
export const readDeposits = (tx: Tx, portion: Portion): Promise<DepositRow[]> => run(tx, deposits, portion);

/** A transfer that stands in a block up to the height. */
export interface BookedTransfer {
  readonly payment_id: string;
  readonly coin: CoinId;
  readonly tx_hash: string;
  readonly amount: string;
  /** A bigint, thus a string. */
  readonly height: string;
}

const transfers = sql<BookedTransfer, { ids: readonly string[]; network: NetworkId; height: number }>(
  'verify_chain_transfers',
  (p) => `
    SELECT payment_id, coin, tx_hash, amount::text, block_height::text AS height FROM transfers
    WHERE payment_id = ANY (${p.ids}) AND network = ${p.network} AND is_live AND dropped_at IS NULL
      AND block_height <= ${p.height}::bigint
    ORDER BY payment_id, place`,
);

/** Returns the transfers of some payments. */
export async function readTransfers(
  tx: Tx,
  ids: readonly string[],
  { network, height }: Portion,
): Promise<BookedTransfer[]> {
  return ids.length === 0 ? [] : run(tx, transfers, { ids, network, height });
}

/** A refund that a final transfer has completed. */
export interface PaidRefund {
  readonly id: string;
  readonly wallet_id: string;
  readonly coin: CoinId;
  readonly amount: string;
  /** Null: it was erased. */
  readonly address: string | null;
  readonly tx_hash: string;
  /** Null: no transfer that was read has completed it. */
  readonly height: string | null;
}

// Indexes: refunds_of_payment, and that of payout_transfers by refund. Who it is paid to may be erased.
const refunds = sql<PaidRefund, Portion>(
  'verify_chain_refunds',
  (p) => `
    SELECT r.id, p.wallet_id, r.coin, r.coin_amount AS amount, coalesce(r.tx_hash, '') AS tx_hash,
      CASE WHEN t.address IS DISTINCT FROM ${ERASED_ADDRESS('t.tx_hash', 'r.address')} THEN r.address END
        AS address,
      t.block_height::text AS height
    FROM refunds r JOIN payments p ON p.id = r.payment_id
      LEFT JOIN payout_transfers t ON t.refund_id = r.id
    WHERE ${within('r.payment_id', p)} AND r.network = ${p.network} AND ${IS_COMPLETED('r')}
      AND p.wallet_id IS NOT NULL AND (t.block_height IS NULL OR t.block_height <= ${p.height}::bigint)
    ORDER BY r.payment_id, r.place`,
);

/** Returns the refunds of a page's payments that are paid. */
export const readPaidRefunds = (tx: Tx, portion: Portion): Promise<PaidRefund[]> => run(tx, refunds, portion);

const unbooked = sql<Received & { payment_id: string }, { network: NetworkId; received: string }>(
  'verify_chain_unbooked',
  (p) => `
    SELECT q.payment_id, r.tx_hash AS "txHash", r.coin, r.address, r.amount::text, r.height
    FROM json_to_recordset(${p.received}::json) AS r (
      tx_hash text, coin text, address text, amount numeric, height integer)
      CROSS JOIN LATERAL (
        SELECT payment_id FROM quotes WHERE address = r.address AND network = ${p.network} LIMIT 1
      ) q
    WHERE NOT EXISTS (
      SELECT FROM transfers t WHERE t.payment_id = q.payment_id AND t.network = ${p.network}
        AND t.tx_hash = r.tx_hash AND t.coin = r.coin AND t.amount = r.amount AND t.dropped_at IS NULL
        AND t.block_height = r.height)`,
);

/** Returns those of the transfers to payments that the books do not have. */
export async function findUnbooked(tx: Tx, network: NetworkId, received: readonly Received[]) {
  if (received.length === 0) return [];
  const rows = received.map(({ txHash, ...one }) => ({ ...one, tx_hash: txHash }));
  return run(tx, unbooked, { network, received: recordset(rows) });
}

const owned = sql<{ address: string }, { network: NetworkId; addresses: readonly string[] }>(
  'verify_chain_addresses',
  (p) => `
    SELECT DISTINCT address FROM quotes
    WHERE address = ANY (${p.addresses}) AND network = ${p.network}`,
);

/** Returns those of some addresses that payments have. Index: quotes_by_address. */
export async function readOwned(tx: Tx, network: NetworkId, addresses: readonly string[]) {
  return new Set((await run(tx, owned, { network, addresses })).map(({ address }) => address));
}
