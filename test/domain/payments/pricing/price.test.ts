import { expect } from 'chai';
import { storeRates } from '../../../../src/domain/chain/rates/store.ts';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import { createPayment } from '../../../../src/domain/payments/create.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

describe('a price in money of a live payment', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => void ({ harness, shop } = opened));

  it('takes an address of the wallet only once there is a rate of its currency', async () => {
    const { ctx } = harness;
    const real = openRealNetwork(harness, shop);
    const merchant = await real.addMerchant();
    const caller = await findCaller(ctx.db, hashApiKey(merchant.apiKey));
    if (caller === null) throw new Error('the merchant does not exist');
    const body = { price_amount: '10.50', price_currency: 'EUR', order_id: 'order-1' } as const;
    const create = () => createPayment(ctx, real.adapters, caller, body, null);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const refused = await create().catch((error: unknown) => error);
      expect(refused).to.include({ code: 'rate_unavailable', status: 503 });
    }
    const rate = { usd: '1.25', sources: ['coinbase', 'coingecko'], at: ctx.now() };
    await storeRates(ctx.db, new Map([['EUR', rate]]));
    const { id } = JSON.parse((await create()).text) as { id: string };
    const payment = await shop.payment(id);
    expect(payment).to.include({ pay_amount: '13.125', deposit_index: 0, settlement_mode: 'par' });
    expect(payment.price).to.include({ amount: '10.50', currency: 'EUR', rate: '0.8' });
  });
});
