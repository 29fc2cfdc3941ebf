import { expect } from 'chai';
import type { Express } from 'express';
import supertest from 'supertest';
import { createAdapters } from '../../../src/domain/adapters.ts';
import { COINS_ON_NETWORKS } from '../../../src/domain/chain/coins.ts';
import { ALL_LANGUAGES } from '../../../src/domain/languages/languages.ts';
import { createApp } from '../../../src/http/app.ts';
import { addressIn, CHECKOUT_STATES, paymentIn, setColumns } from '../../support/checkout.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { countRows, createPayment } from '../../support/http.ts';

describe('the checkout page of a simulated payment', () => {
  let harness: Harness;
  let live: TestMerchant;
  /** The same database, served without SIMULATE_LIVE. */
  let strict: Express;
  before(async () => {
    harness = await createHarness({ SIMULATE_LIVE: 'true' });
    live = await harness.addMerchant({ mode: 'live' });
    const ctx = { ...harness.ctx, config: { ...harness.ctx.config, simulateLive: false } };
    const adapters = createAdapters(ctx.config);
    after(() => adapters.webhooks.close());
    strict = createApp(ctx, { redis: null, admin: null, adapters, sandbox: null, health: harness.health });
  });
  after(() => harness.close());

  const open = async (token: string, app: Express = harness.app, query = '') =>
    (await supertest(app).get(`/checkout/${token}${query}`).expect(200)).text;
  const post = (app: Express, token: string, form: string, fields: object) =>
    supertest(app).post(`/checkout/${token}/${form}`).type('form').send(fields);
  const BAND = /<main[^>]*>\s*<p id="test" class="test">\s*<strong>TEST<\/strong>/;

  for (const state of Object.keys(CHECKOUT_STATES))
    it(`says TEST at its top: ${state}`, async () => {
      const { token_id } = await paymentIn(harness, state);
      expect(await open(token_id)).to.match(BAND);
      expect(await open(token_id, strict), 'without SIMULATE_LIVE').to.match(BAND);
    });

  it('says it without the sandbox, and on the messages that answer its forms', async () => {
    const ctx = { ...harness.ctx, config: { ...harness.ctx.config, sandbox: false } };
    const options = { redis: null, admin: null, adapters: harness.adapters, health: harness.health };
    const app = createApp(ctx, { ...options, sandbox: null });
    for (const state of Object.keys(CHECKOUT_STATES)) {
      const { token_id } = await paymentIn(harness, state);
      const text = await open(token_id, app);
      expect(text, state).to.match(BAND).and.not.include('id="simulator"');
    }
    const { token_id } = await paymentIn(harness, 'settled');
    for (const [form, fields, status] of [
      ['coin', { coin: 'BTC', network: 'bitcoin' }, 409],
      ['coin', { coin: 'nothing' }, 400],
      ['refund-address', { address: 'x' }, 409],
      ['simulate', { do: 'pay' }, 409],
    ] as const) {
      const { text } = await post(harness.app, token_id, form, fields).expect(status);
      expect(text, form).to.match(BAND);
    }
  });

  it('says it in every language', async () => {
    const { token_id } = await createPayment(harness);
    for (const { id, page } of ALL_LANGUAGES)
      expect(await open(token_id, harness.app, `?lang=${id}`))
        .to.include(`<strong>${page.testMark}</strong>`)
        .and.include(page.testText);
  });

  it('says it for a live payment too while live payments are simulated', async () => {
    const { token_id } = await createPayment(harness, {}, live.apiKey);
    expect(await open(token_id)).to.match(BAND);
    expect(await open(token_id, strict)).to.not.include('id="test"');
  });

  it('shows addresses and links of test networks, for every coin on every network', async () => {
    const { token_id } = await createPayment(harness);
    for (const { coin, network } of COINS_ON_NETWORKS) {
      await post(harness.app, token_id, 'coin', { coin, network }).expect(303);
      const text = await open(token_id);
      const address = addressIn(text);
      const [, link = null] = /id="wallet" href="([^"]+)"/.exec(text) ?? [];
      if (network === 'bitcoin') expect(address).to.match(/^tb1q/);
      if (network === 'tron') expect(address).to.match(/^27/);
      if (network === 'ethereum') expect(link).to.include('@11155111');
      if (network === 'polygon') expect(link).to.include('@80002');
      if (coin === 'SOL') expect([link, text.includes('class="qr ')]).to.deep.equal([null, false]);
      else expect(link).to.be.a('string').and.include(address);
    }
  });

  it('takes refund addresses of both networks; a live payment those of the main network only', async () => {
    const main = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
    const ofTest = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
    const money = { status: 'EXPIRED', amount_received: '4', exceptions: ['underpaid'] };
    for (const [mode, app, address, status] of [
      ['test', strict, ofTest, 200],
      ['test', strict, main, 200],
      ['live', harness.app, ofTest, 200],
      ['live', strict, ofTest, 400],
      ['live', strict, main, 200],
    ] as const) {
      const { apiKey } = await harness.addMerchant({ mode, currency: 'BTC', network: 'bitcoin' });
      const { id, token_id } = await createPayment(harness, {}, apiKey);
      await setColumns(harness, id, money);
      await post(app, token_id, 'refund-address', { address }).expect(status);
    }
  });

  it('of a live payment shows no address, and takes no coin, once nothing serves its network', async () => {
    const { token_id } = await createPayment(harness, {}, live.apiKey);
    expect(await open(token_id))
      .to.include('id="address"')
      .and.include('id="wallet"');
    const text = await open(token_id, strict);
    expect(text).to.include('This payment cannot be paid at the moment.');
    expect(text).to.not.match(/id="(address|amount|wallet|coin-\w+|network-\w+)"|class="qr /);
    const before_ = await countRows(harness);
    for (const { coin, network } of COINS_ON_NETWORKS)
      await post(strict, token_id, 'coin', { coin, network }).expect(400);
    expect(await countRows(harness)).to.deep.equal(before_);
  });
});
