import { expect } from 'chai';
import supertest from 'supertest';
import { paymentIn } from '../../support/checkout.ts';
import { countRows } from '../../support/http.ts';
import { openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';
import { createHarness } from '../../support/harness.ts';

const MAIL = 'ben@customer.example';
const ASKS = ['seen', 'confirming', 'converting', 'settled'];
const DAY_SECONDS = 86_400;

describe('a mail address for the receipt', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene({ RATE_LIMIT_SCALE: '10' });
  });
  afterEach(() => scene.close());

  const open = async (token: string, query = '') =>
    (await supertest(scene.harness.app).get(`/checkout/${token}${query}`).expect(200)).text;
  const give = (token: string, form: object | string, query = '') =>
    supertest(scene.harness.app).post(`/checkout/${token}/receipt${query}`).type('form').send(form);
  const asks = (text: string) => text.includes('name="mail"');
  const settle = async () => {
    const { shop, harness } = scene;
    const id = await shop.create({});
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    return { id, token: (await shop.payment(id)).token_id };
  };
  const emailOf = async (id: string) => (await scene.shop.payment(id)).customer_email;

  it('is asked for once money came that pays, where the shop gave none and mails are sent', async () => {
    for (const state of [
      'waiting',
      'underpaid',
      'expired',
      'expired-partly',
      'failed',
      'refunded',
      ...ASKS,
    ]) {
      const { token_id } = await paymentIn(scene.harness, state);
      expect(asks(await open(token_id)), state).to.equal(ASKS.includes(state));
    }
    const { token_id } = await paymentIn(scene.harness, 'seen', { customer_email: MAIL });
    expect(asks(await open(token_id))).to.equal(false);
    const silent = await createHarness();
    try {
      const { token_id: token } = await paymentIn(silent, 'seen');
      expect(asks((await supertest(silent.app).get(`/checkout/${token}`)).text)).to.equal(false);
      await supertest(silent.app)
        .post(`/checkout/${token}/receipt`)
        .type('form')
        .send({ mail: MAIL })
        .expect(409);
      await supertest(silent.app)
        .post(`/checkout/${'A'.repeat(32)}/receipt`)
        .expect(404);
    } finally {
      await silent.close();
    }
  });

  it('gets the receipt of a payment that has settled, at once and once, and the page shows it masked', async () => {
    const { id, token } = await settle();
    expect(scene.mails()).to.deep.equal([]);
    const { headers } = await give(token, { mail: ` ${MAIL} ` }, '?lang=de').expect(303);
    expect(headers.location).to.equal(`/checkout/${token}?lang=de#proof`);
    // A job that is lost is found again by it.
    expect(await scene.harness.ctx.db('receipts').where({ payment_id: id, sent_at: null })).to.have.length(1);
    await scene.harness.work();
    const [mail, ...others] = scene.mails();
    expect(others).to.deep.equal([]);
    expect(mail?.headers.get('to')).to.include(MAIL);
    // Before the page was read again: the form says in which language it was.
    expect(mail?.headers.get('subject')).to.equal('[TEST] Quittung von Shop: Bestellung order-1');
    expect(await emailOf(id)).to.equal(MAIL);
    const page = await open(token);
    expect(page).to.include('b…@customer.example').and.not.include(MAIL);
    expect(asks(page)).to.equal(false);
  });

  it('that was given while the payment confirms gets the receipt when it settles', async () => {
    const { shop, harness } = scene;
    const id = await shop.create({});
    await shop.pay(id);
    await harness.work();
    await give((await shop.payment(id)).token_id, { mail: MAIL }).expect(303);
    await harness.work();
    expect(scene.mails()).to.deep.equal([]);
    await shop.mine(12);
    expect(scene.mails().map(({ headers }) => headers.get('subject'))).to.deep.equal([
      '[TEST] Receipt from Shop: order order-1',
    ]);
  });

  it('is taken once: of two the first stays, and nobody is mailed twice', async () => {
    const { id, token } = await settle();
    const answers = await Promise.all(
      [MAIL, 'eve@stranger.example'].map((mail) => give(token, { mail }).then(({ status }) => status)),
    );
    expect(answers).to.have.members([303, 409]);
    const first = await emailOf(id);
    const { text } = await give(token, { mail: 'eve@stranger.example' }).expect(409);
    expect(text).to.include('No mail address can be given now').and.include(`href="/checkout/${token}"`);
    await scene.harness.work();
    expect([await emailOf(id), scene.mails().length]).to.deep.equal([first, 1]);
  });

  it('is not taken without money, nor a week after the settlement', async () => {
    for (const state of ['waiting', 'underpaid', 'expired', 'refunded']) {
      const { id, token_id } = await paymentIn(scene.harness, state);
      await give(token_id, { mail: MAIL }).expect(409);
      expect(await emailOf(id)).to.equal(null);
    }
    const { id, token } = await settle();
    scene.harness.advance(7 * DAY_SECONDS);
    expect(asks(await open(token))).to.equal(false);
    await give(token, { mail: MAIL }).expect(409);
    expect(await emailOf(id)).to.equal(null);
    await give('A'.repeat(32), { mail: MAIL }).expect(404);
  });

  const BAD = {
    nothing: {},
    'a name': { mail: 'ben' },
    'two addresses': { mail: `${MAIL}, eve@stranger.example` },
    'one address twice': `mail=${MAIL}&mail=${MAIL}`,
    'a header of a mail': { mail: `${MAIL}\r\nBcc: eve@stranger.example` },
    'a name before it': { mail: `Ben <${MAIL}>` },
    markup: { mail: '"><script>alert(1)</script>@x.example' },
    'a text that is too long': { mail: `${'a'.repeat(250)}@customer.example` },
  };
  for (const [what, form] of Object.entries(BAD))
    it(`returns 400 for ${what}, with the error at the field and the input, and changes nothing`, async () => {
      const { id, token } = await settle();
      const before = await countRows(scene.harness);
      const { text } = await give(token, form).expect(400);
      expect(text)
        .to.match(/id="mail-fault">This is no mail address/)
        .and.not.include('<script>alert');
      expect(text).to.match(/<input[^>]+aria-invalid="true" aria-describedby="mail-fault"/);
      expect([await emailOf(id), await countRows(scene.harness)]).to.deep.equal([null, before]);
    });

  it('that is none is answered by a page that does not reload itself without a script', async () => {
    const { token_id } = await paymentIn(scene.harness, 'confirming');
    const reloads = 'http-equiv="refresh"';
    expect(await open(token_id)).to.include(reloads);
    expect((await give(token_id, { mail: 'ben' }).expect(400)).text).to.not.include(reloads);
  });

  it('is refused from another page, and more than ten times a minute from one address', async () => {
    const { token } = await settle();
    await give(token, { mail: MAIL }).set('Origin', 'https://evil.example').expect(403);
    const strict = await openReceiptScene({ RATE_LIMIT_SCALE: '1' });
    try {
      const { token_id } = await paymentIn(strict.harness, 'settled');
      const post = () =>
        supertest(strict.harness.app).post(`/checkout/${token_id}/receipt`).type('form').send({ mail: 'no' });
      const statuses = [];
      for (let n = 0; n < 11; n += 1) statuses.push((await post()).status);
      expect(new Set(statuses.slice(0, 10))).to.deep.equal(new Set([400]));
      expect(statuses[10]).to.equal(429);
    } finally {
      await strict.close();
    }
  });
});
