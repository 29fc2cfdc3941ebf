import type { BitcoinClient } from '../../src/domain/chain/bitcoin/client.ts';
import { followPsbts } from '../../src/domain/payments/refunds/psbt/follow.ts';
import type { RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import { newAddress } from './bitcoin-blocks.ts';
import { descriptorOf, parsePsbt } from './bitcoin-signer.ts';
import { DEPTH, type BitcoinStand } from './bitcoin-stand.ts';
import type { Harness } from './harness.ts';
import { startLyingProxy, type LyingProxy } from './lying-proxy.ts';
import { MerchantRefunds, type LiveMerchant } from './merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from './real-network.ts';
import type { Shop } from './shop.ts';
import { useWallet } from './wallets.ts';

const satoshi = (amount: string) => BigInt(Math.round(Number(amount) * 1e8));

/** What a harness needs for blocks of a node. */
export const PSBT_ENV = { CHAIN_PROFILE: 'regtest', CONFIRMATIONS_BITCOIN: `0=${DEPTH}` } as const;

/** Refunds of a merchant whose money comes on a node of Bitcoin, with a watcher that makes their requests. */
export class PsbtStand {
  readonly harness: Harness;
  readonly shop: Shop;
  readonly stand: BitcoinStand;
  readonly client: BitcoinClient;
  readonly real: RealNetwork;
  readonly refunds: MerchantRefunds;
  /** What stands between node and client. */
  readonly proxy: LyingProxy;
  merchant: LiveMerchant = { id: '', apiKey: '' };
  /** What the node says of fees from now on, in BTC for a thousand bytes; null: nothing. */
  estimate: (feerate: number | null) => void = () => undefined;

  private constructor(
    { harness, shop }: { harness: Harness; shop: Shop },
    stand: BitcoinStand,
    proxy: LyingProxy,
  ) {
    this.proxy = proxy;
    this.harness = harness;
    this.shop = shop;
    this.stand = stand;
    this.client = stand.client({ urls: [proxy.url] }, harness.ctx.now);
    this.real = openRealNetwork(harness, shop, () => this.client, 'bitcoin');
    this.refunds = new MerchantRefunds(harness, this.real, {
      finish: () => this.mine(DEPTH),
      payIn: async (id, amount) => {
        const { address } = await shop.payment(id);
        await stand.pay([address, satoshi(amount)]);
      },
    });
  }

  /** Opens a stand, with a merchant whose wallet is given by its descriptor unless told otherwise. */
  static async open(opened: { harness: Harness; shop: Shop }, stand: BitcoinStand): Promise<PsbtStand> {
    const { ctx } = opened.harness;
    // Blocks follow one another, whatever time the test before has reached.
    opened.harness.advance(Math.max(0, (await stand.time()) - ctx.now().getTime() / 1_000) + 300);
    const estimate = { feerate: null as number | null };
    const proxy = await startLyingProxy({
      rpc: <Result>(method: string, params: readonly unknown[] = []) =>
        asCore(stand, estimate.feerate, method, params) as Promise<Result>,
    });
    const one = new PsbtStand(opened, stand, proxy);
    one.estimate = (feerate) => void (estimate.feerate = feerate);
    await one.mine(1);
    one.merchant = await one.addMerchant(descriptorOf(0));
    return one;
  }

  async close(): Promise<void> {
    await Promise.all([this.client.close(), this.proxy.close()]);
  }

  async addMerchant(value: string): Promise<LiveMerchant> {
    const { harness } = this;
    const added = await harness.addMerchant({ mode: 'live', currency: 'BTC', network: 'bitcoin' });
    await useWallet(harness.ctx, added.id, { network: 'bitcoin', value });
    return added;
  }

  /** Mines blocks, whose last one has the service's time, and reads them. */
  async mine(blocks: number): Promise<void> {
    const { harness, stand } = this;
    harness.advance(blocks * stand.blockSeconds);
    const now = Math.floor(harness.ctx.now().getTime() / 1_000);
    for (let left = blocks - 1; left >= 0; left -= 1)
      await stand.mine({ time: now - left * stand.blockSeconds });
    while (await this.real.sync());
    // Two polls must agree on what is final.
    await this.real.sync();
  }

  /** What a watcher does beside the pages. */
  follow(): Promise<void> {
    return followPsbts(this.harness.ctx, this.client);
  }

  /** A refund of a payment that is settled, with its request. */
  async refund(
    amount: string,
    { of = '0.005', to = newAddress() }: { readonly of?: string; readonly to?: string } = {},
  ): Promise<RefundResource> {
    const id = await this.refunds.settled(this.merchant, { pay_amount: of });
    return this.ask(id, amount, to);
  }

  async ask(id: string, amount: string, address: string = newAddress()): Promise<RefundResource> {
    const refund = await this.refunds.ask(this.merchant, id, { amount, address });
    await this.follow();
    return this.now(refund);
  }

  /** Looks again, as it is done a minute or more later. */
  async later(refund: RefundResource, seconds = 60): Promise<RefundResource> {
    this.harness.advance(seconds);
    await this.follow();
    return this.now(refund);
  }

  now(refund: RefundResource): Promise<RefundResource> {
    return this.refunds.now(this.merchant, refund);
  }
}

/** Answers as Bitcoin Core does, where btcd answers otherwise: of fees, and of what its pool spends. */
async function asCore(
  { btcd }: BitcoinStand,
  feerate: number | null,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  if (method === 'estimatesmartfee' && feerate !== null) return { feerate, blocks: 6 };
  const [txid, index, inPool] = params;
  if (method === 'gettxout' && inPool === true)
    for (const id of await btcd.rpc<string[]>('getrawmempool')) {
      const { vin } = await btcd.rpc<{ vin: { txid: string; vout: number }[] }>('getrawtransaction', [id, 1]);
      if (vin.some((input) => input.txid === txid && input.vout === index)) return null;
    }
  return btcd.rpc(method, params);
}

/** Returns the reason for which a refund has no request. */
export const reasonOf = ({ request, request_problem }: RefundResource): string =>
  request === undefined ? (request_problem?.code ?? 'no reason') : 'there is a request';

/** Returns the PSBT of a refund. */
export function psbtOf({ request, request_problem }: RefundResource): string {
  if (request === undefined || !('psbt' in request))
    throw new Error(`there is no PSBT: ${JSON.stringify(request_problem)}`);
  return request.psbt;
}

/** Returns the outputs that the PSBT of a refund spends. */
export const coinsOf = (refund: RefundResource): string[] =>
  parsePsbt(psbtOf(refund)).txInputs.map(
    ({ hash, index }) => `${Buffer.from(hash).toString('hex')}:${index}`,
  );
