import { expect } from 'chai';
import supertest from 'supertest';
import { simulatedContract } from '../../../src/domain/chain/addresses.ts';
import { simulatedChain } from '../../../src/domain/chain/simulator/simulated.ts';
import { addressIn, paymentIn } from '../../support/checkout.ts';
import { countRows, expectError } from '../../support/http.ts';
import { waitingFor } from '../../support/locks.ts';
import { refundRow } from '../../support/refunds.ts';
import { openShop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ANOTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

/** The fields that a form sends back as they are. */
const hiddenFields = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );

describe('the refund address on the checkout page', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  const open = async (token: string, query = '') =>
    (await supertest(harness.app).get(`/checkout/${token}${query}`)).text;
  const post = (token: string, form: object | string, query = '') =>
    supertest(harness.app).post(`/checkout/${token}/refund-address${query}`).type('form').send(form);
  /** Both steps, as far as the page leads. */
  const give = (token: string, form: object | string, query = '') => {
    const second = async () => {
      const first = await post(token, form, query);
      return first.status === 200 ? post(token, hiddenFields(first.text), query) : first;
    };
    const answer = second();
    return Object.assign(answer, {
      async expect(status: number) {
        expect((await answer).status).to.equal(status);
        return answer;
      },
    });
  };
  const savedFor = async (id: string): Promise<string | null> => {
    const rows: { network: string; address: string }[] = await harness.ctx
      .db('refund_addresses')
      .where({ payment_id: id })
      .select('network', 'address');
    expect(rows.map(({ network }) => network)).to.deep.equal(rows.length === 0 ? [] : ['ethereum']);
    return rows[0]?.address ?? null;
  };
  const asks = (page: string) => page.includes('name="address"');

  for (const [state, fields] of [
    ['expired-partly', {}],
    ['late-returned', {}],
    ['failed', {}],
    ['overpaid', { policy: { overpaid: 'refund_excess' } }],
  ] as const)
    it(`is asked for when ${state}, on the network and in the coin that refunds are in`, async () => {
      const { token_id } = await paymentIn(harness, state, fields);
      const page = await open(token_id);
      expect(asks(page)).to.equal(true);
      expect(page).to.match(/Your <bdi dir="ltr">Ethereum<\/bdi> address for <bdi dir="ltr">USDC<\/bdi>/);
    });

  for (const state of [
    'waiting',
    'underpaid',
    // The difference is kept by policy.
    'overpaid',
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
    it(`is not asked for when ${state}, and returns 409`, async () => {
      const { id, token_id } = await paymentIn(harness, state);
      // refunded-in-part: of 12, 10.50 are the price, and the rest went back.
      expect(asks(await open(token_id))).to.equal(false);
      const { text } = await give(token_id, { address: MINE }).expect(409);
      expect(text).to.include('No address can be given now').and.include(`href="/checkout/${token_id}"`);
      expect(await savedFor(id)).to.equal(null);
    });

  it('is asked for in the coin and on the network of a refund that waits for it, after settlement too', async () => {
    const { id, token_id } = await paymentIn(harness, 'settled');
    expect(asks(await open(token_id))).to.equal(false);
    const own = { coin: 'USDT', network: 'polygon', status: 'NEEDS_ADDRESS' };
    await harness.ctx.db('refunds').insert(refundRow(id, harness.ctx.now(), own));
    const page = await open(token_id);
    expect(page).to.match(/Your <bdi dir="ltr">Polygon<\/bdi> address for <bdi dir="ltr">USDT<\/bdi>/);
    await give(token_id, { address: MINE }).expect(303);
    const [refund]: { status: string; address: string }[] = await harness.ctx
      .db('refunds')
      .where({ payment_id: id })
      .select('status', 'address');
    expect(refund).to.deep.equal({ status: 'PENDING', address: MINE });
    expect(asks(await open(token_id))).to.equal(false);
  });

  it('is not asked for when more went back than is left after a reorganisation', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    await harness.ctx.db('payments').where({ id }).update({ amount_refunded: '5' });
    expect(asks(await open(token_id))).to.equal(false);
  });

  it('is not asked for while what came is on its way to the address that the merchant named', async () => {
    const shop = await openShop(harness);
    const id = await shop.create({ expiration_minutes: 5 });
    await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '4' });
    await harness.work();
    await shop.mine(12);
    harness.advance(300);
    await harness.work();
    const { token_id } = await shop.payment(id);
    const version = async () =>
      (await supertest(harness.app).get(`/checkout/${token_id}/status`)).body.version as string;
    const before = await version();
    expect(asks(await open(token_id))).to.equal(true);
    await harness.api('post', `/v1/payment/${id}/refund`).send({ address: ANOTHER }).expect(201);
    expect(asks(await open(token_id))).to.equal(false);
    expect(await version()).to.not.equal(before);
    await give(token_id, { address: MINE }).expect(409);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
  });

  it('is saved with the payment, and shown on the page, to which the form redirects', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    const { headers } = await give(token_id, { address: ` ${MINE}\n` }, '?lang=de').expect(303);
    expect(headers.location).to.equal(`/checkout/${token_id}?lang=de#refund`);
    expect(await savedFor(id)).to.equal(MINE);
    const page = await open(token_id, '?lang=de');
    expect(addressIn(page)).to.equal(MINE);
    expect(page, 'in fours').to.include('<b>0x5aAe</b><b>b605</b><span>3F3E</span>');
    expect(asks(page)).to.equal(false);
  });

  it('is shown with amount and network in a second step, and saved only when these are confirmed', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    const { text, status } = await post(token_id, { address: MINE }, '?lang=fr');
    expect(status).to.equal(200);
    expect(text).to.include('4,00 USDC').and.include('>Ethereum<');
    expect(addressIn(text)).to.equal(MINE);
    expect(asks(text), 'the hidden field').to.equal(true);
    expect(await savedFor(id)).to.equal(null);
    const { confirmed } = hiddenFields(text);
    for (const wrong of [{}, { confirmed: '' }, { confirmed: `${confirmed} ` }, { confirmed: '5.00 USDC' }])
      expect((await post(token_id, { address: MINE, ...wrong })).status).to.equal(200);
    expect(await savedFor(id)).to.equal(null);
    await harness.ctx.db('payments').where({ id }).update({ amount_received: '5' });
    const again = await post(token_id, { address: MINE, confirmed });
    expect([again.status, await savedFor(id)]).to.deep.equal([200, null]);
    expect(again.text).to.include('5.00 USDC');
    await post(token_id, hiddenFields(again.text)).expect(303);
    expect(await savedFor(id)).to.equal(MINE);
  });

  it('can be changed in the second step, and is checked in it', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    const fields = hiddenFields((await post(token_id, { address: MINE })).text);
    const { text } = await post(token_id, { ...fields, change: 'yes' }).expect(200);
    expect(text).to.match(new RegExp(`<input\\s+id="refund-address"[^>]+value="${MINE}"`));
    expect(text).to.not.include('refund-fault');
    await post(token_id, { ...fields, address: `${MINE.slice(0, -1)}D` }).expect(400);
    expect(await savedFor(id)).to.equal(null);
  });

  it('is told to the merchant, who can clear it while nothing was sent there: the page asks again', async () => {
    const shop = await openShop(harness);
    const id = await shop.create({ expiration_minutes: 5 });
    for (const sender of [MINE, ANOTHER])
      await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '2', sender });
    await harness.work();
    await shop.mine(12);
    harness.advance(300);
    await harness.work();
    const refunds = async () => (await harness.api('get', `/v1/payment/${id}/refunds`).expect(200)).body;
    const clear = (key?: string) => harness.api('delete', `/v1/payment/${id}/refund-address`, key);
    expect((await refunds()).refund_address).to.equal(null);
    expect((await clear().expect(200)).body, 'nothing to clear').to.deep.equal(await refunds());
    const { token_id } = await shop.payment(id);
    await give(token_id, { address: MINE }).expect(303);
    const address = { address: MINE, network: 'ethereum', given_at: harness.ctx.now().toISOString() };
    expect((await refunds()).refund_address).to.deep.equal(address);
    await harness.api('post', `/v1/payment/${id}/refund`).send({}).expect(201);
    expect((await refunds()).data[0]).to.include({ status: 'PENDING', address: MINE });
    const { apiKey: reader } = await harness.addMerchant({ permissions: ['payments:read'] });
    expectError(harness, await clear(reader), 403);
    expectError(harness, await clear((await harness.addMerchant()).apiKey), 404);
    const cleared = (await clear().expect(200)).body;
    expect(cleared.refund_address).to.equal(null);
    expect(cleared.data[0]).to.include({ status: 'NEEDS_ADDRESS', address: null });
    await harness.work();
    expect((await refunds()).data[0]).to.include({ status: 'NEEDS_ADDRESS' });
    expect(asks(await open(token_id))).to.equal(true);
    harness.advance(1);
    await give(token_id, { address: ANOTHER }).expect(303);
    await harness.work();
    expect((await refunds()).data[0]).to.include({ status: 'COMPLETED', address: ANOTHER });
    const refused = await clear();
    expectError(harness, refused, 409);
    expect(refused.body.message).to.include(ANOTHER);
    expect((await refunds()).refund_address).to.include({ address: ANOTHER });
  });

  it('is not cleared once its payout was asked for, though nobody knows yet whether it was sent', async () => {
    const { id, token_id } = await paymentIn(harness, 'settled');
    await harness.ctx.db('refunds').insert(refundRow(id, harness.ctx.now(), { status: 'NEEDS_ADDRESS' }));
    await give(token_id, { address: MINE }).expect(303);
    await harness.ctx.db('refunds').where({ payment_id: id }).update({ asked_at: harness.ctx.now() });
    expectError(harness, await harness.api('delete', `/v1/payment/${id}/refund-address`), 409);
    expect(await savedFor(id)).to.equal(MINE);
  });

  it('is cleared on the networks where nothing was sent to it, whichever was given last', async () => {
    const { id } = await paymentIn(harness, 'expired-partly');
    const { db, now } = harness.ctx;
    const given_at = now();
    await db('refund_addresses').insert([
      { payment_id: id, network: 'polygon', address: MINE, given_at },
      { payment_id: id, network: 'ethereum', address: MINE, given_at: new Date(given_at.getTime() + 1) },
    ]);
    await db('refunds').insert(refundRow(id, given_at, { status: 'COMPLETED', address: MINE }));
    const clear = () => harness.api('delete', `/v1/payment/${id}/refund-address`);
    const { body } = await clear().expect(200);
    expect(body.refund_address).to.include({ network: 'ethereum', address: MINE });
    expect(await savedFor(id)).to.equal(MINE);
    expectError(harness, await clear(), 409);
  });

  it('is shown again with what goes back by now, when that changes while it is being saved', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    const { db } = harness.ctx;
    const { text } = await post(token_id, { address: MINE }).expect(200);
    const shown = await waitingFor(
      db,
      (tx) => tx('payments').where({ id }).update({ amount_received: '3' }).then(),
      () => post(token_id, hiddenFields(text)).then((response) => response),
    );
    expect(shown.status).to.equal(200);
    expect(hiddenFields(shown.text).confirmed).to.equal('3.00 USDC USDC ethereum');
    expect(await savedFor(id)).to.equal(null);
  });

  it('is saved once: a later visitor of the link cannot redirect the money', async () => {
    const { id, token_id } = await paymentIn(harness, 'expired-partly');
    const answers = await Promise.all(
      [MINE, ANOTHER].map((address) => give(token_id, { address }).then(({ status }) => status)),
    );
    expect(answers).to.have.members([303, 409]);
    const saved = await savedFor(id);
    await give(token_id, { address: ANOTHER }).expect(409);
    await give(token_id, { address: MINE }).expect(409);
    expect(await savedFor(id)).to.equal(saved);
  });

  const BAD = {
    'a mistyped address': { address: `${MINE.slice(0, -1)}D` },
    "another network's address": { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
    "a token's contract": { address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
    "a token's contract on another network": {
      address: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
    },
    "a simulated token's contract": { address: simulatedContract('USDC', 'ethereum') },
    nothing: {},
    'two addresses': `address=${MINE}&address=${MINE}`,
    markup: { address: '"><script>alert(1)</script>' },
    'a text that is too long': { address: `0x${'0'.repeat(600)}` },
  };
  for (const [what, form] of Object.entries(BAD))
    it(`returns 400 for ${what}, with the page, the error beside the field and the input`, async () => {
      const { id, token_id } = await paymentIn(harness, 'expired-partly');
      const before = await countRows(harness);
      const { text } = await give(token_id, form).expect(400);
      expect(text).to.match(/<input[^>]+aria-invalid="true" aria-describedby="refund-fault"/);
      expect(text).to.match(/id="refund-fault">This is no address of your own on/);
      expect(text).to.not.include('<script>alert');
      expect([await savedFor(id), await countRows(harness)]).to.deep.equal([null, before]);
    });

  for (const network of ['ethereum', 'polygon'] as const)
    it(`refuses the payment's own deposit address on ${network}`, async () => {
      const { id, token_id } = await paymentIn(harness, 'expired-partly');
      const address = simulatedChain(harness.ctx).derive(network, { id });
      await give(token_id, { address: address.replace(/[a-f]/g, (digit) => digit.toUpperCase()) }).expect(
        400,
      );
      expect(await savedFor(id)).to.equal(null);
    });

  it('returns 404 for an unknown token', async () => {
    await give('A'.repeat(32), { address: MINE }).expect(404);
  });

  it('does not reload the page without a script while a customer types', async () => {
    const { token_id } = await paymentIn(harness, 'expired-partly');
    expect(await open(token_id)).to.not.include('http-equiv="refresh"');
    await give(token_id, { address: MINE }).expect(303);
    expect(await open(token_id)).to.include('http-equiv="refresh"');
  });

  it('receives the refund', async () => {
    const shop = await openShop(harness);
    const id = await shop.create({ expiration_minutes: 5 });
    await shop.pay(id, { amount: '4' });
    harness.advance(20);
    await harness.work();
    harness.advance(300);
    await harness.work();
    const { token_id, status } = await shop.payment(id);
    expect(status).to.equal('EXPIRED');
    await give(token_id, { address: MINE }).expect(303);
    await harness.api('post', `/v1/payment/${id}/refund`).send({}).expect(201);
    await harness.work();
    expect(await harness.ctx.db('refunds').where({ payment_id: id }).pluck('address')).to.deep.equal([MINE]);
  });
});
