import { expect } from 'chai';
import type { Conversion, CurrencyExchange } from '../../../../src/domain/payments/lifecycle/ports.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';

const CONFIRMATIONS = 12;

describe('the conversions of a payment', () => {
  let harness: Harness;
  let shop: Shop;
  let asked: Conversion[];
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    asked = [];
    // The reconciler runs now, so that it cannot repair later what the tests assert.
    await harness.work();
  });

  /** Sends money and confirms it, without the settlement that is then due. */
  const confirmed = async (id: string, amount?: string) => {
    await shop.pay(id, amount === undefined ? {} : { amount });
    await confirm();
  };
  const confirm = async () => {
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    await shop.chain.mine('ethereum', CONFIRMATIONS, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
  };
  /** Settles with an exchange that answers each conversion so. */
  const settle = (
    id: string,
    answer: (conversion: Conversion) => ReturnType<CurrencyExchange['convert']> = () =>
      Promise.resolve('converted'),
  ) => {
    const convert = (conversion: Conversion) => {
      asked.push(conversion);
      return answer(conversion);
    };
    return settlePayments(harness.ctx, { exchange: { convert } }, [id]);
  };
  const crash = (id: string) =>
    settle(id, () => Promise.reject(new Error('away'))).catch((error: Error) => error.message);
  const inUsdc = (id: string, number: number, amount: string): Conversion => ({
    reference: `${id}/${number}`,
    paid: amount,
    paidCurrency: 'USDC',
    paidNetwork: 'ethereum',
    settled: amount,
    settledCurrency: 'USDC',
  });
  const outcomes = (id: string) =>
    harness.ctx
      .db('conversions')
      .where({ payment_id: id })
      .orderBy('number')
      .select('number', 'amount', 'status');

  it('have another number for another amount: money that confirms after the settlement', async () => {
    const id = await shop.create();
    await confirmed(id);
    await settle(id);
    await confirmed(id, '2');
    await settle(id);
    await settle(id);
    expect(asked).to.deep.equal([inUsdc(id, 1, '10.5'), inUsdc(id, 2, '2')]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '10.50' });
    expect(await outcomes(id)).to.deep.equal([
      { number: 1, amount: '10.5', status: 'CONVERTED' },
      { number: 2, amount: '2', status: 'CONVERTED' },
    ]);
  });

  it('are one for each coin and network, and settle the payment when the last has ended', async () => {
    const id = await shop.create();
    await shop.pay(id, { coin: 'ETH', amount: '0.001' });
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    await shop.pay(id, { coin: 'USDC', amount: '7.5' });
    await confirm();
    await settle(id);
    expect(
      asked.map(({ reference, paid, paidCurrency, settled }) => [reference, paid, paidCurrency, settled]),
    ).to.have.deep.members([
      [`${id}/1`, '0.001', 'ETH', '3'],
      [`${id}/2`, '7.5', 'USDC', '7.5'],
    ]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '10.50' });
  });

  it('are asked for again under the same number with the same amounts after a crash, whatever came since', async () => {
    const id = await shop.create();
    await confirmed(id);
    expect(await crash(id)).to.equal('away');
    await confirmed(id, '2');
    expect((await shop.payment(id)).status).to.equal('PROCESSING');
    await settle(id);
    expect(asked).to.deep.equal([inUsdc(id, 1, '10.5'), inUsdc(id, 1, '10.5'), inUsdc(id, 2, '2')]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '12.5' });
  });

  it('are asked for again after a crash and a reorganisation, once the money has confirmed again', async () => {
    const id = await shop.create();
    await confirmed(id);
    await crash(id);
    await shop.chain.reorganise('ethereum', CONFIRMATIONS, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    expect((await shop.payment(id)).status).to.equal('PENDING');
    await settle(id);
    expect(asked, 'nothing is asked for unconfirmed money').to.deep.equal([inUsdc(id, 1, '10.5')]);
    await confirm();
    await settle(id);
    expect(asked.slice(1)).to.deep.equal([inUsdc(id, 1, '10.5')]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '10.50' });
  });

  it('of one outcome are booked once, when two workers ask at once', async () => {
    const id = await shop.create();
    await confirmed(id);
    await crash(id);
    await Promise.all([settle(id), settle(id)]);
    expect(new Set(asked.map(({ reference }) => reference))).to.deep.equal(new Set([`${id}/1`]));
    expect((await shop.story(id)).filter((step) => step.startsWith('settled'))).to.have.length(1);
  });

  it('that are refused after the settlement leave it settled, and the money can be sent back as it came', async () => {
    const id = await shop.create();
    await confirmed(id);
    await settle(id);
    await confirmed(id, '2');
    await settle(id, () => Promise.resolve('refused'));
    expect(await outcomes(id)).to.deep.equal([
      { number: 1, amount: '10.5', status: 'CONVERTED' },
      { number: 2, amount: '2', status: 'REFUSED' },
    ]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '12.5' });
    await settle(id);
    expect(asked, 'what was refused is not offered again').to.have.length(2);
    expect(await shop.refund(id)).to.include({ amount: '10.50' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '12.5' });
    expect((await shop.story(id)).slice(-2)).to.deep.equal(['refunded SETTLED', 'refunded REFUNDED']);
  });
});
