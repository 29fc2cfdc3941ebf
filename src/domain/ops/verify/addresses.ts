import { FAMILY_OF, type DerivableWallet } from '../../chain/wallets/families.ts';
import type { Keys } from '../../chain/wallets/mac.ts';
import { openWallet, walletFault } from '../../chain/wallets/open.ts';
import type { Wallet } from '../../chain/wallets/store.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import type { Invariant, Range } from './invariant.ts';
import { runOf, searchRows } from './pages/statements.ts';

/** An address that a payment shows of a wallet; null: it has no wallet, or no address of its networks. */
interface ShownRow {
  readonly id: string;
  readonly wallet_id: string | null;
  readonly deposit_index: number | null;
  readonly address: string | null;
}

const shown = searchRows<ShownRow, Range>(
  'verify_addresses',
  (within) => `
    SELECT p.id, d.wallet_id, d.deposit_index, q.address
    FROM (
      SELECT id, wallet_id, deposit_index FROM payments WHERE ${within('id')}
    ) p
      LEFT JOIN LATERAL (
        SELECT p.wallet_id, p.deposit_index WHERE p.wallet_id IS NOT NULL
        UNION ALL
        SELECT wallet_id, deposit_index FROM further_deposits WHERE payment_id = p.id
      ) d ON true
      LEFT JOIN wallets w ON w.id = d.wallet_id
      LEFT JOIN LATERAL (
        SELECT DISTINCT address FROM quotes
        WHERE payment_id = p.id AND ${FAMILY_OF('network')} = w.family
      ) q ON true`,
);

const walletsByIds = sql<Wallet, { ids: readonly string[] }>(
  'verify_wallets_of_addresses',
  (p) => `SELECT * FROM wallets WHERE id = ANY (${p.ids})`,
);

/** Addresses are derived again, by the wallets' MAC: money that goes elsewhere is not its merchant's. */
export const addressInvariants: readonly Invariant[] = [
  {
    name: 'addresses',
    meaning: 'a payment shows the address that its wallet has at its index',
    remedy:
      'Money that was sent there may be lost to the merchant: tell them, and close the payment. Find out who ' +
      'changed the row; npm run ops -- status shows the last actions.',
    async find(tx, page) {
      const rows = await runOf(tx, shown, page);
      const wallets = await openAll(tx, page.config, rows);
      return rows.flatMap((row) => {
        const detail = faultOf(row, wallets);
        return detail === null ? [] : [{ id: row.id, detail }];
      });
    },
  },
];

/** Null: it is refused, as another invariant says. */
type Opened = ReadonlyMap<string, DerivableWallet | null>;

async function openAll(tx: Tx, config: Keys, rows: readonly ShownRow[]): Promise<Opened> {
  const ids = [...new Set(rows.flatMap(({ wallet_id }) => wallet_id ?? []))];
  const wallets = ids.length === 0 ? [] : await run(tx, walletsByIds, { ids });
  return new Map(
    wallets.map((wallet) => [
      wallet.id,
      walletFault(config, wallet) === null ? openWallet(config, wallet) : null,
    ]),
  );
}

function faultOf({ wallet_id, deposit_index, address }: ShownRow, wallets: Opened): string | null {
  if (wallet_id === null) return null;
  const wallet = wallets.get(wallet_id);
  if (wallet === undefined) return `its wallet ${wallet_id} does not exist`;
  if (wallet === null || address === null) return null;
  const own = deposit_index === null ? 'none' : wallet.addressAt(deposit_index);
  return own === address
    ? null
    : `it shows ${address}, and ${wallet_id} has ${own} at index ${deposit_index}`;
}
