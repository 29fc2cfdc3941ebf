import { expect } from 'chai';
import supertest from 'supertest';
import { createApp } from '../../../src/http/app.ts';
import { marketCurrencies, marketRates, storeRates } from '../../../src/domain/chain/rates/store.ts';
import type { RatedId } from '../../../src/domain/chain/rates/rates.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { countRows, createPayment, expectError, ORDER, pay, type Payment } from '../../support/http.ts';
import { exported } from '../../support/exports.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';

const IN_EUROS = { price_amount: '10.50', price_currency: 'EUR', order_id: 'order 1' };
/** A euro is 1.14 dollars on the simulated market, and a USDC one. */
const EUROS = {
  amount: '10.50',
  currency: 'EUR',
  rate: '0.877192982456140351',
  rated_at: '2026-01-31T12:00:00.000Z',
  sources: ['simulator'],
};

describe('a price in money', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  const post = (body: object, apiKey?: string) => harness.api('post', '/v1/payment', apiKey).send(body);
  const inMoney = async (fields: object = {}, merchant?: TestMerchant): Promise<Payment> =>
    (await post({ ...IN_EUROS, ...fields }, merchant?.apiKey).expect(201)).body as Payment;
  const bodiesOf = async (id: string) =>
    (await harness.api('get', `/v1/payment/${id}/events`).expect(200)).body.data as {
      data: { price: unknown; checkout: { amount: string }; refund?: Record<string, unknown> };
    }[];

  it('becomes an amount of the settlement coin, and is told by the payment, the list and each event', async () => {
    const created = await inMoney();
    expect(created.price).to.deep.equal(EUROS);
    expect([created.pay_amount, created.pay_currency]).to.deep.equal(['11.97', 'USDC']);
    const { body: read } = await harness.api('get', `/v1/payment/${created.id}`).expect(200);
    expect(read).to.deep.equal(created);
    const { body: list } = await harness.api('get', '/v1/payments').expect(200);
    expect(list.data[0]).to.deep.equal(created);
    await pay(harness, created.id);
    const events = await bodiesOf(created.id);
    expect(events.length).to.be.greaterThan(2);
    for (const { data } of events) expect([data.price, data.checkout.amount]).to.deep.equal([EUROS, '11.97']);
  });

  it('is null where a payment asks for an amount', async () => {
    const { id, price } = await createPayment(harness);
    expect(price).to.equal(null);
    expect((await bodiesOf(id)).map(({ data }) => data.price)).to.deep.equal([null]);
  });

  it('is rounded up to the unit of the settlement coin, at the rate that it tells', async () => {
    const bitcoin = await harness.addMerchant({ currency: 'BTC', network: 'bitcoin' });
    const { price, pay_amount } = await inMoney({ price_amount: '1000', price_currency: 'JPY' }, bitcoin);
    const { rate } = price as { rate: string };
    const exact = 1000 / Number(rate);
    expect(Number(pay_amount)).to.be.within(exact, exact + 0.00000001);
    expect(pay_amount).to.match(/^0\.\d{1,8}$/);
  });

  it('has the decimals of its currency in ISO 4217, and no more', async () => {
    for (const [price_amount, price_currency] of [
      ['1000', 'JPY'],
      ['2.125', 'KWD'],
      ['0.1', 'USD'],
    ] as const)
      expect((await inMoney({ price_amount, price_currency })).price).to.include({ amount: price_amount });
    for (const [price_amount, price_currency] of [
      ['1000.5', 'JPY'],
      ['1000.0', 'JPY'],
      ['2.1255', 'KWD'],
      ['10.505', 'EUR'],
      ['10.500', 'EUR'],
    ] as const) {
      const answer = await post({ ...IN_EUROS, price_amount, price_currency });
      expectError(harness, answer, 400, { field: 'price_amount', constraint: 'multipleOf' });
    }
  });

  for (const [what, body, field, constraint] of [
    ['neither an amount nor a price', { order_id: 'o' }, 'pay_amount', 'required'],
    ['a price without a currency', { price_amount: '1', order_id: 'o' }, 'price_currency', 'required'],
    ['a currency without a price', { price_currency: 'EUR', order_id: 'o' }, 'pay_amount', 'required'],
    ['an amount and a price', { ...ORDER, ...IN_EUROS }, 'pay_amount', 'not'],
    ['an amount and a currency', { ...ORDER, price_currency: 'EUR' }, 'price_currency', 'not'],
    ['an unknown currency', { ...IN_EUROS, price_currency: 'XXX' }, 'price_currency', 'enum'],
    ['a coin for a currency', { ...IN_EUROS, price_currency: 'BTC' }, 'price_currency', 'enum'],
    ['a price of nothing', { ...IN_EUROS, price_amount: '0.00' }, 'price_amount', 'pattern'],
    ['a number', { ...IN_EUROS, price_amount: 10.5 }, 'price_amount', 'type'],
    ['what is too much', { ...IN_EUROS, price_amount: '9'.repeat(18) }, 'price_amount', 'maximum'],
  ] as const)
    it(`of a request with ${what} is a 400, and nothing is stored`, async () => {
      const before_ = await countRows(harness);
      const answer = await harness.api('post', '/v1/payment').set('Idempotency-Key', 'refused').send(body);
      expectError(harness, answer, 400, { field, constraint });
      expect(await countRows(harness)).to.deep.equal(before_);
    });

  it('follows the market that a test merchant has moved', async () => {
    const merchant = await harness.addMerchant({ currency: 'BTC', network: 'bitcoin' });
    const dollars = { price_amount: '30000', price_currency: 'USD' };
    await harness
      .api('post', '/v1/sandbox/rates', merchant.apiKey)
      .send({ rates: { BTC: '30000' } })
      .expect(200);
    expect((await inMoney(dollars, merchant)).pay_amount).to.equal('1');
  });

  it('is shown on the page, exactly, where that of the display currency would be', async () => {
    await harness.api('put', '/v1/checkout/appearance').send({ display_currency: 'JPY' }).expect(200);
    const { token_id } = await inMoney({ price_amount: '1234.50' });
    const { text } = await supertest(harness.app).get(`/checkout/${token_id}?lang=de`).expect(200);
    expect(text)
      .to.include('1.234,50 EUR')
      .and.not.include('≈')
      .and.not.match(/\bJPY\b/);
  });

  it('is in the exports of payments and refunds', async () => {
    const { id, created_at } = await inMoney();
    await pay(harness, id);
    await harness.api('post', `/v1/payment/${id}/refund`).send({ price_amount: '1.00' }).expect(201);
    const range = { merchantId: harness.merchant.id, from: null, to: null };
    const { amount, currency, rate, sources } = EUROS;
    for (const [kind, key, written] of [
      ['payments', 'id', amount],
      ['refunds', 'payment_id', '1.00'],
    ] as const) {
      const rows = await exported(harness.ctx, kind, range);
      const own = rows.find((row) => row[key] === id);
      const told = { price_currency: currency, price_rate: rate, price_sources: sources };
      expect(own).to.deep.include({ price_amount: written, ...told });
      if (kind === 'payments') expect(own).to.include({ price_rated_at: created_at });
    }
  });

  it('can be refunded in parts at the rate of the refund, which the refund and its event tell', async () => {
    const bitcoin = await harness.addMerchant({ currency: 'BTC', network: 'bitcoin' });
    const api = (method: 'get' | 'post', path: string) => harness.api(method, path, bitcoin.apiKey);
    const { id } = await inMoney({ price_amount: '6000.00', price_currency: 'USD' }, bitcoin);
    await api('post', `/v1/sandbox/payments/${id}/transfers`).send({}).expect(201);
    await harness.work();
    harness.advance(60);
    await harness.work();
    expect((await api('get', `/v1/payment/${id}`)).body).to.include({ status: 'SETTLED', pay_amount: '0.1' });
    await api('post', '/v1/sandbox/rates')
      .send({ rates: { BTC: '120000' } })
      .expect(200);
    const refund = (body: object) => api('post', `/v1/payment/${id}/refund`).send(body);
    const { body: refunded } = await refund({ price_amount: '1200.00' }).expect(201);
    const price = {
      amount: '1200.00',
      currency: 'USD',
      rate: '120000',
      rated_at: harness.ctx.now().toISOString(),
      sources: ['simulator'],
    };
    expect(refunded).to.deep.include({ amount: '0.01', currency: 'BTC', coin_amount: '0.01', price });
    await harness.work();
    const { body: events } = await api('get', `/v1/payment/${id}/events`);
    expect(events.data.at(-1).data.refund).to.deep.include({ amount: '0.01', price });
    const { body: inYen } = await refund({ price_amount: '100000', price_currency: 'JPY' }).expect(201);
    expect(inYen.price).to.include({ amount: '100000', currency: 'JPY' });
    const { body: coins } = await refund({ amount: '0.01' }).expect(201);
    expect(coins).to.not.have.property('price');
    for (const [body, field, constraint] of [
      [{ price_amount: '12000.00' }, 'price_amount', 'maximum'],
      [{ price_amount: '1.005' }, 'price_amount', 'multipleOf'],
      [{ price_amount: '0.01' }, 'price_amount', 'exclusiveMinimum'],
      [{ price_amount: '1', amount: '1' }, 'amount', 'not'],
      [{ price_currency: 'EUR' }, 'price_currency', 'not'],
    ] as const)
      expectError(harness, await refund(body), 400, { field, constraint });
  });

  it('of a refund needs a currency where the payment has none', async () => {
    const { id } = await createPayment(harness);
    await pay(harness, id);
    const refund = (body: object) => harness.api('post', `/v1/payment/${id}/refund`).send(body);
    expectError(harness, await refund({ price_amount: '1' }), 400, {
      field: 'price_currency',
      constraint: 'required',
    });
    const { body } = await refund({ price_amount: '1.14', price_currency: 'USD' }).expect(201);
    expect(body).to.include({ amount: '1.14' });
  });

  it('of everything is the whole payment at the same rate', async () => {
    const { id, pay_amount } = await inMoney();
    await pay(harness, id);
    const { body } = await harness
      .api('post', `/v1/payment/${id}/refund`)
      .send({ price_amount: '10.50' })
      .expect(201);
    expect(body.amount).to.equal(pay_amount);
    await harness.work();
    expect((await harness.api('get', `/v1/payment/${id}`)).body.status).to.equal('REFUNDED');
  });

  it('of a refund that would be several, in the coins that came, is a 409', async () => {
    const { id } = await createPayment(harness);
    for (const sent of [
      { coin: 'USDC', network: 'ethereum', amount: '3' },
      { coin: 'USDT', network: 'tron', amount: '2' },
    ])
      await harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send(sent).expect(201);
    await harness.work();
    harness.advance(3_600);
    await harness.work();
    const { body: expired } = await harness.api('get', `/v1/payment/${id}`);
    expect(expired).to.include({ status: 'EXPIRED', amount_received: '5' });
    const before_ = await countRows(harness);
    const price = { price_amount: '5', price_currency: 'USD' };
    expectError(harness, await harness.api('post', `/v1/payment/${id}/refund`).send(price), 409);
    expect(await countRows(harness)).to.deep.equal(before_);
    await harness.api('post', `/v1/payment/${id}/refund`).send({ amount: '5' }).expect(201);
  });

  describe('by the rates of the market', () => {
    const fresh = (rates: Partial<Record<RatedId, string>>, ageSeconds = 0) => {
      const at = addSeconds(harness.ctx.systemNow(), -ageSeconds);
      const rows = Object.entries(rates) as [RatedId, string][];
      return storeRates(
        harness.ctx.db,
        new Map(rows.map(([id, usd]) => [id, { usd, sources: ['a', 'b'], at }])),
      );
    };
    const appOnMarket = () => {
      const { ctx, sandbox, health, adapters } = harness;
      const market = { rates: marketRates(120), currencies: marketCurrencies(120) };
      const own = { ...adapters, ...market };
      return createApp(ctx, { redis: null, admin: null, sandbox, health, adapters: own });
    };
    const request = () => {
      const app = appOnMarket();
      return (key: string, body: object = IN_EUROS) =>
        supertest(app)
          .post('/v1/payment')
          .set({ 'X-API-Key': harness.merchant.apiKey, 'Idempotency-Key': key })
          .send(body);
    };
    beforeEach(() => harness.ctx.db('rates').delete());

    it('waits for a rate: without a fresh one of both it is a 503, and nothing is stored', async () => {
      const create = request();
      const before_ = await countRows(harness);
      for (const rates of [{}, { USDC: '1' }, { EUR: '1.1' }, { USDC: '0.95', EUR: '1.1' }]) {
        await harness.ctx.db('rates').delete();
        await fresh(rates);
        const answer = await create('key');
        expectError(harness, answer, 503);
        expect(answer.headers['retry-after']).to.match(/^\d+$/);
        expect(answer.body.message).to.match(/^rate_unavailable: /);
      }
      await harness.ctx.db('rates').delete();
      await fresh({ USDC: '1', EUR: '1.1' }, 121);
      expectError(harness, await create('key'), 503);
      expect(await countRows(harness)).to.deep.equal(before_);
      await fresh({ USDC: '1', EUR: '1.1' });
      expect((await create('key').expect(201)).body.price).to.include({ rate: '0.909090909090909091' });
    });

    it('tells who agreed on them, and when the older one was made; a dollar needs no rate', async () => {
      const create = request();
      await fresh({ USDC: '1' });
      await fresh({ EUR: '1.25' }, 60);
      const { body } = await create('euros').expect(201);
      expect(body.price).to.deep.include({ rate: '0.8', sources: ['a', 'b'] });
      expect(body.price.rated_at).to.equal(addSeconds(harness.ctx.systemNow(), -60).toISOString());
      expect(body.pay_amount).to.equal('13.125');
      const { body: dollars } = await create('dollars', { ...IN_EUROS, price_currency: 'USD' }).expect(201);
      expect([dollars.pay_amount, dollars.price.rate]).to.deep.equal(['10.5', '1']);
    });

    it('is shown about, in the display currency, by the same table', async () => {
      await harness.api('put', '/v1/checkout/appearance').send({ display_currency: 'EUR' }).expect(200);
      const { token_id } = await createPayment(harness);
      const page = async () => (await supertest(appOnMarket()).get(`/checkout/${token_id}`).expect(200)).text;
      expect(await page()).to.not.include(' EUR');
      await fresh({ USDC: '1', EUR: '1.25' });
      expect(await page()).to.include('≈ </span>8.40 EUR');
    });

    it('replays the same bytes, also when the rate has moved or is none', async () => {
      const create = request();
      await fresh({ USDC: '1', EUR: '1.25' });
      const first = await create('replayed').expect(201);
      const before_ = await countRows(harness);
      for (const change of [() => fresh({ EUR: '1.5' }), () => harness.ctx.db('rates').delete()]) {
        await change();
        const again = await create('replayed').expect(201);
        expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true']);
      }
      expect(await countRows(harness)).to.deep.equal(before_);
    });
  });
});
