import { expect } from 'chai';
import supertest from 'supertest';
import { COINS_ON_NETWORKS, isCoinOn } from '../../../src/domain/chain/coins.ts';
import { RATE_LOCK_SECONDS } from '../../../src/domain/payments/pricing/quotes.ts';
import { lockPayments } from '../../../src/domain/payments/lifecycle/store.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { addressIn, paymentIn } from '../../support/checkout.ts';
import { countRows, pay } from '../../support/http.ts';
import { untilWaitingForLocks } from '../../support/locks.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('selecting a payment method on the checkout page', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  const select = (token: string, form: object | string, query = '') =>
    supertest(harness.app).post(`/checkout/${token}/coin${query}`).type('form').send(form);
  const rowOf = async (id: string) =>
    (await harness.ctx.db('payments').where({ id }).first('coin', 'network', 'address', 'crypto_amount')) as {
      coin: string;
      network: string;
      address: string;
    };

  it('offers every coin, and every network of the chosen coin, as forms that need no script', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const { text } = await supertest(harness.app).get(`/checkout/${token_id}`);
    const offered = [
      ...text.matchAll(
        /name="coin" value="(\w+)"\s*\/?><input\s+type="hidden"\s+name="network"\s+value="(\w+)"/g,
      ),
    ];
    expect(new Set(offered.map(([, coin]) => coin)).size).to.equal(8);
    for (const [, coin = '', network = ''] of offered) expect(isCoinOn(coin, network)).to.equal(true);
    expect(text.match(/aria-pressed="true"/g)).to.have.length(2);
  });

  for (const { coin, network } of COINS_ON_NETWORKS)
    it(`${coin} on ${network}: 303 back to the page, which then asks for it`, async () => {
      const { id, token_id } = await paymentIn(harness, 'waiting');
      const { headers } = await select(token_id, { coin, network }, '?lang=de').expect(303);
      expect(headers.location).to.equal(`/checkout/${token_id}?lang=de#pay`);
      const row = await rowOf(id);
      expect([row.coin, row.network]).to.deep.equal([coin, network]);
      const { text } = await supertest(harness.app).get(`/checkout/${token_id}?lang=de`);
      expect(addressIn(text).toLowerCase()).to.equal(row.address.toLowerCase());
      expect(text).to.match(new RegExp(`</span> ${coin}\\s*</p>`));
    });

  it('is paid in that coin afterwards, and settles', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await select(token_id, { coin: 'ETH', network: 'ethereum' }).expect(303);
    await pay(harness, id);
    const { body } = await harness.api('get', `/v1/payment/${id}`);
    expect([body.status, body.actually_paid_currency]).to.deep.equal(['SETTLED', 'ETH']);
  });

  it('shows until when the price in that coin holds, and nothing when the coin needs no rate', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const open = async () => (await supertest(harness.app).get(`/checkout/${token_id}`)).text;
    expect(await open()).to.not.include('This price holds');
    await select(token_id, { coin: 'BTC', network: 'bitcoin' }).expect(303);
    const until = addSeconds(harness.ctx.now(), RATE_LOCK_SECONDS).toISOString();
    expect(await open()).to.match(
      new RegExp(`This price holds for [^]*>15:00<[^]*until <span class="held"><time datetime="${until}"`),
    );
  });

  it('waits for the lock of the row: money that is seen at the same instant wins', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const before = await rowOf(id);
    let selection: Promise<{ status: number }> | undefined;
    await harness.ctx.db.transaction(async (tx) => {
      const [payment] = await lockPayments(tx, [id]);
      selection = select(token_id, { coin: 'BTC', network: 'bitcoin' }).then((answer) => answer);
      await untilWaitingForLocks(harness.ctx.db);
      await tx('payments').where({ id: payment?.id }).update({ amount_received: '1' });
    });
    expect((await selection)?.status).to.equal(409);
    expect(await rowOf(id)).to.deep.equal(before);
  });

  const BAD = {
    'an unknown coin': { coin: 'DOGE', network: 'ethereum' },
    'a network on which the coin does not live': { coin: 'BTC', network: 'ethereum' },
    'a coin alone': { coin: 'BTC' },
    'a name that every object has': { coin: 'constructor', network: 'constructor' },
    'a coin given twice': 'coin=BTC&coin=BTC&network=bitcoin',
    nothing: '',
  };
  for (const [name, form] of Object.entries(BAD))
    it(`returns 400 with a page that links back for ${name}, and changes nothing`, async () => {
      const { id, token_id } = await paymentIn(harness, 'waiting');
      const before = [await rowOf(id), await countRows(harness)];
      const { text } = await select(token_id, form).expect(400);
      expect(text).to.include('That cannot be chosen').and.include(`href="/checkout/${token_id}"`);
      expect([await rowOf(id), await countRows(harness)]).to.deep.equal(before);
    });

  it('returns 400 for another content type and 413 for a form that is too large, as pages', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const json = await supertest(harness.app)
      .post(`/checkout/${token_id}/coin`)
      .send({ coin: 'BTC', network: 'bitcoin' });
    expect([json.status, json.type]).to.deep.equal([400, 'text/html']);
    const large = await select(token_id, { coin: 'B'.repeat(2_000) });
    expect([large.status, large.type]).to.deep.equal([413, 'text/html']);
    expect(large.text).to.include('That was too long');
  });

  for (const state of ['underpaid', 'seen', 'converting', 'settled', 'expired', 'failed', 'refunded'])
    it(`returns 409 with a page once ${state}, and changes nothing`, async () => {
      const { id, token_id } = await paymentIn(harness, state);
      const before = await rowOf(id);
      const { text } = await select(token_id, { coin: 'BTC', network: 'bitcoin' }).expect(409);
      expect(text).to.include('The coin can no longer be changed');
      expect(await rowOf(id)).to.deep.equal(before);
    });

  it('is closed from the deadline on, also before the payment is EXPIRED', async () => {
    const { token_id } = await paymentIn(harness, 'waiting', { expiration_minutes: 5 });
    harness.advance(300);
    await select(token_id, { coin: 'BTC', network: 'bitcoin' }).expect(409);
  });

  it('returns 404 for an unknown token', async () => {
    const { text } = await select('A'.repeat(32), { coin: 'BTC', network: 'bitcoin' }).expect(404);
    expect(text).to.include('Page not found');
  });
});
