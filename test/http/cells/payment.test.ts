import { expect } from 'chai';
import { cellOf } from '../../../src/platform/values/cells.ts';
import { hiddenField, openBrowser } from '../../support/desk.ts';
import { createHarness } from '../../support/harness.ts';
import { logo } from '../../support/images.ts';
import { buyByLink, createLink, pathOf } from '../../support/links.ts';
import { openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { postScenario } from '../../support/scenarios.ts';
import { makeTill, openTillBrowser, pairingOf, paymentsOf } from '../../support/tills.ts';

const TOKEN = /^b7\.[\w-]{32}$/;
const ORDER = { pay_amount: '10.50', order_id: 'order-1' };
const OWN_PAGE = { Origin: 'https://pay.example' };

describe('in a service with CELL=b7', () => {
  let scene: ReceiptScene;
  let receiver: Receiver;
  beforeEach(async () => {
    scene = await openReceiptScene({ CELL: 'b7' });
    receiver = await startReceiver();
    const config = { webhookUrl: receiver.url, enabled: true };
    await scene.harness.api('put', '/v1/webhooks/config').send(config).expect(200);
  });
  afterEach(async () => {
    await scene.close();
    await receiver.close();
  });

  const read = async (id: string) => (await scene.harness.api('get', `/v1/payment/${id}`).expect(200)).body;

  it('a payment is created, paid on its page, reported, receipted and sent back', async () => {
    const { harness, shop } = scene;
    expect(harness.merchant.apiKey).to.match(/^sk_test_b7_[\w-]{32}$/);
    const id = await scene.settle();
    const payment = await read(id);
    expect(id).to.match(/^pay_[0-9A-Z]{26}$/);
    expect(payment).to.include({ status: 'SETTLED', order_id: 'order-1' });
    expect(payment.token_id).to.match(TOKEN);
    expect(payment.checkout_url).to.equal(`https://pay.example/checkout/${payment.token_id}`);
    const [mail] = scene.mails();
    expect(mail?.text).to.include(payment.checkout_url);
    const { body } = await harness.api('post', `/v1/payment/${id}/refund`).send({ amount: '4' }).expect(201);
    expect(body).to.include({ payment_id: id });
    await harness.work();
    expect((await shop.story(id)).at(-1)).to.equal('refunded SETTLED');
    const delivered = await receiver.waitFor(5);
    expect(delivered.map(({ headers }) => headers['webhook-id'])).to.satisfy((ids: string[]) =>
      ids.every((one) => /^evt_[0-9A-Z]{26}$/.test(one)),
    );
    await shop.mine(12);
  });

  it('its page, its state, its stream and its forms are below its token, with its images', async () => {
    const { harness } = scene;
    await harness
      .api('put', '/v1/checkout/logo')
      .type('image/png')
      .send(await logo())
      .expect(200);
    const { body } = await harness.api('post', '/v1/payment').send(ORDER).expect(201);
    const page = `/checkout/${String(body.token_id)}`;
    const { text } = await harness.api('get', page, null).expect(200);
    const actions = [...text.matchAll(/\saction="([^"]*)"/g)].map(([, action = '']) => action);
    expect(actions).to.include.members([`${page}/coin`, `${page}/transaction`, `${page}/simulate`]);
    for (const action of actions) expect(action).to.match(/^\/checkout\/b7\./);
    const [, image = ''] = /\ssrc="(\/checkout\/logos\/[^"]*)"/.exec(text) ?? [];
    expect(image).to.match(/^\/checkout\/logos\/b7\.[0-9a-f]{32}\.webp$/);
    await harness.api('get', image, null).expect(200).expect('Content-Type', 'image/webp');
    await harness.api('get', `${page}/status`, null).expect(200);
    await harness
      .api('head', `${page}/events?version=x`, null)
      .expect(200)
      .expect('Content-Type', /event-stream/);
    const paid = await harness
      .api('post', `${page}/simulate`, null)
      .set(OWN_PAGE)
      .type('form')
      .send({ do: 'pay' });
    expect([paid.status, paid.headers.location]).to.deep.equal([303, `${page}#status`]);
    await harness.work();
    expect((await read(String(body.id))).status).to.equal('PENDING');
    const found = await harness.api('get', `${page}/receipt`, null);
    expect([found.status, found.headers.location]).to.deep.equal([303, page]);
  });

  it('a link is a page with a code, and makes payments', async () => {
    const { harness } = scene;
    const link = await createLink(harness);
    expect(link.url).to.match(/^https:\/\/pay\.example\/l\/b7\.[\w-]{32}$/);
    expect(link.code_url).to.equal(`${link.url}/code.svg`);
    await harness
      .api('get', `${pathOf(link)}/code.png`, null)
      .expect(200)
      .expect('Content-Type', 'image/png');
    const bought = await buyByLink(harness, link);
    expect(bought).to.match(TOKEN);
    await harness.api('get', `/checkout/${bought}`, null).expect(200);
  });

  it('a till is paired by a link and a cookie that say the cell, and sells', async () => {
    const { harness } = scene;
    const till = await makeTill(harness, { priceCurrency: null });
    const path = await pairingOf(harness, till);
    expect(path).to.match(/^\/till\/pair\/b7\.[\w-]{32}$/);
    const page = await openBrowser(harness).get(path);
    expect(page.text).to.include(`action="${path}"`);
    const browser = await openTillBrowser(harness, till);
    expect(browser.cookies.get('__Host-till')).to.match(TOKEN);
    const sold = await browser.sell('10.50');
    expect(sold.location).to.equal('/till/sales/1');
    expect((await browser.get('/till/sales/1')).text).to.match(/"\/checkout\/b7\.[\w-]{32}"/);
    expect(await paymentsOf(harness, till)).to.have.lengthOf(1);
    expect(hiddenField((await browser.get('/till')).text, 'nonce')).to.match(/^[\w-]{32}$/);
  });

  it("a merchant's public keys are at an address that says the cell, and verify its events", async () => {
    const { harness } = scene;
    const { body } = await harness.api('post', '/v1/webhooks/signing-keys').send({}).expect(201);
    const { id } = harness.merchant;
    expect(body.jwks_url).to.equal(`https://pay.example/v1/webhooks/jwks/b7.${id}`);
    const sets = [new URL(String(body.jwks_url)).pathname, `/v1/webhooks/jwks/${id}`].map(
      async (path) => (await harness.api('get', path, null).expect(200)).body.keys,
    );
    const [own, plain] = await Promise.all(sets);
    expect(own).to.have.lengthOf(1);
    expect(plain).to.deep.equal(own);
  });

  it('a story with stable ids is the one of every other service', async () => {
    const { harness } = scene;
    const told = await postScenario(harness, { story: 'paid', seed: 'a', ids: 'stable' });
    const elsewhere = await createHarness();
    try {
      const same = await postScenario(elsewhere, { story: 'paid', seed: 'a', ids: 'stable' });
      expect(told.text).to.equal(same.text);
    } finally {
      await elsewhere.close();
    }
    const { report } = await postScenario(harness, { story: 'paid', seed: 'a' });
    expect(report.payment.token_id).to.match(TOKEN);
  });

  it('a key and a token of another cell are as unknown as any', async () => {
    const { harness } = scene;
    const other = await openReceiptScene({ CELL: 'c3' });
    try {
      const { apiKey } = other.harness.merchant;
      expect(cellOf(apiKey)).to.equal('c3');
      const { body } = await other.harness.api('post', '/v1/payment').send(ORDER).expect(201);
      const link = await createLink(other.harness);
      const pairing = await pairingOf(other.harness, await makeTill(other.harness));
      const refused = await harness.api('get', '/v1/payments', apiKey).expect(401);
      expect(refused.body.message).to.equal(
        'The key in X-API-Key is unknown, or was revoked, or has expired.',
      );
      const paths = [`/checkout/${String(body.token_id)}`, pathOf(link), `${pathOf(link)}/code.svg`, pairing];
      for (const path of paths) await harness.api('get', path, null).expect(404);
    } finally {
      await other.close();
    }
  });
});
