import { isCoin } from './chain/coins.ts';
import { isNetwork, NETWORK_IDS, type NetworkId } from './chain/networks.ts';
import type { ChainClient, Payouts } from './chain/port.ts';
import { realChains, SIMULATED_CHAINS } from './chain/profile.ts';
import {
  simulatedAddresses,
  simulatedChain,
  simulatedCurrencies,
  simulatedPayouts,
} from './chain/simulator/simulated.ts';
import { booksWithoutWallets } from './chain/wallets/address-book.ts';
import { walletAddresses } from './chain/wallets/wallet-addresses.ts';
import type { TestMarket } from './chain/rates/rates.ts';
import { simulatedMarket, simulatedRates } from './chain/simulator/market.ts';
import { EVERYTHING_PRICED, RecentMarket } from './chain/rates/priced.ts';
import { marketCurrencies, marketRates } from './chain/rates/store.ts';
import { exchangeBooks } from './exchange/books.ts';
import { openAccount } from './exchange/open.ts';
import { isUnderWay, STATUSES } from './payments/lifecycle/states.ts';
import type { ServedNetworks } from './payments/sync/served.ts';
import type { AdaptersByMode, CurrencyExchange, PaymentAdapters } from './payments/lifecycle/ports.ts';
import { webhookClientOf, type WebhookClient } from './webhooks/client/client.ts';
import type { Config } from '../platform/config/config.ts';
import { RPC_NETWORKS } from '../platform/config/variables.ts';
import { ApiError } from './api/errors.ts';
import { createMailer, type Mailer } from '../platform/mail.ts';

/** Every adapter: what the service uses beyond its own database and queues. */
export interface Adapters extends AdaptersByMode {
  /** The market of test merchants, who can move it. */
  readonly testMarket: TestMarket;
  readonly webhooks: WebhookClient;
  /** The URL that receives every event, overriding the merchant's endpoints; null: no override. */
  readonly receiver: string | null;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
}

/** Converts everything at once, at the locked rate. */
export const simulatedExchange: CurrencyExchange = { convert: () => Promise.resolve('converted') };

/** What serves live payments on a real network, apart from the watcher that reads it. */
export interface RealNetwork {
  readonly payouts: Payouts;
}

export type RealNetworks = Readonly<Partial<Record<NetworkId, RealNetwork>>>;

/**
 * The service holds no key: the merchant pays refunds from a wallet of their own, and a final transfer on the
 * chain completes them.
 */
const paidByMerchant: Payouts = { request: () => Promise.resolve('accepted') };

/** The networks on which live payments can be served, where a watcher reads them. */
const REAL_NETWORKS: RealNetworks = Object.fromEntries(
  RPC_NETWORKS.map((network) => [network, { payouts: paidByMerchant }]),
);

/** The networks on which live payments can be served without SIMULATE_LIVE. */
export const LIVE_NETWORKS = NETWORK_IDS.filter((network) => REAL_NETWORKS[network] !== undefined);

/** Which real networks a watcher reads, and which of them take new payments. */
export type Served = Pick<ServedNetworks, 'networks' | 'isHalted'>;

export interface RealOptions {
  readonly real?: RealNetworks;
  /** Default: none, as before a watcher has read any. */
  readonly served?: Served;
}

const NONE_SERVED: Served = { networks: [], isHalted: () => false };

/**
 * Creates the adapters: the one place that selects their implementations. Test merchants get the simulator,
 * live merchants the real clients or, with SIMULATE_LIVE, the simulator as well. The caller must close
 * adapters with `closeAdapters`.
 */
export function createAdapters(
  config: Pick<
    Config,
    | 'allowPrivateNetworks'
    | 'webhookTimeoutSeconds'
    | 'smtpUrl'
    | 'mailFrom'
    | 'publicUrl'
    | 'simulateLive'
    | 'explorers'
    | 'rateMaxAgeSeconds'
    | 'chainProfile'
    | 'testnetTokens'
  >,
  { real = REAL_NETWORKS, served = NONE_SERVED }: RealOptions = {},
): Adapters {
  return {
    modes: config.simulateLive ? ['test', 'live'] : ['test'],
    networks: NETWORK_IDS,
    isHalted: () => false,
    isSimulated: true,
    settlement: 'simulated',
    chains: SIMULATED_CHAINS,
    // Simulated transactions are in no explorer, unless an operator runs one.
    explorers: config.explorers,
    live: realAdapters(real, served, config),
    addresses: booksWithoutWallets(simulatedAddresses),
    chain: simulatedChain,
    testChain: simulatedChain,
    testMarket: simulatedMarket,
    rates: simulatedRates,
    priced: EVERYTHING_PRICED,
    currencies: simulatedCurrencies,
    payouts: simulatedPayouts,
    exchange: simulatedExchange,
    accounts: openAccount,
    webhooks: webhookClientOf(config),
    receiver: null,
    mailer: createMailer(config),
  };
}

/**
 * Nobody but the watcher reads a real network. Where none is read, every use throws ApiError
 * network_unavailable.
 */
function realAdapters(
  real: RealNetworks,
  served: Served,
  config: Pick<Config, 'rateMaxAgeSeconds' | 'chainProfile' | 'testnetTokens' | 'explorers'>,
): PaymentAdapters {
  const isServed = (network: NetworkId) => served.networks.includes(network) && real[network] !== undefined;
  const find = (network: string): RealNetwork => {
    const found = isNetwork(network) && isServed(network) ? real[network] : undefined;
    if (found !== undefined) return found;
    throw new ApiError('network_unavailable', {
      message: `network_unavailable: no real client serves live payments on ${network}. Use a test key.`,
    });
  };
  const wallets = walletAddresses();
  const atExchange = exchangeBooks(STATUSES.filter(isUnderWay));
  const rates = marketRates(config.rateMaxAgeSeconds);
  const chains = realChains(config);
  return {
    modes: ['live'],
    get networks() {
      return served.networks.filter(isServed);
    },
    isHalted: (network) => served.isHalted(network),
    isSimulated: false,
    settlement: 'par',
    chains,
    explorers: { ...chains.explorers, ...config.explorers },
    addresses: {
      async open(ctx, caller, network) {
        find(network);
        const { settlementCurrency: coin } = caller;
        const unavailable = (message: string) =>
          new ApiError('network_unavailable', { message: `network_unavailable: ${message}` });
        if (!isCoin(coin) || chains.contractOf(coin, network) === undefined)
          throw unavailable(`${coin} has no contract on ${chains.nameOf(network)}: see TESTNET_TOKENS.`);
        if (served.isHalted(network))
          throw unavailable(`${network} has halted, and takes no new payments. Try again later.`);
        return (caller.exchange === undefined ? wallets : atExchange).open(ctx, caller, network);
      },
      of: (ctx, payment, wanted) =>
        ((payment.exchange ?? null) === null ? wallets : atExchange).of(ctx, payment, wanted),
    },
    chain: () => UNREAD_CHAIN,
    payouts: { request: async (payout) => find(payout.network).payouts.request(payout) },
    rates,
    priced: new RecentMarket(rates),
    currencies: marketCurrencies(config.rateMaxAgeSeconds),
    exchange: { convert: () => Promise.reject(new ApiError('network_unavailable')) },
    accounts: openAccount,
  };
}

/** A real network, as processes see it that have no provider to ask. */
const UNREAD_CHAIN: ChainClient = {
  poll: () => Promise.reject(new Error('only the watcher reads a real network')),
  find: () => Promise.resolve(null),
};

/** Accepts no more requests, and closes connections when the requests in flight have ended. */
export async function closeAdapters({ webhooks }: Adapters): Promise<void> {
  await webhooks.close();
}
