import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { subtract } from '../../../platform/values/money.ts';
import { isAddress } from '../../chain/addresses.ts';
import { ExchangeError, type ExchangeAccount, type ExchangeDeposit } from '../port.ts';
import { ASSETS, depositMethodsOf, pairOf } from './markets.ts';
import { findByClientId, findById } from './orders.ts';
import {
  callPrivate,
  callPublic,
  decimalOf,
  fieldsOf,
  listOf,
  type Call,
  type Credentials,
} from './request.ts';

export interface KrakenOptions {
  readonly base: string;
  readonly credentials: Credentials;
  /** Returns a number above all that it has returned for this key, in any process. */
  readonly nextNonce: () => Promise<string>;
}

/** Requests of other processes may overtake one, which Kraken then refuses unread. */
const MOST_NONCES = 4;
const INVALID_NONCE = 'EAPI:Invalid nonce';
/** Of 25 deposits, unless asked for more, the answer has the newest. */
const MOST_DEPOSITS = 300;

/** An account at Kraken, by its REST API. */
export function krakenAccount(options: KrakenOptions): ExchangeAccount {
  const call = (method: string, params: Readonly<Record<string, string>> = {}) =>
    callOnce(options, method, params);
  const addresses = async (coin: CoinId, network: NetworkId, more: Readonly<Record<string, string>> = {}) => {
    const method = await depositMethod(call, coin, network);
    const listed = await call('DepositAddresses', { asset: assetOf(coin), method, ...more });
    return listOf(listed).flatMap(usableAddress);
  };
  return {
    listAddresses: (coin, network) => addresses(coin, network),
    async addAddress(coin, network) {
      const before = new Set(await addresses(coin, network));
      // `new=false` makes one as well: only without it none is made.
      const after = await addresses(coin, network, { new: 'true' }).catch((error: unknown) => {
        if (error instanceof ExchangeError && error.message.includes('EFunding:Too many addresses'))
          return [];
        throw error;
      });
      return after.find((one) => !before.has(one)) ?? null;
    },
    async listDeposits(coin, network, since) {
      const method = await depositMethod(call, coin, network);
      const start = String(Math.floor(since.getTime() / 1_000));
      const asked = { asset: assetOf(coin), method, start, limit: String(MOST_DEPOSITS) };
      const listed = listOf(await call('DepositStatus', asked));
      // One that is listed twice is one, the last state of which counts.
      const byId = new Map(listed.map((one, place) => [fieldsOf(one).refid ?? place, one]));
      return [...byId.values()].flatMap((one) => depositOf(network, one));
    },
    async readMarket(coin, settled) {
      const pair = pairOf(coin, settled);
      if (pair === null)
        throw new ExchangeError('refused', 'order_refused', `Kraken sells no ${coin} for ${settled}`);
      const found = fieldsOf(await callPublic(options.base, 'AssetPairs', { pair }));
      return marketOf(pair, fieldsOf(Object.values(found)[0]));
    },
    async sell({ clientId, pair, volume, limit, deadline }) {
      const taken = await callOrder(options, {
        pair,
        type: 'sell',
        ordertype: 'limit',
        timeinforce: 'IOC',
        oflags: 'fciq',
        volume,
        price: limit,
        cl_ord_id: clientId,
        deadline: deadline.toISOString(),
      });
      const [exchangeId] = listOf(fieldsOf(taken).txid);
      if (typeof exchangeId === 'string') return exchangeId;
      throw new ExchangeError('unknown', 'exchange_unavailable', 'AddOrder: an answer without an order');
    },
    findOrder: ({ clientId, exchangeId }) =>
      exchangeId === null ? findByClientId(call, clientId) : findById(call, exchangeId),
    checkRights: () => checkRights(call),
  };
}

/**
 * Sends an order, once. A nonce that is refused says nothing of it: what stands between us and Kraken may
 * have sent the same request twice, and the first of them was taken.
 */
async function callOrder(
  { base, credentials, nextNonce }: KrakenOptions,
  params: Readonly<Record<string, string>>,
): Promise<unknown> {
  const sent = callPrivate(base, 'AddOrder', params, credentials, await nextNonce());
  return sent.catch((error: unknown) => {
    if (error instanceof ExchangeError && error.message.includes(INVALID_NONCE))
      throw new ExchangeError('unknown', error.reason, error.message);
    throw error;
  });
}

async function callOnce(
  { base, credentials, nextNonce }: KrakenOptions,
  method: string,
  params: Readonly<Record<string, string>>,
): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await callPrivate(base, method, params, credentials, await nextNonce());
    } catch (error) {
      const isOvertaken = error instanceof ExchangeError && error.message.includes(INVALID_NONCE);
      if (!isOvertaken || tries === MOST_NONCES) throw error;
    }
  }
}

async function depositMethod(call: Call, coin: CoinId, network: NetworkId): Promise<string> {
  const known = depositMethodsOf(coin, network);
  const listed = listOf(await call('DepositMethods', { asset: assetOf(coin) })).map((one) =>
    String(fieldsOf(one).method),
  );
  const found = listed.find((one) => known.includes(one));
  if (found !== undefined) return found;
  throw new ExchangeError(
    'refused',
    'order_refused',
    `Kraken names no way to deposit ${coin} on ${network} that this release knows: ${listed.join(', ').slice(0, 200)}`,
  );
}

/** One that is about to expire loses what comes later; one with a tag or memo needs more than itself. */
function usableAddress(listed: unknown): string[] {
  const { address, expiretm, tag, memo } = fieldsOf(listed);
  const isWhole = typeof address === 'string' && [undefined, 0, '0'].some((one) => one === expiretm);
  return isWhole && tag === undefined && memo === undefined ? [address] : [];
}

function depositOf(network: NetworkId, listed: unknown): ExchangeDeposit[] {
  const { txid, amount, fee, info } = fieldsOf(listed);
  if (typeof txid !== 'string' || typeof amount !== 'string') return [];
  const address = typeof info === 'string' && isAddress(network, info) ? info : null;
  const credited = subtract(decimalOf(amount), decimalOf(fee ?? '0'));
  return [{ txHash: txid, address, amount: credited, state: stateOf(fieldsOf(listed)) }];
}

/** What is sent back, or held for a review, cannot be sold, whatever its status. */
function stateOf(listed: Readonly<Record<string, unknown>>): ExchangeDeposit['state'] {
  const { status, 'status-prop': more } = listed;
  if (status === 'Failure' || more === 'return') return 'failed';
  return status === 'Success' && more !== 'onhold' ? 'credited' : 'pending';
}

function marketOf(pair: string, found: Readonly<Record<string, unknown>>) {
  const { pair_decimals, lot_decimals, ordermin, costmin, status } = found;
  if (status !== 'online' || typeof pair_decimals !== 'number' || typeof lot_decimals !== 'number')
    throw new ExchangeError('later', 'exchange_unavailable', `AssetPairs: ${pair} is ${String(status)}`);
  return {
    pair,
    priceDecimals: pair_decimals,
    volumeDecimals: lot_decimals,
    leastVolume: decimalOf(ordermin ?? '0'),
    leastValue: decimalOf(costmin ?? '0'),
  };
}

/**
 * Looks at balances, and asks for what only a key that may withdraw is told: that must be refused. Kraken
 * says of no key what it may do.
 */
async function checkRights(call: Call): Promise<void> {
  await call('Balance');
  await call('OpenOrders');
  await call('ClosedOrders');
  const mayWithdraw = await call('WithdrawMethods').then(
    () => true,
    (error: unknown) => {
      if (error instanceof ExchangeError && error.message.includes('EGeneral:Permission denied'))
        return false;
      throw error;
    },
  );
  if (mayWithdraw)
    throw new ExchangeError('refused', 'key_refused', 'the key may withdraw: make one without that right');
}

function assetOf(coin: CoinId): string {
  const asset = ASSETS[coin];
  if (asset === undefined) throw new ExchangeError('refused', 'order_refused', `Kraken has no ${coin}`);
  return asset;
}
