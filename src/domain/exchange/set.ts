import type { Context } from '../../platform/context.ts';
import { groupBy, runOne, sql, type Tx } from '../../platform/postgres/db.ts';
import { compare } from '../../platform/values/money.ts';
import { isAddress } from '../chain/addresses.ts';
import type { CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import { NETWORKS } from '../chain/networks.ts';
import { storeAddresses, type AddressRow } from './addresses.ts';
import { isSettledAtKraken } from './kraken/markets.ts';
import type { Credentials } from './kraken/request.ts';
import { accountWith, openAccount, sealCredentials } from './open.ts';
import type { ExchangeAccount } from './port.ts';
import { findAccount, isOtherAccount, storeAccount } from './store.ts';

/** Kraken lets older addresses expire where it makes more of them for a coin: what comes there is lost. */
const MOST_ADDRESSES = 5;

interface Merchant {
  readonly mode: string;
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly accepted_methods: readonly Method[];
}
type Method = { readonly coin: CoinId; readonly network: NetworkId };

const merchantById = sql<Merchant, { merchantId: string }>(
  'merchant_of_exchange_account',
  (p) => `
    SELECT mode, settlement_currency AS coin, settlement_network AS network, accepted_methods
    FROM merchants WHERE id = ${p.merchantId}`,
);

/** An account as `exchange set` and `exchange refresh` leave it. */
export interface AccountFacts {
  /** The deposit addresses that payments take. */
  readonly addresses: readonly Pick<AddressRow, 'network' | 'address' | 'coins'>[];
  /** What the merchant accepts and the exchange does not settle. */
  readonly unsold: readonly string[];
}

/** An account that is to be set. */
export interface AccountAsked {
  readonly merchantId: string;
  readonly credentials: Credentials;
  readonly slippagePercent: string;
}

/**
 * Stores the account at Kraken at which the live payments of a merchant take money from now on, once its key
 * has the rights of a sale, and none to withdraw. Throws RangeError for what cannot be settled there, and
 * ExchangeError; both name no secret.
 */
export async function setAccount(ctx: Context, asked: AccountAsked): Promise<AccountFacts> {
  const { merchantId, credentials, slippagePercent } = asked;
  const merchant = await readMerchant(ctx, merchantId);
  // What is stored continues behind the nonces of these requests, which continue behind what is stored.
  let nonce = BigInt((await findAccount(ctx.db, merchantId))?.nonce ?? 0);
  const nextNonce = () => {
    const clock = BigInt(ctx.systemNow().getTime()) * 1_000n;
    // Workers that have the same key go by the clock as well.
    nonce = clock > nonce ? clock : nonce + 1n;
    return Promise.resolve(String(nonce));
  };
  const account = accountWith(ctx, merchantId, credentials, nextNonce);
  await account.checkRights();
  const listed = await listAll(account, methodsOf(merchant).taken);
  const { keyId, ciphertext } = sealCredentials(ctx, merchantId, credentials);
  const row = { merchantId, exchange: 'kraken', keyId, ciphertext, slippagePercent } as const;
  // Whatever is wrong with it, the account before stays as it was.
  return ctx.db.transaction(async (tx) => {
    const addresses = listed.map(({ address }) => address);
    if (await isOtherAccount(tx, merchantId, addresses, ctx.now())) throw new RangeError(OTHER_ACCOUNT);
    await storeAccount(tx, { ...row, nonce: String(nonce), now: ctx.now() });
    const facts = await store(ctx, tx, merchantId, merchant, listed);
    assertTakes(facts, merchant);
    return facts;
  });
}

const OTHER_ACCOUNT =
  'The key is of another account at Kraken, which lists none of the deposit addresses that payments have, and ' +
  'knows nothing of what is still to be sold. Retire the account first, and set the new one two days after the ' +
  'last sale';

/** Reads the addresses of an account again: those that the exchange lists no more serve no new payment. */
export async function refreshAccount(ctx: Context, merchantId: string): Promise<AccountFacts> {
  const merchant = await readMerchant(ctx, merchantId);
  const { account } = await openAccount(ctx, merchantId);
  await account.checkRights();
  const listed = await listAll(account, methodsOf(merchant).taken);
  const facts = await ctx.db.transaction((tx) => store(ctx, tx, merchantId, merchant, listed));
  assertTakes(facts, merchant);
  return facts;
}

async function readMerchant(ctx: Context, merchantId: string): Promise<Merchant> {
  const merchant = await runOne(ctx.db, merchantById, { merchantId });
  if (merchant === null) throw new RangeError(`There is no merchant ${merchantId}`);
  if (merchant.mode !== 'live')
    throw new RangeError(`${merchantId} is a test merchant: its payments are simulated`);
  if (ctx.config.chainProfile !== 'mainnet')
    throw new RangeError('An exchange takes no coins of test networks: CHAIN_PROFILE must be mainnet');
  const { coin, network } = merchant;
  if (!isSettledAtKraken(coin, network, coin))
    throw new RangeError(`Kraken takes no ${coin} on ${network}, in which the merchant settles`);
  return merchant;
}

function methodsOf({ coin, network, accepted_methods }: Merchant): { taken: Method[]; unsold: string[] } {
  const isTaken = (one: Method) => isSettledAtKraken(one.coin, one.network, coin);
  return {
    taken: [{ coin, network }, ...accepted_methods.filter(isTaken)],
    unsold: accepted_methods.filter((one) => !isTaken(one)).map((one) => `${one.coin}/${one.network}`),
  };
}

type Listed = AccountFacts['addresses'];

/** Lists what there is for each method, and makes as many as are safe. */
async function listAll(account: ExchangeAccount, methods: readonly Method[]): Promise<Listed> {
  const found: { network: NetworkId; address: string; coin: CoinId }[] = [];
  for (const { coin, network } of methods) {
    const addresses = await account.listAddresses(coin, network);
    while (addresses.length < MOST_ADDRESSES) {
      const more = await account.addAddress(coin, network);
      if (more === null) break;
      addresses.push(more);
    }
    for (const address of addresses)
      if (isAddress(network, address)) found.push({ coin, network, address: asDerived(network, address) });
  }
  return [...groupBy(found, ({ network, address }) => `${network} ${address}`).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { network, address } = first;
    return [{ network, address, coins: group.map(({ coin }) => coin).toSorted() }];
  });
}

/** In the form in which chains report addresses: on EVM networks in lower case. */
const asDerived = (network: NetworkId, address: string): string =>
  NETWORKS[network].addressFormat === 'hex' ? address.toLowerCase() : address;

async function store(
  ctx: Context,
  tx: Tx,
  merchantId: string,
  merchant: Merchant,
  listed: Listed,
): Promise<AccountFacts> {
  const own = await storeAddresses(ctx, tx, merchantId, listed, ctx.now());
  const addresses = listed.filter(({ address }) => own.includes(address));
  return { addresses, unsold: methodsOf(merchant).unsold };
}

function assertTakes({ addresses }: AccountFacts, { coin, network }: Merchant): void {
  if (!addresses.some((one) => one.network === network && one.coins.includes(coin)))
    throw new RangeError(
      `Kraken lists no deposit address for ${coin} on ${network} that another merchant does not have`,
    );
}

/** Returns a percentage above 0 and at most 20. Throws RangeError. */
export function slippageOf(text: string): string {
  if (/^\d{1,2}(\.\d{1,4})?$/.test(text) && compare(text, '0') > 0 && compare(text, '20') <= 0) return text;
  throw new RangeError(`--slippage-percent ${text} is no percentage above 0 and at most 20`);
}
