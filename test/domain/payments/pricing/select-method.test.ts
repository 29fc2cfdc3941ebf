import { expect } from 'chai';
import { toResource } from '../../../../src/domain/payments/schemas.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';

describe('paying in other coins', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  it('another coin: a locked rate, events in that coin, and amount_received exactly the price again', async () => {
    // 10.50 / 60000 is exact; the others are rounded up to a satoshi, and still have exactly the price as
    // value.
    for (const [price, bitcoins] of [
      ['10.50', '0.000175'],
      ['7.77', '0.0001295'],
      ['1', '0.00001667'],
      ['0.01', '0.00000017'],
    ] as const) {
      const id = await shop.create({ pay_amount: price });
      const sent = await shop.pay(id, { coin: 'BTC', network: 'bitcoin' });
      expect(sent.amount).to.equal(bitcoins);
      await harness.work();
      await shop.mine(2, 'bitcoin');
      const payment = await shop.payment(id);
      expect(payment).to.deep.include({
        status: 'SETTLED',
        actually_paid: bitcoins,
        actually_paid_currency: 'BTC',
        pay_currency: 'USDC',
        exceptions: [],
      });
      expect(toResource(payment, '').amount_received).to.equal(price);
      const [created, ...later] = await shop.events(id);
      expect(created?.data.checkout).to.include({ cryptoAmount: price, cryptoCurrency: 'USDC' });
      expect(created?.data.payment.network).to.equal('ethereum');
      for (const { data } of later) {
        expect(data.checkout).to.include({ amount: price, currency: 'USDC' });
        expect(data.checkout).to.include({ cryptoAmount: bitcoins, cryptoCurrency: 'BTC' });
        expect(data.payment).to.include({
          network: 'bitcoin',
          requiredConfirmations: 2,
          txHash: sent.tx_hash,
        });
      }
    }
  });

  it('half of the other coin is half of the price; more than its dust limit above the price is overpaid', async () => {
    const half = await shop.create({ pay_amount: '10.50' });
    await shop.pay(half, { coin: 'BTC', network: 'bitcoin', amount: '0.0000875' });
    const over = await shop.create({ pay_amount: '10.50' });
    await shop.pay(over, { coin: 'BTC', network: 'bitcoin', amount: '0.00018501' });
    const satoshi = await shop.create({ pay_amount: '10.50' });
    await shop.pay(satoshi, { coin: 'BTC', network: 'bitcoin', amount: '0.00017501' });
    await harness.work();
    expect(await shop.payment(half)).to.deep.include({
      fully_funded: false,
      amount_received: '5.25',
      exceptions: ['underpaid'],
    });
    expect(await shop.payment(satoshi)).to.deep.include({
      fully_funded: true,
      amount_received: '10.5006',
      exceptions: [],
    });
    expect(await shop.payment(over)).to.deep.include({
      fully_funded: true,
      amount_received: '11.1006',
      exceptions: ['overpaid'],
    });
  });

  it('two coins on two networks: both count, the sum is reported in the settlement coin', async () => {
    const id = await shop.create({ pay_amount: '10.50' });
    await shop.pay(id, { coin: 'TRX', network: 'tron', amount: '21' });
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({ amount_received: '5.25', exceptions: ['underpaid'] });
    await shop.pay(id, { coin: 'BTC', network: 'bitcoin', amount: '0.0000875' });
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({ fully_funded: true, coin: 'TRX', exceptions: [] });
    await shop.mine(2, 'bitcoin');
    expect((await shop.payment(id)).status).to.equal('PENDING');
    await shop.mine(20, 'tron');
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '10.5',
      actually_paid: '10.50',
      actually_paid_currency: 'USDC',
    });
  });

  it('each transfer has the confirmations of its own network', async () => {
    await shop.chain.mine('tron', 5_000, harness.ctx.now());
    const id = await shop.create();
    await shop.pay(id, { coin: 'USDT', network: 'ethereum', amount: '5' });
    await shop.mine(3);
    await shop.pay(id, { coin: 'USDT', network: 'tron' });
    await shop.mine(7, 'tron');
    // The payment waits for the transfer with the fewest: 3 on Ethereum, whose head is far below Tron's.
    expect((await shop.events(id)).at(-1)?.data.payment.confirmations).to.equal(3);
    await shop.mine(9);
    await shop.mine(13, 'tron');
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    // The last that became final: the one on Tron.
    expect((await shop.events(id)).at(-1)?.data.payment).to.deep.include({
      network: 'tron',
      confirmations: 20,
      requiredConfirmations: 20,
    });
  });

  it('one coin on two networks is one sum of that coin', async () => {
    const id = await shop.create({ pay_amount: '10.50' });
    await shop.pay(id, { coin: 'USDT', network: 'tron', amount: '4.20' });
    await shop.pay(id, { coin: 'USDT', network: 'polygon', amount: '6.30' });
    await harness.work();
    await shop.mine(20, 'tron');
    await shop.mine(64, 'polygon');
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      actually_paid: '10.5',
      actually_paid_currency: 'USDT',
      exceptions: [],
    });
  });

  it('a coin that was never quoted, at the same address, counts at the current rate', async () => {
    const id = await shop.create({ pay_amount: '10.50' });
    await shop.send(id, { network: 'ethereum', coin: 'ETH', amount: '0.0035' });
    await harness.work();
    await shop.mine(12);
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '10.5',
      actually_paid: '0.0035',
      actually_paid_currency: 'ETH',
      exceptions: [],
    });
  });

  it('ignores money to an address that is not a deposit address', async () => {
    const id = await shop.create();
    const address = shop.chain.derive('ethereum', { id: 'somebody else' });
    await shop.chain.send(
      harness.ctx.db,
      [{ network: 'ethereum', coin: 'USDC', amount: '10.50', address }],
      harness.ctx.now(),
    );
    // A deposit address, but on a network that was never quoted: no customer has seen it.
    await shop.send(id, { network: 'tron', coin: 'USDT', amount: '10.50' });
    await shop.mine(12);
    expect(await shop.payment(id)).to.include({ status: 'WAITING', amount_received: '0' });
  });

  it('the rate of a coin is locked when it is selected, and the coin stays once money was seen', async () => {
    const id = await shop.create({ pay_amount: '10.50' });
    await shop.pay(id, { coin: 'BTC', network: 'bitcoin', amount: '0.0001' });
    await harness.work();
    const sent = await shop.pay(id, { coin: 'ETH' });
    await harness.work();
    expect(await shop.payment(id)).to.include({
      coin: 'BTC',
      network: 'bitcoin',
      crypto_amount: '0.000175',
      fully_funded: true,
    });
    // The missing amount is rounded up in its own coin: 4.50 of 10.50 USDC are 0.0015 ETH.
    expect(sent.amount).to.equal('0.0015');
  });

  it('the largest and the smallest price, with all 18 decimals, are kept exactly', async () => {
    const dai = await openShop(harness, await harness.addMerchant({ currency: 'DAI', network: 'ethereum' }));
    const largest = '999999999999999999.999999999999999999';
    const smallest = '0.000000000000000001';
    for (const price of [largest, smallest]) {
      const id = await dai.create({ pay_amount: price });
      await dai.send(id, { coin: 'DAI', network: 'ethereum', amount: price });
      await harness.work();
      await dai.mine(12);
      const payment = await dai.payment(id);
      expect(payment).to.deep.include({
        status: 'SETTLED',
        amount_received: price,
        actually_paid: price,
        exceptions: [],
      });
      if (price === smallest) {
        const refused = await dai.refund(id).catch((error: { code: string }) => error.code);
        expect(refused, 'dust').to.equal('refund_not_allowed');
        continue;
      }
      await dai.refund(id);
      await harness.work();
      expect(await dai.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: price });
    }
  });

  it('a price with more decimals than wallets send is asked rounded up, and obeying it is not overpaid', async () => {
    const dai = await openShop(harness, await harness.addMerchant({ currency: 'DAI', network: 'ethereum' }));
    const id = await dai.create({ pay_amount: '19.123456789' });
    const sent = await dai.pay(id);
    expect(sent.amount).to.equal('19.12345679');
    await harness.work();
    await dai.mine(12);
    expect(await dai.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '19.12345679',
      exceptions: [],
    });
  });
});
