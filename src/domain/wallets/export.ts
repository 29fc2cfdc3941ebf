import { displayedAddress } from '../chain/addresses.ts';
import { openWallet } from '../chain/wallets/open.ts';
import type { Wallet } from '../chain/wallets/store.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';

/**
 * An address of a wallet that a payment has, and what came to it: a row for each coin, one where none came.
 */
export interface DepositRow {
  readonly index: number;
  readonly path: string;
  readonly address: string;
  readonly payment_id: string;
  readonly network: string | null;
  readonly coin: string | null;
  /** Decimal string: the sum of what stands on the chain, also what was refunded since. */
  readonly received: string;
}

const PAGE = 500;

interface StoredDeposit extends Omit<DepositRow, 'path' | 'index'> {
  readonly deposit_index: number;
}

// Indexes: payments_by_deposit, transfers by payment. A forwarder's row and an xpub's are the same here.
const pageOfDeposits = sql<StoredDeposit, { walletId: string; after: number; limit: number }>(
  'export_deposits',
  (p) => `
    SELECT p.deposit_index, p.address, p.id AS payment_id, t.network, t.coin,
      coalesce(sum(t.amount), 0)::text AS received
    FROM (
      SELECT id, deposit_index, address FROM payments
      WHERE wallet_id = ${p.walletId} AND deposit_index > ${p.after}
      ORDER BY deposit_index LIMIT ${p.limit}
    ) p LEFT JOIN transfers t ON t.payment_id = p.id AND t.dropped_at IS NULL
    GROUP BY p.deposit_index, p.address, p.id, t.network, t.coin
    ORDER BY p.deposit_index, t.network, t.coin`,
);

/**
 * Returns what came to the addresses of a wallet, by index, a page at a time. Each address is derived again,
 * and compared with the payment's. Throws WalletError where the wallet's MAC is wrong.
 */
export async function* exportDeposits(
  { db, config }: Pick<Context, 'db' | 'config'>,
  wallet: Wallet,
  pageSize = PAGE,
): AsyncGenerator<DepositRow[]> {
  const opened = openWallet(config, wallet);
  for (let after = -1; ;) {
    const found = await run(db, pageOfDeposits, { walletId: wallet.id, after, limit: pageSize });
    const last = found.at(-1);
    if (last === undefined) return;
    yield found.map(({ deposit_index: index, ...row }) => {
      const address = opened.addressAt(index);
      if (address !== row.address)
        throw new Error(
          `Payment ${row.payment_id} has another address than index ${index} of its wallet: its row was changed`,
        );
      return { index, path: opened.pathAt(index), ...row, address: displayedAddress('ethereum', address) };
    });
    after = last.deposit_index;
  }
}
