import { isNetwork, NETWORK_IDS, NETWORKS, type NetworkId } from './chain/networks.ts';
import type { ChainOf, Payouts } from './chain/port.ts';
import {
  simulatedAddresses,
  simulatedChain,
  simulatedDisplayRates,
  simulatedPayouts,
} from './chain/simulator/simulated.ts';
import { booksWithoutWallets } from './chain/wallets/address-book.ts';
import { walletAddresses } from './chain/wallets/wallet-addresses.ts';
import type { TestMarket } from './chain/rates/rates.ts';
import { simulatedMarket, simulatedRates } from './chain/simulator/market.ts';
import { EVERYTHING_PRICED, RecentMarket } from './chain/rates/priced.ts';
import { marketRates } from './chain/rates/store.ts';
import type { AdaptersByMode, CurrencyExchange, PaymentAdapters } from './payments/lifecycle/ports.ts';
import { webhookClientOf, type WebhookClient } from './webhooks/client/client.ts';
import type { Config } from '../platform/config/config.ts';
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

/** The real client of one network. */
export interface RealNetwork {
  readonly chain: ChainOf;
  readonly payouts: Payouts;
}

export type RealNetworks = Readonly<Partial<Record<NetworkId, RealNetwork>>>;

/**
 * The networks that have a real client, for live merchants. There is none yet:
 * docs/how-to/add-a-chain-client.md explains how to add one here.
 */
const REAL_NETWORKS: RealNetworks = {};

/** The networks on which live merchants can have payments without SIMULATE_LIVE. */
export const LIVE_NETWORKS = servedBy(REAL_NETWORKS);

function servedBy(real: RealNetworks): NetworkId[] {
  return NETWORK_IDS.filter((network) => real[network] !== undefined);
}

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
  >,
  real: RealNetworks = REAL_NETWORKS,
): Adapters {
  return {
    modes: config.simulateLive ? ['test', 'live'] : ['test'],
    networks: NETWORK_IDS,
    isSimulated: true,
    settlement: 'simulated',
    // Simulated transactions are in no explorer, unless an operator runs one.
    explorers: config.explorers,
    live: { ...realAdapters(real, config), explorers: { ...EXPLORERS, ...config.explorers } },
    addresses: booksWithoutWallets(simulatedAddresses),
    chain: simulatedChain,
    testChain: simulatedChain,
    testMarket: simulatedMarket,
    rates: simulatedRates,
    priced: EVERYTHING_PRICED,
    displayRates: simulatedDisplayRates,
    payouts: simulatedPayouts,
    exchange: simulatedExchange,
    webhooks: webhookClientOf(config),
    receiver: null,
    mailer: createMailer(config),
  };
}

const EXPLORERS = Object.fromEntries(NETWORK_IDS.map((network) => [network, NETWORKS[network].explorer]));

/** Where no real client exists, every use throws ApiError network_unavailable. */
function realAdapters(
  real: RealNetworks,
  { rateMaxAgeSeconds }: Pick<Config, 'rateMaxAgeSeconds'>,
): PaymentAdapters {
  const served = (network: string): RealNetwork => {
    const found = isNetwork(network) ? real[network] : undefined;
    if (found !== undefined) return found;
    throw new ApiError('network_unavailable', {
      message: `network_unavailable: no real client serves live payments on ${network}. Use a test key.`,
    });
  };
  const wallets = walletAddresses();
  const rates = marketRates(rateMaxAgeSeconds);
  return {
    modes: ['live'],
    networks: servedBy(real),
    isSimulated: false,
    settlement: 'par',
    explorers: EXPLORERS,
    addresses: {
      async open(ctx, caller, network) {
        served(network);
        return wallets.open(ctx, caller, network);
      },
      of: (ctx, place) => wallets.of(ctx, place),
    },
    chain: (ctx) => ({
      poll: async (network, ...asked) =>
        served(network)
          .chain(ctx)
          .poll(network, ...asked),
      find: async (network, txHash) => served(network).chain(ctx).find(network, txHash),
    }),
    payouts: { request: async (payout) => served(payout.network).payouts.request(payout) },
    rates,
    priced: new RecentMarket(rates),
    displayRates: () => Promise.reject(new ApiError('network_unavailable')),
    exchange: { convert: () => Promise.reject(new ApiError('network_unavailable')) },
  };
}

/** Accepts no more requests, and closes connections when the requests in flight have ended. */
export async function closeAdapters({ webhooks }: Adapters): Promise<void> {
  await webhooks.close();
}
