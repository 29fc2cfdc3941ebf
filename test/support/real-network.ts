import { simulatedRates } from '../../src/domain/chain/simulator/market.ts';
import { createAdapters, type Adapters } from '../../src/domain/adapters.ts';
import type {
  ChainClient,
  ChainOf,
  ChainPage,
  ChainTransfer,
  Outcome,
  Watch,
} from '../../src/domain/chain/port.ts';
import type { NetworkId } from '../../src/domain/chain/networks.ts';
import { simulatedChain } from '../../src/domain/chain/simulator/simulated.ts';
import { RecentMarket } from '../../src/domain/chain/rates/priced.ts';
import type { TransferRequest } from '../../src/domain/chain/test-chain.ts';
import { findCaller } from '../../src/domain/merchants/api-keys.ts';
import type { NewMerchant } from '../../src/domain/merchants/store.ts';
import { createPayment } from '../../src/domain/payments/create.ts';
import type { CreatePaymentBody } from '../../src/domain/payments/schemas.ts';
import { readPayments } from '../../src/domain/payments/lifecycle/store.ts';
import { judgeAnnounced } from '../../src/domain/payments/refunds/by-merchant/follow.ts';
import { syncNetwork } from '../../src/domain/payments/sync/sync-network.ts';
import type { EvmNetworkId } from '../../src/networks/networks.ts';
import { hashApiKey } from '../../src/platform/values/ids.ts';
import type { Harness } from './harness.ts';
import type { Shop } from './shop.ts';
import { useWallet } from './wallets.ts';

/** What is paid on a real network, where a test does not say it. */
const PAID = {
  ethereum: { coin: 'USDC', amount: '10.50' },
  bitcoin: { coin: 'BTC', amount: '0.005' },
} as const;

/** A real network of live payments, on the chain of the simulator or of another client. */
export interface RealNetwork {
  readonly adapters: Adapters;
  /** What the client was given to ask, by its last poll. */
  readonly watched: Watch | null;
  /** What the client's node makes of each page from now on. */
  tell(change: (page: ChainPage) => ChainPage): void;
  /** What the client's node says from now on of every transaction that it is asked for. */
  answer(outcome: Outcome): void;
  sync(): Promise<boolean>;
  mine(blocks: number): Promise<number>;
  /** Adds a live merchant with a wallet. */
  addMerchant(own?: Partial<NewMerchant>): Promise<{ id: string; apiKey: string }>;
  /** Creates a payment, of a new merchant unless told otherwise. */
  create(body?: Partial<CreatePaymentBody>, merchant?: { id: string; apiKey: string }): Promise<string>;
  /** Pays 10.50 USDC, on Bitcoin 0.005 BTC, unless told otherwise. */
  pay(id: string, sending?: Partial<TransferRequest>): Promise<ChainTransfer>;
  statusOf(id: string): Promise<string | undefined>;
}

/** Opens a network; `also`: payments can be made on these, which are not read. */
export function openRealNetwork(
  harness: Harness,
  shop: Shop,
  client: ChainOf = simulatedChain,
  network: EvmNetworkId | 'bitcoin' = 'ethereum',
  also: readonly NetworkId[] = [],
): RealNetwork {
  const { ctx } = harness;
  const config = { ...ctx.config, simulateLive: false };
  let altered = (page: ChainPage) => page;
  let watched: Watch | null = null;
  let answered: Outcome | null = null;
  const chain: ChainOf = (own) => ({
    async poll(asked, cursor, watch, now) {
      watched = watch;
      return altered(await client(own).poll(asked, cursor, watch, now));
    },
    find: async (asked, txHash) => answered ?? client(own).find(asked, txHash),
    ...auditedBy(client(own)),
  });
  const payouts = { request: () => Promise.resolve('accepted' as const) };
  const networks = [network, ...also];
  const real = Object.fromEntries(networks.map((one) => [one, { payouts }]));
  const served = { networks, isHalted: () => false };
  const { coin, amount } = PAID[network === 'bitcoin' ? network : 'ethereum'];
  const created = createAdapters(config, { real, served });
  const market = { rates: simulatedRates, priced: new RecentMarket(simulatedRates) };
  const adapters = { ...created, live: { ...created.live, chain, ...market } };
  const addMerchant = async (merchant: Partial<NewMerchant> = {}) => {
    const added = await harness.addMerchant({ mode: 'live', currency: coin, network, ...merchant });
    await useWallet(ctx, added.id, { network });
    return added;
  };
  return {
    adapters,
    get watched() {
      return watched;
    },
    tell: (change) => void (altered = change),
    answer: (outcome) => void (answered = outcome),
    async sync() {
      const isBehind = await syncNetwork(ctx, adapters.live, network);
      if (!isBehind) await judgeAnnounced(ctx, adapters.live.chain(ctx), network);
      return isBehind;
    },
    mine: (blocks) => shop.chain.mine(network, blocks, ctx.now()),
    addMerchant,
    async create(own = {}, merchant) {
      const { apiKey } = merchant ?? (await addMerchant());
      const caller = await findCaller(ctx.db, hashApiKey(apiKey));
      if (caller === null) throw new Error('the merchant does not exist');
      const body = { pay_amount: amount, order_id: 'order-1', ...own };
      const { text } = await createPayment(ctx, adapters, caller, body, null);
      return (JSON.parse(text) as { id: string }).id;
    },
    async pay(id, sending) {
      const { address } = await shop.payment(id);
      return shop.send(id, { network, coin, amount, address, ...sending });
    },
    statusOf: async (id) => (await readPayments(ctx.db, [id]))[0]?.status,
  };
}

/** What an audit asks a client, where it can be asked. */
function auditedBy(client: ChainClient): Pick<ChainClient, 'balances' | 'received'> {
  return {
    ...(client.balances && { balances: (...asked) => client.balances?.(...asked) ?? Promise.resolve(null) }),
    ...(client.received && { received: (...asked) => client.received?.(...asked) ?? Promise.resolve([]) }),
  };
}
