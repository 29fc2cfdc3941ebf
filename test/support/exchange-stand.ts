import { setAcceptedMethods } from '../../src/domain/merchants/accepted-methods.ts';
import type { ChainClient } from '../../src/domain/chain/port.ts';
import { simulatedChain } from '../../src/domain/chain/simulator/simulated.ts';
import { setAccount } from '../../src/domain/exchange/set.ts';
import { selectMethodByToken } from '../../src/domain/checkout/actions/select-method.ts';
import { findCaller } from '../../src/domain/merchants/api-keys.ts';
import { requestRefund } from '../../src/domain/payments/refunds/request.ts';
import type { RefundBody, RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import { hashApiKey } from '../../src/platform/values/ids.ts';
import { settlePayments } from '../../src/domain/payments/processing/settle.ts';
import { sellPayments } from '../../src/domain/payments/sales/sell.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Harness } from './harness.ts';
import { serveKraken, type ServedKraken } from './kraken.ts';
import { openRealNetwork, type RealNetwork } from './real-network.ts';
import type { Shop } from './shop.ts';

/** A live merchant with an account at a served stand-in of Kraken, on the simulator's chain or a node's. */
export class ExchangeStand {
  readonly kraken: ServedKraken;
  readonly ctx: Context;
  readonly real: RealNetwork;
  readonly merchant: { readonly id: string; readonly apiKey: string };
  readonly #harness: Harness;
  readonly #shop: Shop;

  private constructor(
    parts: Pick<ExchangeStand, 'kraken' | 'ctx' | 'real' | 'merchant'>,
    harness: Harness,
    shop: Shop,
  ) {
    this.kraken = parts.kraken;
    this.ctx = parts.ctx;
    this.real = parts.real;
    this.merchant = parts.merchant;
    this.#harness = harness;
    this.#shop = shop;
  }

  static async open(
    harness: Harness,
    shop: Shop,
    { client, network = 'ethereum' }: { client?: ChainClient; network?: 'ethereum' | 'bitcoin' } = {},
  ): Promise<ExchangeStand> {
    const kraken = await serveKraken(() => harness.ctx.now());
    const ctx = { ...harness.ctx, config: { ...harness.ctx.config, krakenUrl: kraken.url } };
    const chain = client === undefined ? simulatedChain : () => client;
    const also = network === 'bitcoin' ? (['ethereum'] as const) : [];
    const real = openRealNetwork({ ...harness, ctx }, shop, chain, network, also);
    const merchant = await harness.addMerchant({ mode: 'live' });
    const stand = new ExchangeStand({ kraken, ctx, real, merchant }, harness, shop);
    const methods = [{ coin: 'ETH', network: 'ethereum' }] as const;
    await setAcceptedMethods(ctx.db, merchant.id, methods);
    await stand.set();
    kraken.forget();
    return stand;
  }

  /** Sets the account, as `merchants -- exchange set` does. */
  async set() {
    const { key, secret } = this.kraken.account;
    const credentials = { key, secret };
    return setAccount(this.ctx, { merchantId: this.merchant.id, credentials, slippagePercent: '1' });
  }

  /** Creates a payment of 3,000 USDC, and pays it in ether, which is final; the exchange credits it. */
  async paid(isCredited = true): Promise<string> {
    const id = await this.real.create({ pay_amount: '3000' }, this.merchant);
    await this.chooseEther(id);
    const { address, crypto_amount: amount } = await this.#shop.payment(id);
    const { txHash } = await this.real.pay(id, { coin: 'ETH', amount, address });
    await this.finish();
    if (isCredited) this.kraken.deposit('ETH', txHash, amount);
    return id;
  }

  async chooseEther(id: string): Promise<string> {
    const { token_id } = await this.#shop.payment(id);
    return selectMethodByToken(this.ctx, this.real.adapters, token_id, 'ETH', 'ethereum');
  }

  /** Makes what was sent final, and syncs. */
  async finish(): Promise<void> {
    await this.real.mine(100);
    for (let poll = 0; poll < 3; poll += 1) await this.real.sync();
  }

  /** One run of each job of a payment. */
  async work(id: string, ctx = this.ctx): Promise<void> {
    await settlePayments(ctx, this.real.adapters.live, [id]);
    await this.sell(id, ctx);
    await settlePayments(ctx, this.real.adapters.live, [id]);
  }

  /** One run of the job that sells. */
  async sell(id: string, ctx = this.ctx): Promise<void> {
    await sellPayments(ctx, this.real.adapters.live, [id]);
  }

  /** Lets time pass, and works, until the payment is in a status. */
  async workUntil(id: string, status: string, times = 40): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      await this.work(id);
      if ((await this.real.statusOf(id)) === status) return;
      this.#harness.advance(10);
    }
    throw new Error(`${id} is ${String(await this.real.statusOf(id))}, and not ${status}`);
  }

  /** The payment, as its merchant reads it. */
  async resource(id: string): Promise<{ status: string; settlement: Record<string, unknown> }> {
    const { body } = await this.#harness.api('get', `/v1/payment/${id}`, this.merchant.apiKey).expect(200);
    return body as { status: string; settlement: Record<string, unknown> };
  }

  /** A refund that the merchant asks for. */
  async refund(id: string, body: RefundBody): Promise<RefundResource> {
    const caller = await findCaller(this.ctx.db, hashApiKey(this.merchant.apiKey));
    if (caller === null) throw new Error('the merchant does not exist');
    const asked = { body, claim: null };
    const { text } = await requestRefund(this.ctx, this.real.adapters.live, caller, id, asked);
    return JSON.parse(text) as RefundResource;
  }

  close(): Promise<void> {
    return this.kraken.close();
  }
}
