import { networksOf, shownAddress } from '../chain/wallets/families.ts';
import { openWallet } from '../chain/wallets/open.ts';
import type { Wallet } from '../chain/wallets/store.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import type { NetworkId } from '../chain/networks.ts';

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

interface StoredDeposit extends Omit<DepositRow, 'path' | 'index' | 'address'> {
  readonly deposit_index: number;
  /** Null: the payment was quoted on no network of the wallet, and nobody was shown its address. */
  readonly address: string | null;
}

interface PageOfWallet {
  readonly walletId: string;
  readonly networks: readonly NetworkId[];
  readonly after: number;
  readonly limit: number;
}

// Indexes: payments_by_deposit, that of further_deposits, quotes and transfers by payment. A forwarder's row
// and an xpub's are the same here. Where a customer pays on networks of another wallet as well, the payment
// has an address for each: quotes have all of them.
const pageOfDeposits = sql<StoredDeposit, PageOfWallet>(
  'export_deposits',
  (p) => `
    SELECT d.deposit_index, q.address, d.id AS payment_id, t.network, t.coin,
      coalesce(sum(t.amount), 0)::text AS received
    FROM (
      (SELECT id, deposit_index FROM payments
        WHERE wallet_id = ${p.walletId} AND deposit_index > ${p.after}
        ORDER BY deposit_index LIMIT ${p.limit})
      UNION ALL
      (SELECT payment_id, deposit_index FROM further_deposits
        WHERE wallet_id = ${p.walletId} AND deposit_index > ${p.after}
        ORDER BY deposit_index LIMIT ${p.limit})
      ORDER BY deposit_index LIMIT ${p.limit}
    ) d LEFT JOIN LATERAL (
      SELECT address FROM quotes WHERE payment_id = d.id AND network = ANY (${p.networks}) LIMIT 1
    ) q ON true
    LEFT JOIN transfers t
      ON t.payment_id = d.id AND t.network = ANY (${p.networks}) AND t.dropped_at IS NULL
    GROUP BY d.deposit_index, q.address, d.id, t.network, t.coin
    ORDER BY d.deposit_index, t.network, t.coin`,
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
  const of = { walletId: wallet.id, networks: networksOf(wallet.family), limit: pageSize };
  for (let after = -1; ;) {
    const found = await run(db, pageOfDeposits, { ...of, after });
    const last = found.at(-1);
    if (last === undefined) return;
    yield found.flatMap(({ deposit_index: index, ...row }) => {
      if (row.address === null) return [];
      const address = opened.addressAt(index);
      if (address !== row.address)
        throw new Error(
          `Payment ${row.payment_id} has another address than index ${index} of its wallet: its row was changed`,
        );
      return { index, path: opened.pathAt(index), ...row, address: shownAddress(opened, address) };
    });
    after = last.deposit_index;
  }
}
