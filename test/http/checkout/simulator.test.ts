import { expect } from 'chai';
import supertest from 'supertest';
import { CHECKOUT_STATES, paymentIn } from '../../support/checkout.ts';
import { countRows, createPayment } from '../../support/http.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** The buttons of each state's panel; the other states have none. */
const BUTTONS: Readonly<Record<string, readonly string[]>> = {
  waiting: ['pay', 'half', 'double', 'expire'],
  sent: ['pay', 'half', 'double', 'expire'],
  underpaid: ['pay', 'half', 'double', 'replace', 'expire'],
  seen: ['replace'],
  confirming: ['replace'],
  overpaid: ['replace'],
  late: ['replace'],
};

const buttonsOf = (text: string) =>
  [...text.matchAll(/id="simulate-\w+"\s+name="do"\s+value="(\w+)"/g)].map(([, name]) => name);

describe("the simulator's panel on the checkout page", () => {
  let harness: Harness;
  let shop: Shop;
  before(async () => {
    harness = await createHarness({ SIMULATE_LIVE: 'true' });
    shop = await openShop(harness);
  });
  after(() => harness.close());

  const open = async (token: string, query = '') =>
    (await supertest(harness.app).get(`/checkout/${token}${query}`).expect(200)).text;
  const act = (token: string, form: object | string, query = '') =>
    supertest(harness.app).post(`/checkout/${token}/simulate${query}`).type('form').send(form);
  const createAndAct = async (fields: object, ...actions: string[]) => {
    const { id, token_id } = await createPayment(harness, fields);
    for (const name of actions) await act(token_id, { do: name }).expect(303);
    return { id, token_id, text: await open(token_id) };
  };
  const received = async (id: string) => (await shop.payment(id)).amount_received;
  const sentTo = async (id: string) =>
    (await harness.ctx
      .db('sim_transfers')
      .whereIn('address', harness.ctx.db('quotes').select('address').where({ payment_id: id }))
      .orderBy('change')
      .pluck('amount')) as string[];

  for (const state of Object.keys(CHECKOUT_STATES)) {
    const buttons = BUTTONS[state] ?? [];
    it(`${state}: ${buttons.join(', ') || 'nothing'} offered; no money is real`, async () => {
      const { token_id } = await paymentIn(harness, state);
      const text = await open(token_id, '?lang=en');
      expect(buttonsOf(text)).to.deep.equal(buttons);
      expect(text.includes('Simulator: no real money')).to.equal(buttons.length > 0);
      expect(text.includes(`action="/checkout/${token_id}/simulate?lang=en"`)).to.equal(buttons.length > 0);
    });

    it(`${state}: every other action returns 409 with a page, and nothing changes`, async () => {
      const { id, token_id } = await paymentIn(harness, state);
      const before_ = [await shop.payment(id), await countRows(harness)];
      for (const other of ['pay', 'half', 'double', 'replace', 'expire'].filter(
        (o) => !buttons.includes(o),
      )) {
        const { text } = await act(token_id, { do: other }).expect(409);
        expect(text).to.include('That is no longer possible').and.include(`href="/checkout/${token_id}"`);
      }
      expect([await shop.payment(id), await countRows(harness)]).to.deep.equal(before_);
    });
  }

  it('pays, halves and doubles a price in whole units of its coin', async () => {
    const price = { pay_amount: '19.123456789' };
    const paid = await createAndAct(price, 'pay');
    const half = await createAndAct(price, 'half', 'pay');
    const double = await createAndAct(price, 'double');
    expect((await sentTo(paid.id)).map(Number)).to.deep.equal([19.123457]);
    expect((await sentTo(half.id)).map(Number)).to.deep.equal([9.561728, 9.561729]);
    expect((await sentTo(double.id)).map(Number)).to.deep.equal([38.246914]);
  });

  it('pays exactly what is asked for, and the next page shows it before any worker syncs', async () => {
    const { id, token_id } = await createPayment(harness);
    const { headers } = await act(token_id, { do: 'pay' }, '?lang=de').expect(303);
    expect(headers.location).to.equal(`/checkout/${token_id}?lang=de#status`);
    expect(headers['content-security-policy']).to.match(/^default-src 'none'/);
    expect(await open(token_id)).to.include('We have seen your payment');
    expect([await sentTo(id), await received(id)]).to.deep.equal([['10.50'], '10.5']);
    await shop.mine(13);
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
  });

  it('pays half, and then exactly the rest', async () => {
    const { id, token_id, text } = await createAndAct({}, 'half');
    expect(text).to.include('<span id="amount" class="copy">5.25</span> USDC');
    expect(buttonsOf(text)).to.deep.equal(BUTTONS.underpaid);
    await act(token_id, { do: 'pay' }).expect(303);
    expect([await sentTo(id), await received(id)]).to.deep.equal([['5.25', '5.25'], '10.5']);
    expect(await open(token_id)).to.include('We have seen your payment');
  });

  it('pays double, which the page says is too much', async () => {
    const { id, text } = await createAndAct({}, 'double');
    expect(text).to.include(
      'You sent more than was asked: <span class="held"><bdi dir="ltr">21.00 USDC</bdi>.</span>',
    );
    expect((await shop.payment(id)).exceptions).to.deep.equal(['overpaid']);
  });

  it('pays in the coin that the customer selected, to the last of its decimals', async () => {
    const { id, token_id } = await createPayment(harness, { pay_amount: '10.01' });
    await supertest(harness.app)
      .post(`/checkout/${token_id}/coin`)
      .type('form')
      .send({ coin: 'BTC', network: 'bitcoin' })
      .expect(303);
    const { crypto_amount } = await shop.payment(id);
    const units = BigInt(crypto_amount.replace('.', ''));
    await act(token_id, { do: 'half' }).expect(303);
    const [half = ''] = await sentTo(id);
    expect(crypto_amount.split('.')[1]).to.have.length(8);
    expect(BigInt(Math.round(Number(half) * 1e8))).to.equal(units / 2n);
    await act(token_id, { do: 'pay' }).expect(303);
    const { fully_funded, coin, exceptions } = await shop.payment(id);
    expect([fully_funded, coin, exceptions]).to.deep.equal([true, 'BTC', []]);
  });

  it('offers no half of the smallest unit of a coin', async () => {
    const { token_id, text } = await createAndAct({ pay_amount: '0.000001' });
    expect(buttonsOf(text)).to.deep.equal(['pay', 'double', 'expire']);
    await act(token_id, { do: 'half' }).expect(409);
  });

  it('replaces the transfer while it confirms, and the payment fails as replaced', async () => {
    const { id, token_id } = await createAndAct({}, 'pay');
    await shop.mine(3);
    expect(buttonsOf(await open(token_id))).to.deep.equal(['replace']);
    await act(token_id, { do: 'replace' }).expect(303);
    const text = await open(token_id);
    expect(text).to.include('Your transfer was replaced');
    expect(buttonsOf(text)).to.deep.equal([]);
    const { status, exceptions } = await shop.payment(id);
    expect([status, exceptions]).to.deep.equal(['FAILED', ['replaced']]);
  });

  it('replaces no transfer that is confirmed', async () => {
    const { token_id } = await createAndAct({}, 'half');
    await shop.mine(13);
    expect(buttonsOf(await open(token_id))).to.deep.equal(['pay', 'half', 'double', 'expire']);
    await act(token_id, { do: 'replace' }).expect(409);
  });

  for (const actions of [[], ['half']])
    it(`lets a payment expire${actions.length > 0 ? ' that is paid in half' : ''}, alone`, async () => {
      const other = await createPayment(harness);
      const { id, text } = await createAndAct({ expiration_minutes: 30 }, ...actions, 'expire');
      expect(text).to.include('This payment has expired');
      expect(buttonsOf(text)).to.deep.equal([]);
      const { status, deadline_at } = await shop.payment(id);
      expect(status).to.equal('EXPIRED');
      const [last] = (await shop.events(id)).slice(-1);
      expect(last?.timestamp).to.equal(deadline_at.toISOString());
      expect((await shop.payment(other.id)).status).to.equal('WAITING');
    });

  it('acts at the time of an advanced test clock', async () => {
    const { id, token_id } = await createPayment(harness);
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '10m' }).expect(200);
    await act(token_id, { do: 'half' }).expect(303);
    expect(await open(token_id)).to.include('Part of your payment is here');
    await act(token_id, { do: 'replace' }).expect(303);
    expect(await open(token_id)).to.include('Your transfer was replaced');
  });

  it('takes ten clicks at once for one', async () => {
    const { id, token_id } = await createPayment(harness);
    const answers = await Promise.all(Array.from({ length: 10 }, () => act(token_id, { do: 'pay' })));
    expect(answers.map(({ status }) => status)).to.include(303);
    for (const { status } of answers) expect(status).to.be.oneOf([303, 409]);
    await harness.work();
    expect(await sentTo(id)).to.deep.equal(['10.50']);
  });

  it('refuses while another request advances the test clock, and changes nothing', async () => {
    const { id, token_id } = await createPayment(harness);
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '1m' }).expect(200);
    const until = new Date(harness.ctx.systemNow().getTime() + 60_000);
    await harness.ctx.db('payments').where({ id }).update({ clock_frozen_until: until });
    const { text } = await act(token_id, { do: 'expire' }).expect(409);
    expect(text).to.include('Somebody else is moving the clock').and.include(`href="/checkout/${token_id}"`);
    expect((await shop.payment(id)).status).to.equal('WAITING');
  });

  const BAD = {
    'an unknown action': { do: 'dance' },
    'a name that every object has': { do: 'constructor' },
    'an action given twice': 'do=pay&do=pay',
    nothing: '',
  };
  for (const [name, form] of Object.entries(BAD))
    it(`returns 400 with a page for ${name}, and changes nothing`, async () => {
      const { token_id } = await createPayment(harness);
      const before_ = await countRows(harness);
      const { text } = await act(token_id, form, '?lang=es').expect(400);
      expect(text).to.include('Eso no se puede simular').and.include(`href="/checkout/${token_id}?lang=es"`);
      expect(await countRows(harness)).to.deep.equal(before_);
    });

  it('returns 413 for a form that is too large, and 404 for an unknown token', async () => {
    const { token_id } = await createPayment(harness);
    await act(token_id, { do: 'p'.repeat(2_000) }).expect(413);
    await act('A'.repeat(32), { do: 'pay' }).expect(404);
    await act('A'.repeat(32), { do: 'dance' }).expect(404);
  });

  it('has no panel for a live payment, whose token counts as unknown, whatever the input', async () => {
    const live = await harness.addMerchant({ mode: 'live' });
    const { id, token_id } = await createPayment(harness, {}, live.apiKey);
    const text = await open(token_id);
    expect(buttonsOf(text)).to.deep.equal([]);
    expect(text).to.not.include('id="simulator"').and.not.include('no real money');
    const before_ = await countRows(harness);
    const unknown = await act('A'.repeat(32), { do: 'pay' }).expect(404);
    for (const input of ['pay', 'half', 'double', 'replace', 'expire', 'dance'])
      expect((await act(token_id, { do: input }).expect(404)).text).to.equal(unknown.text);
    expect(await countRows(harness)).to.deep.equal(before_);
    expect((await shop.payment(id)).status).to.equal('WAITING');
  });

  it('is absent with SANDBOX=off, and so is its path', async () => {
    const off = await createHarness({ SANDBOX: 'off' });
    try {
      const { token_id } = await createPayment(off);
      const { text } = await supertest(off.app).get(`/checkout/${token_id}`).expect(200);
      expect(text).to.not.include('id="simulator"').and.not.include('no real money');
      await supertest(off.app)
        .post(`/checkout/${token_id}/simulate`)
        .type('form')
        .send({ do: 'pay' })
        .expect(404);
      expect(await countRows(off)).to.include({ sim_transfers: 0 });
    } finally {
      await off.close();
    }
  });

  it('counts against the rate limit of the page', async () => {
    const strict = await createHarness({ RATE_LIMIT_SCALE: '0.01' });
    try {
      const { token_id } = await createPayment(strict);
      const statuses = [];
      for (let n = 0; n < 4; n += 1)
        statuses.push(
          (
            await supertest(strict.app)
              .post(`/checkout/${token_id}/simulate`)
              .type('form')
              .send({ do: 'dance' })
          ).status,
        );
      expect(statuses).to.deep.equal([400, 400, 400, 429]);
    } finally {
      await strict.close();
    }
  });
});
