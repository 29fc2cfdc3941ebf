import { FAMILY_OF, familyOf, type WalletFamily } from '../../chain/wallets/families.ts';
import { namedKind, WALLET_KIND_IDS } from '../../chain/wallets/kinds.ts';
import { walletFault } from '../../chain/wallets/open.ts';
import { IS_IN_USE, type Wallet } from '../../chain/wallets/store.ts';
import { findAccount, IS_ACCOUNT_IN_USE } from '../../exchange/store.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { walletsCheck } from '../health/wallets.ts';
import { broken, missing, ok, type Check, type Verdict } from './finding.ts';
import { networksOf, type Merchant } from './merchant.ts';

const SET = 'npm run merchants -- wallet set --kind';
/** How people call the networks of a family, and what sets a wallet there, but for whose it is. */
const FAMILIES: Readonly<
  Record<WalletFamily, { readonly name: string; readonly set: string; readonly or: string }>
> = {
  evm: {
    name: 'EVM networks',
    set: `${SET} forwarder --value ADDRESS --merchant`,
    or: `; of kinds ${WALLET_KIND_IDS.map(namedKind).join(' and ')}`,
  },
  bitcoin: { name: 'Bitcoin', set: `${SET} xpub --network bitcoin --value ZPUB --merchant`, or: '' },
};

/** Where the live money of a merchant goes, on each of its networks, or of all of them (`null`). */
export function walletCheck(ctx: Context, merchant: Merchant | null): Check {
  if (merchant === null) return { name: 'wallets', look: () => walletsOfAll(ctx) };
  const families = new Set(networksOf(merchant).flatMap((network) => familyOf(network) ?? []));
  const look = async () => {
    const account = await findAccount(ctx.db, merchant.id);
    if (account?.retired_at === null)
      return [ok(`its payments take money at its account at ${account.exchange}`)];
    return Promise.all([...families].map((family) => walletOf(ctx, merchant.id, family)));
  };
  return { name: 'wallet', subject: merchant.id, look };
}

// The merchant's own stand before the default, and the newest first.
const walletsFor = sql<Wallet, { merchantId: string; family: WalletFamily }>(
  'preflight_wallets',
  (p) => `
    SELECT * FROM wallets
    WHERE (merchant_id = ${p.merchantId} OR merchant_id IS NULL) AND family = ${p.family}
      AND retired_at IS NULL
    ORDER BY merchant_id NULLS LAST, id DESC LIMIT 100`,
);

async function walletOf({ db, config }: Context, merchantId: string, family: WalletFamily): Promise<Verdict> {
  const wallets = await run(db, walletsFor, { merchantId, family });
  const { name, set, or } = FAMILIES[family];
  const used = wallets.find(({ confirmed_at }) => confirmed_at !== null);
  const pending = wallets.find(({ confirmed_at }) => confirmed_at === null);
  if (used === undefined && pending !== undefined)
    return missing(
      `the wallet ${pending.id} is not confirmed`,
      `npm run merchants -- wallet confirm --wallet ${pending.id} --address ADDRESS, with what its owner's wallet shows`,
    );
  if (used === undefined)
    return missing(`no wallet takes its payments on ${name}`, `${set} ${merchantId}${or}`);
  const whose = used.merchant_id === null ? "the installation's default" : 'its own';
  const fault = walletFault(config, used);
  return fault === null
    ? ok(
        `${used.id}, a ${namedKind(used.kind)} for ${name}, ${whose}, confirmed ${used.confirmed_at?.toISOString() ?? ''}`,
      )
    : broken(
        `the wallet ${used.id} is refused: ${fault}`,
        'docs/operations/wallets.md, "A wallet that is refused"',
      );
}

/** Merchants without a wallet that are named. */
const NAMED = 5;

const withoutWallet = sql<{ id: string; live: number; without: number }, { limit: number }>(
  'preflight_merchants_without_wallet',
  (p) => `
    WITH live AS (
      SELECT m.id, EXISTS (
          SELECT FROM wallets w
          WHERE coalesce(w.merchant_id, '') IN (m.id, '') AND ${IS_IN_USE}
            AND w.family = ${FAMILY_OF('m.settlement_network')}
        ) OR EXISTS (
          SELECT FROM exchange_accounts a WHERE a.merchant_id = m.id AND ${IS_ACCOUNT_IN_USE('a')}
        ) AS has_wallet
      FROM merchants m WHERE m.mode = 'live' AND m.suspended_at IS NULL
    )
    SELECT coalesce(one.id, '') AS id, counted.live, counted.without
    FROM (
      SELECT count(*)::int AS live, (count(*) FILTER (WHERE NOT has_wallet))::int AS without FROM live
    ) counted LEFT JOIN (
      SELECT id FROM live WHERE NOT has_wallet ORDER BY id DESC LIMIT ${p.limit}
    ) one ON true`,
);

async function walletsOfAll(ctx: Context): Promise<Verdict> {
  const rows = await run(ctx.db, withoutWallet, { limit: NAMED });
  const { live = 0, without = 0 } = rows[0] ?? {};
  const [fault] = await walletsCheck(ctx).look();
  if (fault !== undefined) return broken(fault, 'docs/operations/wallets.md, "A wallet that is refused"');
  if (live === 0)
    return missing(
      'there is no live merchant',
      'npm run merchants -- create --mode live --name NAME --currency COIN --network NETWORK',
    );
  if (without === 0) return ok(`each of ${live} live merchants has one; --merchant ID looks at one merchant`);
  const named = rows.map(({ id }) => id).join(', ');
  return missing(
    `${without} of ${live} live merchants have none: ${named}${without > NAMED ? ', ...' : ''}`,
    `${FAMILIES.evm.set} ID, on Bitcoin ${FAMILIES.bitcoin.set} ID, or for all of them: --merchant default${FAMILIES.evm.or}`,
  );
}
