import { DEFAULT_LIMIT, type PageQuery } from '../api/schemas.ts';
import { networksOf } from '../chain/wallets/families.ts';
import { formOf, WALLET_KIND_IDS } from '../chain/wallets/kinds.ts';
import type { Keys } from '../chain/wallets/mac.ts';
import { walletFault } from '../chain/wallets/open.ts';
import type { Wallet } from '../chain/wallets/store.ts';
import { pageOf, parseCursor } from '../api/pages.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { idPattern } from '../../platform/values/ids.ts';
import type { WalletList, WalletResource } from './schemas.ts';

/** Above every id: "~" is the last printable character of ASCII. */
const AFTER_ALL = '~';

// Served by wallets_of_merchant.
const pageOfWallets = sql<
  Wallet,
  { merchantId: string; before: string; kinds: readonly string[]; limit: number }
>(
  'page_of_wallets',
  (p) => `
    SELECT * FROM wallets
    WHERE merchant_id = ${p.merchantId} AND id < ${p.before} AND kind = ANY (${p.kinds})
    ORDER BY id DESC LIMIT ${p.limit}`,
);

/**
 * One page of a merchant's wallets, newest first. The installation's default is not theirs. Throws
 * ValidationError for a cursor of another list.
 */
export async function listWalletsOf(
  connection: Connection,
  config: Keys,
  merchantId: string,
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
): Promise<WalletList> {
  const before = parseCursor(cursor, { id: idPattern('wal') })?.id ?? AFTER_ALL;
  const rows = await run(connection, pageOfWallets, {
    merchantId,
    before,
    kinds: WALLET_KIND_IDS,
    limit: limit + 1,
  });
  const { shown, pagination } = pageOf(rows, limit, ({ id }) => [id]);
  return { data: shown.map((wallet) => toResource(config, wallet)), pagination };
}

/**
 * A wallet as it may be shown: without the text of its public key, and of one that is refused without what
 * somebody wrote there.
 */
export function toResource(config: Keys, wallet: Wallet): WalletResource {
  const { id, kind, family, public_data, created_at, confirmed_at, retired_at } = wallet;
  const known = walletFault(config, wallet) === null ? formOf(wallet) : null;
  return {
    id,
    kind,
    state: known === null ? 'refused' : stateOf(wallet),
    networks: networksOf(family),
    unaudited: known?.isUnaudited ?? false,
    public_key: known?.publicKey(public_data) ?? null,
    treasury: known?.treasury(public_data) ?? null,
    created_at: created_at.toISOString(),
    confirmed_at: confirmed_at?.toISOString() ?? null,
    retired_at: retired_at?.toISOString() ?? null,
  };
}

function stateOf({ confirmed_at, retired_at }: Wallet): WalletResource['state'] {
  if (retired_at !== null) return 'retired';
  return confirmed_at === null ? 'pending' : 'in_use';
}
