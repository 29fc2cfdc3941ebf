import { expect } from 'chai';
import { openAttack, type Attack } from '../../../support/attack.ts';

const BITCOIN = { coin: 'BTC', network: 'bitcoin' } as const;
const HOUR = 3600;

describe('a locked rate is no option', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack();
  });
  after(() => attack.close());

  it('one satoshi does not hold a price: 47 h later the rest pays at the market', async () => {
    const { harness, shop, market, pass } = attack;
    market({ BTC: '90000' });
    const id = await shop.create({ pay_amount: '10000.00', expiration_minutes: 1440 });
    await shop.pay(id, { ...BITCOIN, amount: '0.00000001' });
    await pass(3);
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '0.0009' });
    market({ BTC: '60000' });
    harness.advance(47 * HOUR);
    await harness.work();
    await shop.send(id, { ...BITCOIN, amount: '0.11111112' });
    await pass(4);
    // 0.11111112 BTC at 60,000, not the 10,000.00 that they were worth at 90,000.
    const { amount_received, status } = await shop.payment(id);
    expect(amount_received).to.equal('6666.6681');
    expect(status).to.not.equal('SETTLED');
  });

  it('one satoshi does not hold a price within the time to pay either', async () => {
    const { harness, shop, market, pass } = attack;
    market({ BTC: '90000' });
    const id = await shop.create({ pay_amount: '10000.00', expiration_minutes: 1440 });
    await shop.pay(id, { ...BITCOIN, amount: '0.00000001' });
    await pass(3);
    market({ BTC: '60000' });
    harness.advance(15 * 60);
    await harness.work();
    await shop.pay(id, { ...BITCOIN, amount: '0.11111112' });
    await pass(4);
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '6666.6681' });
    const rest = await shop.pay(id, BITCOIN);
    expect(rest.amount).to.equal('0.05555554');
    await pass(4);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '10000' });
  });

  it('what is above the quote is credited at the market, not at the locked rate', async () => {
    const { shop, market, pass } = attack;
    market({ BTC: '60000' });
    const id = await shop.create({ pay_amount: '60.00' });
    const { amount } = await shop.pay(id, { ...BITCOIN, amount: '0.00000001' });
    expect(amount).to.equal('0.00000001');
    await pass(1);
    market({ BTC: '30000' });
    await shop.pay(id, { ...BITCOIN, amount: '0.002' });
    await pass(4);
    // 0.00099999 at 60,000, and the other 0.00100001 at 30,000.
    expect((await shop.payment(id)).amount_received).to.equal('90.0003');
  });

  it('1 BTC for a payment of 10 USDC sends back 0.99983333 BTC by policy, never a sum in dollars', async () => {
    const { shop, market, pass, refunds } = attack;
    market({});
    const id = await shop.create({ pay_amount: '10', policy: { overpaid: 'refund_excess' } });
    await shop.pay(id, { ...BITCOIN, amount: '1' });
    await pass(1);
    market({ BTC: '30000' });
    await pass(4);
    expect(
      (await refunds(id)).map(({ coin, network, coin_amount, status }) => ({
        coin,
        network,
        coin_amount,
        status,
      })),
    ).to.deep.equal([{ ...BITCOIN, coin_amount: '0.99983333', status: 'COMPLETED' }]);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
  });

  it('1 BTC sent 60 days after the expiry moves nothing, and only BTC goes back', async () => {
    const { harness, shop, market, pass, refunds } = attack;
    market({});
    const id = await shop.create({ pay_amount: '10' });
    await shop.pay(id, { ...BITCOIN, amount: '0.00000001' });
    await pass(4);
    harness.advance(60 * 24 * HOUR);
    await harness.work();
    const { status } = await shop.payment(id);
    await shop.send(id, { ...BITCOIN, amount: '1' });
    await pass(4);
    expect([status, (await shop.payment(id)).status]).to.deep.equal(['EXPIRED', 'EXPIRED']);
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'failed EXPIRED',
      'funds_received EXPIRED',
    ]);
    market({ BTC: '30000' });
    await shop.refund(id, {});
    await pass(2);
    expect((await refunds(id)).map(({ coin, coin_amount }) => [coin, coin_amount])).to.deep.equal([
      ['BTC', '1.00000001'],
    ]);
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
  });
});

describe('amounts that people can pay', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack();
  });
  after(() => attack.close());

  it('25 USDC ask for 0.00833334 ETH', async () => {
    const id = await attack.shop.create({ pay_amount: '25' });
    expect((await attack.shop.pay(id, { coin: 'ETH' })).amount).to.equal('0.00833334');
  });

  for (const amount of ['0.00833333', '0.00833334'])
    it(`${amount} ETH for 25 USDC is neither too little nor too much`, async () => {
      const { shop, pass } = attack;
      const id = await shop.create({ pay_amount: '25' });
      await shop.pay(id, { coin: 'ETH', amount });
      await pass(14);
      const { status, exceptions } = await shop.payment(id);
      expect([status, exceptions]).to.deep.equal(['SETTLED', []]);
    });

  it('a payment of 19.123456789 USDC that obeys the page is not overpaid', async () => {
    const { shop, pass } = attack;
    const id = await shop.create({ pay_amount: '19.123456789' });
    const { amount } = await shop.pay(id);
    expect(amount).to.equal('19.123457');
    await pass(14);
    const { status, exceptions } = await shop.payment(id);
    expect([status, exceptions]).to.deep.equal(['SETTLED', []]);
  });
});
