import type { CoinId } from '../../src/domain/chain/coins.ts';
import { findCaller } from '../../src/domain/merchants/api-keys.ts';
import { settlePayments } from '../../src/domain/payments/processing/settle.ts';
import { requestRefund } from '../../src/domain/payments/refunds/request.ts';
import type { RefundBody, RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import type { CreatePaymentBody } from '../../src/domain/payments/schemas.ts';
import { hashApiKey } from '../../src/platform/values/ids.ts';
import type { Harness } from './harness.ts';
import type { RealNetwork } from './real-network.ts';

export interface LiveMerchant {
  readonly id: string;
  readonly apiKey: string;
}

/** The refunds of live payments, as their merchants ask for them and pay them. */
export class MerchantRefunds {
  readonly #harness: Harness;
  readonly #real: RealNetwork;
  /** Makes what was sent final, and syncs. */
  readonly #finish: () => Promise<void>;
  readonly #payIn: (id: string, amount: string) => Promise<unknown>;

  constructor(
    harness: Harness,
    real: RealNetwork,
    {
      finish,
      payIn,
    }: { finish: () => Promise<void>; payIn: (id: string, amount: string) => Promise<unknown> },
  ) {
    this.#harness = harness;
    this.#real = real;
    this.#finish = finish;
    this.#payIn = payIn;
  }

  /** Returns a payment of a live merchant that is settled: 10.50 USDC, unless told otherwise. */
  async settled(merchant: LiveMerchant, body: Partial<CreatePaymentBody> = {}): Promise<string> {
    const id = await this.#real.create(body, merchant);
    await this.#payIn(id, body.pay_amount ?? '10.50');
    await this.#finish();
    await this.settle(id);
    return id;
  }

  async settle(id: string): Promise<void> {
    await settlePayments(this.#harness.ctx, this.#real.adapters.live, [id]);
  }

  async ask({ apiKey }: LiveMerchant, id: string, body: RefundBody): Promise<RefundResource> {
    const { ctx } = this.#harness;
    const caller = await findCaller(ctx.db, hashApiKey(apiKey));
    if (caller === null) throw new Error('the merchant does not exist');
    const { text } = await requestRefund(ctx, this.#real.adapters.live, caller, id, { body, claim: null });
    return JSON.parse(text) as RefundResource;
  }

  /** Announces a transaction by the API, which is expected to answer with a status. */
  async announce(
    { apiKey }: LiveMerchant,
    refund: Pick<RefundResource, 'id' | 'payment_id'>,
    txHash: string,
    { status = 200, key }: { status?: number; key?: string } = {},
  ): Promise<RefundResource & { message?: string; details?: object }> {
    const path = `/v1/payment/${refund.payment_id}/refunds/${refund.id}/announce`;
    const request = this.#harness.api('post', path, apiKey);
    if (key !== undefined) void request.set('Idempotency-Key', key);
    const response = await request.send({ tx_hash: txHash }).expect(status);
    return response.body as RefundResource;
  }

  /** Returns a refund as it is now. */
  async now({ apiKey }: LiveMerchant, refund: Pick<RefundResource, 'id' | 'payment_id'>) {
    const { body } = await this.#harness
      .api('get', `/v1/payment/${refund.payment_id}/refunds`, apiKey)
      .expect(200);
    const found = (body as { data: RefundResource[] }).data.find(({ id }) => id === refund.id);
    if (found === undefined) throw new Error(`there is no refund ${refund.id}`);
    return found;
  }

  /** Returns a refund's status, and the code of its problem. */
  async stateOf(merchant: LiveMerchant, refund: Pick<RefundResource, 'id' | 'payment_id'>): Promise<string> {
    const { status, problem } = await this.now(merchant, refund);
    return problem === undefined ? status : `${status} ${problem.code}`;
  }

  /** What a merchant sends from a wallet of their own, on a simulated chain. */
  async pay(refund: RefundResource, own: { coin?: CoinId; amount?: string; address?: string } = {}) {
    const { coin, coin_amount, address, payment_id } = refund;
    const sending = { coin: coin as CoinId, amount: coin_amount, address: address?.toLowerCase() ?? '' };
    return (await this.#real.pay(payment_id, { ...sending, ...own })).txHash;
  }
}
