import { expect } from 'chai';
import { decideSale } from '../../../../src/domain/payments/sales/decide.ts';
import { expirePayments } from '../../../../src/domain/payments/processing/expire.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import type { CreatePaymentBody } from '../../../../src/domain/payments/schemas.ts';
import { sum } from '../../../../src/platform/values/money.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { ExchangeStand } from '../../../support/exchange-stand.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';

describe('too much, too little and late money at an exchange', () => {
  let harness: Harness;
  let shop: Shop;
  let stand: ExchangeStand;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    stand = await ExchangeStand.open(harness, shop);
    // Of other payments: what is sold beyond what came would find coins.
    stand.kraken.account.balances.ETH = '50';
  });
  afterEach(() => stand.close());

  const sold = () => sum(stand.kraken.account.orders.map((one) => one.sold));
  const create = async (policy: NonNullable<CreatePaymentBody['policy']>) => {
    const body = { pay_amount: '3000', expiration_minutes: 60, policy };
    const id = await stand.real.create(body, stand.merchant);
    await stand.chooseEther(id);
    return id;
  };
  const pay = async (id: string, amount: string) => {
    const { address } = await shop.payment(id);
    const { txHash } = await stand.real.pay(id, { coin: 'ETH', amount, address });
    await stand.finish();
    return () => stand.kraken.deposit('ETH', txHash, amount);
  };
  const expire = async (id: string) => {
    harness.advance(3_600);
    await stand.finish();
    await expirePayments(stand.ctx, stand.real.adapters.live, [id]);
  };
  const refunds = async (id: string) =>
    (await stand.ctx.db('refunds').where({ payment_id: id })).map(
      ({ status, coin, coin_amount }) => `${status} ${coin_amount} ${coin}`,
    );

  it('sells what pays for the order, and what was too much goes back as it came', async () => {
    const id = await create({ overpaid: 'refund_excess' });
    (await pay(id, '1.5'))();
    await stand.workUntil(id, 'SETTLED');
    expect(sold()).to.equal('1');
    expect(await refunds(id)).to.deep.equal(['NEEDS_ADDRESS 0.5 ETH']);
    expect((await stand.resource(id)).settlement).to.include({ mode: 'exchange', amount: '2992.2' });
  });

  it('sells too little where that is accepted', async () => {
    const id = await create({ underpaid: 'accept', underpaid_tolerance_percent: 60 });
    (await pay(id, '0.5'))();
    await stand.workUntil(id, 'SETTLED');
    expect(sold()).to.equal('0.5');
    expect((await stand.resource(id)).settlement.amount).to.equal('1496.1');
  });

  it('sells nothing of what was too little, which goes back as it came', async () => {
    const id = await create({});
    (await pay(id, '0.5'))();
    await expire(id);
    expect(await stand.real.statusOf(id)).to.equal('EXPIRED');
    await stand.work(id);
    expect(stand.kraken.count('AddOrder')).to.equal(0);
    const refund = await stand.refund(id, { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' });
    expect(refund).to.include({ status: 'AWAITING_SIGNATURE', coin: 'ETH', coin_amount: '0.5' });
  });

  it('sells two transfers as one, once the exchange has credited both', async () => {
    const id = await create({});
    const [first, second] = [await pay(id, '0.4'), await pay(id, '0.6')];
    first();
    await stand.work(id);
    expect(stand.kraken.count('AddOrder')).to.equal(0);
    second();
    await stand.workUntil(id, 'SETTLED');
    expect(stand.kraken.account.orders.map((one) => one.sold)).to.deep.equal(['1']);
  });

  it('sells late money that is honoured', async () => {
    const id = await create({});
    await expire(id);
    (await pay(id, '1'))();
    await stand.workUntil(id, 'SETTLED');
    expect(sold()).to.equal('1');
    expect((await shop.payment(id)).exceptions).to.deep.equal(['late']);
  });

  it('sells what came after the settlement once, also where all of it was refunded meanwhile', async () => {
    const id = await create({});
    (await pay(id, '1'))();
    await stand.workUntil(id, 'SETTLED');
    const credit = await pay(id, '0.5');
    await settlePayments(stand.ctx, stand.real.adapters.live, [id]);
    const refund = await stand.refund(id, { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' });
    expect(refund).to.include({ status: 'AWAITING_SIGNATURE', coin: 'USDC', coin_amount: '4500' });
    credit();
    for (let i = 0; i < 3; i += 1) {
      await stand.work(id);
      harness.advance(30);
    }
    expect(sold()).to.equal('1.5');
    expect(await stand.ctx.db('sales').pluck('status')).to.deep.equal(['ENDED', 'ENDED']);
    expect(await decideSale(stand.ctx, id, 'as_received')).to.equal(0);
  });
});
