import { expect } from 'chai';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';
import { selectPaymentMethod } from '../../../../src/domain/payments/pricing/select-method.ts';
import { expirePayments } from '../../../../src/domain/payments/processing/expire.ts';
import { autopay } from '../../../../src/domain/sandbox/customer/autopay.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { pricesAt } from '../../../support/market.ts';
import { eachShop } from '../../../support/each-shop.ts';

describe('the simulated customer', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop(
    async (opened) => {
      ({ harness, shop } = opened);
      await harness.work();
    },
    { SIMULATOR_AUTOPAY_SECONDS: '5', SIMULATOR_BLOCK_SECONDS: '1' },
  );

  it('pays a payment in full, SIMULATOR_AUTOPAY_SECONDS after its creation', async () => {
    const id = await shop.create();
    harness.advance(4.999);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('WAITING');
    harness.advance(0.001);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '10.5' });
    harness.advance(13);
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      actually_paid: '10.50',
      exceptions: [],
    });
  });

  it('rounds up to the decimals of the coin, beside other payments', async () => {
    const ids = [await shop.create({ pay_amount: '19.123456789' }), await shop.create()];
    harness.advance(5);
    await harness.work();
    const [precise, other] = await Promise.all(ids.map((id) => shop.payment(id)));
    expect(precise).to.include({ status: 'PENDING', amount_received: '19.123457' });
    expect(other).to.include({ status: 'PENDING', amount_received: '10.5' });
  });

  it('pays in the coin that was selected meanwhile, and no payment that has a transfer already', async () => {
    const [chosen, begun] = [await shop.create(), await shop.create()];
    await harness.ctx.db.transaction(async (tx) => {
      const offer = {
        coin: 'BTC',
        network: 'bitcoin',
        addresses: shop.chain,
        prices: pricesAt(SIMULATED_RATES, harness.ctx.now()),
      } as const;
      const quoted = { payment: await shop.payment(chosen), transfers: [] };
      await selectPaymentMethod(tx, quoted, offer, harness.ctx.now());
    });
    await shop.pay(begun, { amount: '1' });
    await harness.work();
    harness.advance(5);
    await harness.work();
    expect(await shop.payment(chosen)).to.include({
      status: 'PENDING',
      coin: 'BTC',
      amount_received: '10.5',
    });
    expect(await shop.payment(begun)).to.include({ status: 'PENDING', amount_received: '1' });
  });

  it('pays once, however often and by however many workers at once its job runs, on several networks', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => shop.create()));
    const tron = await openShop(harness, await harness.addMerchant({ currency: 'USDT', network: 'tron' }));
    ids.push(...(await Promise.all(Array.from({ length: 20 }, () => tron.create()))));
    harness.advance(5);
    await Promise.all([
      autopay(harness.ctx, harness.adapters, ids),
      autopay(harness.ctx, harness.adapters, ids.toReversed()),
      autopay(harness.ctx, harness.adapters, ids.slice(10)),
      autopay(harness.ctx, harness.adapters, ids.toReversed()),
    ]);
    await harness.work();
    for (const id of ids)
      expect(await shop.payment(id)).to.deep.include({
        status: 'PENDING',
        amount_received: '10.5',
        exceptions: [],
      });
  });

  it('does not pay a payment that has expired before', async () => {
    const id = await shop.create({ expiration_minutes: 5 });
    harness.advance(300);
    await expirePayments(harness.ctx, harness.adapters, [id]);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '0' });
  });
});
