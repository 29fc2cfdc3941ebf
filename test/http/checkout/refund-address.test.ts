import { expect } from 'chai';
import supertest from 'supertest';
import { simulatedChain } from '../../../src/domain/chain/simulator/simulated.ts';
import { paymentIn } from '../../support/checkout.ts';
import { countRows } from '../../support/http.ts';
import { openShop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ANOTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('naming an address for refunds on the checkout page', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  const open = async (token: string, query = '') =>
    (await supertest(harness.app).get(`/checkout/${token}${query}`)).text;
  const name = (token: string, form: object | string, query = '') =>
    supertest(harness.app).post(`/checkout/${token}/refund-address${query}`).type('form').send(form);
  const keptFor = async (id: string): Promise<string | null> => {
    const [address]: (string | null)[] = await harness.ctx
      .db('payments')
      .where({ id })
      .pluck('refund_address');
    return address ?? null;
  };
  const asks = (page: string) => page.includes('name="address"');

  for (const state of ['expired-partly', 'late-returned', 'failed', 'overpaid'])
    it(`is asked for when ${state}, on the network and in the coin that refunds are in`, async () => {
      const { token_id } = await paymentIn(harness, state);
      const page = await open(token_id);
      expect(asks(page)).to.equal(true);
      expect(page).to.match(/Your <bdi dir="ltr">Ethereum<\/bdi> address for <bdi dir="ltr">USDC<\/bdi>/);
    });

  for (const state of [
    'waiting',
    'underpaid',
    'seen',
    'confirming',
    'late',
    'converting',
    'settled',
    'refunded-in-part',
    'expired',
    'replaced',
    'refunded',
  ])
    it(`is not asked for when ${state}, and answered 409`, async () => {
      const { id, token_id } = await paymentIn(harness, state);
      // 10.50 of 12 are the price, and the rest went back.
      expect(asks(await open(token_id))).to.equal(false);
      const { text } = await name(token_id, { address: MINE }).expect(409);
      expect(text).to.include('No address can be given now').and.include(`href="/checkout/${token_id}"`);
      expect(await keptFor(id)).to.equal(null);
    });

  it('is not asked for when more went back than is there, because money has vanished since', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    await harness.ctx.db('payments').where({ id }).update({ amount_refunded: '5' });
    expect(asks(await open(token_id))).to.equal(false);
  });

  it('keeps it with the payment, leads back to the page in its language, and shows it there', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    const { headers } = await name(token_id, { address: ` ${MINE}\n` }, '?lang=de').expect(303);
    expect(headers.location).to.equal(`/checkout/${token_id}?lang=de#refund`);
    expect(await keptFor(id)).to.equal(MINE);
    const page = await open(token_id, '?lang=de');
    expect(page).to.include(`<code class="copy address">${MINE}</code>`);
    expect(asks(page)).to.equal(false);
  });

  it('is kept once and for good: nobody who finds the link later turns the money to himself', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    const answers = await Promise.all(
      [MINE, ANOTHER].map((address) => name(token_id, { address }).then(({ status }) => status)),
    );
    expect(answers).to.have.members([303, 409]);
    const kept = await keptFor(id);
    await name(token_id, { address: ANOTHER }).expect(409);
    await name(token_id, { address: MINE }).expect(409);
    expect(await keptFor(id)).to.equal(kept);
  });

  const BAD = {
    'a mistyped address': { address: `${MINE.slice(0, -1)}D` },
    "another network's address": { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
    nothing: {},
    'two addresses': `address=${MINE}&address=${MINE}`,
    markup: { address: '"><script>alert(1)</script>' },
    'a text that is too long': { address: `0x${'0'.repeat(600)}` },
  };
  for (const [what, form] of Object.entries(BAD))
    it(`answers 400 to ${what}, with the page, the fault beside the field and what was typed`, async () => {
      const { id, token_id } = await paymentIn(harness, 'expired-partly');
      const before = await countRows(harness);
      const { text } = await name(token_id, form).expect(400);
      expect(text).to.match(/<input[^>]+aria-invalid="true" aria-describedby="refund-fault"/);
      expect(text).to.match(/id="refund-fault">This is no address of your own on/);
      expect(text).to.not.include('<script>alert');
      expect([await keptFor(id), await countRows(harness)]).to.deep.equal([null, before]);
    });

  for (const network of ['ethereum', 'polygon'] as const)
    it(`refuses the payment's own address on ${network}, which was at hand`, async () => {
      const { id, token_id } = await paymentIn(harness, 'expired-partly');
      const address = simulatedChain(harness.ctx).depositAddress(network, id);
      await name(token_id, { address: address.replace(/[a-f]/g, (digit) => digit.toUpperCase()) }).expect(
        400,
      );
      expect(await keptFor(id)).to.equal(null);
    });

  it('answers 404 for a token that opens nothing', async () => {
    await name('A'.repeat(32), { address: MINE }).expect(404);
  });

  it('does not load the page anew under the hands of somebody who types without a script', async () => {
    const { token_id } = await paymentIn(harness, 'expired-partly');
    expect(await open(token_id)).to.not.include('http-equiv="refresh"');
    await name(token_id, { address: MINE }).expect(303);
    expect(await open(token_id)).to.include('http-equiv="refresh"');
  });

  it('is where the refund is sent', async () => {
    const shop = await openShop(harness);
    const id = await shop.create({ expiration_minutes: 5 });
    await shop.pay(id, { amount: '4' });
    harness.advance(20);
    await harness.work();
    harness.advance(300);
    await harness.work();
    const { token_id, status } = await shop.payment(id);
    expect(status).to.equal('EXPIRED');
    await name(token_id, { address: MINE }).expect(303);
    await harness.api('post', `/v1/payment/${id}/refund`).send({}).expect(201);
    await harness.work();
    expect(await harness.ctx.db('refunds').where({ payment_id: id }).pluck('address')).to.deep.equal([MINE]);
  });
});
