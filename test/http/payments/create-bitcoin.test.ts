import { expect } from 'chai';
import type { Express } from 'express';
import supertest from 'supertest';
import { createAdapters, type Adapters } from '../../../src/domain/adapters.ts';
import { setAcceptedMethods } from '../../../src/domain/merchants/accepted-methods.ts';
import { EVERYTHING_PRICED } from '../../../src/domain/chain/rates/priced.ts';
import { simulatedRates } from '../../../src/domain/chain/simulator/market.ts';
import { endWallet } from '../../../src/domain/wallets/set.ts';
import { exportDeposits } from '../../../src/domain/wallets/export.ts';
import { createApp } from '../../../src/http/app.ts';
import { exported } from '../../support/exports.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { addressOf, BIP84, bitcoinKey, useWallet } from '../../support/wallets.ts';

const BTC = { coin: 'BTC', network: 'bitcoin' } as const;

/** Bitcoin and Ethereum as networks that a watcher reads, before anything came. */
describe('POST /v1/payment of a live merchant on Bitcoin', () => {
  let harness: Harness;
  let adapters: Adapters;
  let app: Express;
  before(async () => {
    harness = await createHarness();
    const created = createAdapters(harness.ctx.config, {
      served: { networks: ['bitcoin', 'ethereum'], isHalted: () => false },
    });
    adapters = {
      ...created,
      live: { ...created.live, rates: simulatedRates, priced: EVERYTHING_PRICED },
    };
    const { ctx, sandbox, health } = harness;
    app = createApp(ctx, { redis: null, admin: null, adapters, sandbox, health });
  });
  after(() => harness.close());

  const create = ({ apiKey }: TestMerchant, body: object = {}) =>
    supertest(app)
      .post('/v1/payment')
      .set('X-API-Key', apiKey)
      .send({ pay_amount: '0.005', order_id: 'order-1', order_description: 'Two shirts', ...body });
  const page = async (checkoutUrl: string) =>
    (await supertest(app).get(new URL(checkoutUrl).pathname).expect(200)).text;
  const select = (checkoutUrl: string, { coin, network }: { coin: string; network: string }) =>
    supertest(app)
      .post(`${new URL(checkoutUrl).pathname}/coin`)
      .type('form')
      .set('Sec-Fetch-Site', 'same-origin')
      .send({ coin, network });
  const addMerchant = (own: object = {}) =>
    harness.addMerchant({ mode: 'live', currency: 'BTC', network: 'bitcoin', ...own });
  const onDollars = () => addMerchant({ currency: 'USDC', network: 'ethereum' });

  it('takes money at an address of the merchant alone, and asks for it by BIP-21', async () => {
    const refused = await create(await addMerchant()).expect(503);
    expect(refused.body.message)
      .to.include('network_unavailable: no wallet takes live payments')
      .and.include('--network bitcoin');
    const merchant = await addMerchant();
    await useWallet(harness.ctx, merchant.id, { value: BIP84.zpub });
    const { body } = await create(merchant).expect(201);
    expect(body).to.include({ pay_currency: 'BTC', pay_amount: '0.005', status: 'WAITING' });
    const [address] = BIP84.receiving;
    const text = await page(body.checkout_url);
    expect(text).to.include(`bitcoin:${address}?amount=0.005&#38;label=Shop&#38;message=Two%20shirts`);
    expect(text).to.not.match(/TEST|tb1q/);
    const { body: next } = await create(merchant).expect(201);
    expect(await page(next.checkout_url)).to.include(`bitcoin:${BIP84.receiving[1]}?amount`);
  });

  it('is paid in Bitcoin by customers of a merchant who settles in dollars and accepts it', async () => {
    const { ctx } = harness;
    const merchant = await onDollars();
    const evm = await useWallet(ctx, merchant.id);
    await setAcceptedMethods(ctx.db, merchant.id, [BTC]);
    const { body } = await create(merchant, { pay_amount: '300' }).expect(201);
    expect(await page(body.checkout_url), 'without a wallet there').to.not.include('Bitcoin');
    await select(body.checkout_url, BTC).expect(({ status }) => expect(status).to.not.equal(303));
    const bitcoin = await useWallet(ctx, merchant.id, { value: bitcoinKey('zpub', 90) });
    expect(await page(body.checkout_url)).to.include('Bitcoin');
    for (let again = 0; again < 3; again += 1) await select(body.checkout_url, BTC).expect(303);
    const address = addressOf(ctx, bitcoin, 0);
    expect(await page(body.checkout_url)).to.include(`bitcoin:${address}?amount=0.005&#38;`);
    await select(body.checkout_url, { coin: 'USDC', network: 'ethereum' }).expect(303);
    expect((await page(body.checkout_url)).toLowerCase()).to.include(addressOf(ctx, evm, 0));
    await select(body.checkout_url, BTC).expect(303);
    const places = await ctx.db('further_deposits').where({ payment_id: body.id });
    expect(places).to.deep.equal([
      { payment_id: body.id, family: 'bitcoin', wallet_id: bitcoin.id, deposit_index: 0 },
    ]);
    for (const wallet of [evm, bitcoin]) {
      const rows = [];
      for await (const found of exportDeposits(ctx, wallet)) rows.push(...found);
      expect(rows.map(({ index, payment_id }) => [index, payment_id])).to.deep.equal([[0, body.id]]);
    }
    for (const [coin, network] of [
      ['BTC', 'bitcoin'],
      ['USDC', 'ethereum'],
    ] as const) {
      const { id: payment_id } = body as { id: string };
      const row = {
        payment_id,
        network,
        coin,
        tx_hash: `of ${network}`,
        amount: 1,
        credit: 1,
        is_live: true,
      };
      await ctx.db('transfers').insert({ ...row, seen_at: ctx.now(), locked_amount: 0, locked_credit: 0 });
    }
    const all = { merchantId: merchant.id, from: null, to: null };
    const transfers = await exported(ctx, 'transfers', all);
    expect(
      transfers.map((row) => [row.network, row.address, row.wallet_id, row.deposit_index]),
    ).to.deep.equal([
      ['bitcoin', address, bitcoin.id, 0],
      ['ethereum', addressOf(ctx, evm, 0), evm.id, 0],
    ]);
    await endWallet(ctx, bitcoin.id);
    const rules = await adapters.live.addresses.of(ctx, {
      id: body.id,
      merchant_id: merchant.id,
      wallet_id: evm.id,
      deposit_index: 0,
    });
    expect(rules.derive('bitcoin', body), 'its own place stays').to.equal(address);
  });

  it('gives each payment an address of its own, also those that choose Bitcoin at the same moment', async () => {
    const { ctx } = harness;
    const merchant = await onDollars();
    await useWallet(ctx, merchant.id);
    await useWallet(ctx, merchant.id, { value: bitcoinKey('zpub', 91) });
    await setAcceptedMethods(ctx.db, merchant.id, [BTC]);
    const urls = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await create(merchant, { pay_amount: '300' })).body.checkout_url,
      ),
    );
    await Promise.all([...urls, ...urls].map((url: string) => select(url, BTC).expect(303)));
    const shown = await Promise.all(
      urls.map(async (url: string) => /bitcoin:(bc1q\w+)/.exec(await page(url))?.[1]),
    );
    expect(new Set(shown).size).to.equal(6);
    expect(shown.every((address) => address !== undefined)).to.equal(true);
  });
});
