import { expect } from 'chai';
import supertest from 'supertest';
import { sendAddressRequests } from '../../../src/domain/receipts/send.ts';
import { SENT_HASH } from '../../support/checkout.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

describe('a mail about a payment that lacks something', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const create = (body: object = {}) => scene.shop.create({ customer_email: CUSTOMER, ...body });
  const send = async (id: string, amount: string, coin: 'USDC' | 'ETH' = 'USDC') => {
    await scene.shop.send(id, { coin, network: 'ethereum', amount });
    await scene.harness.work();
  };
  const said = async (id: string) => {
    const { token_id } = await scene.shop.payment(id);
    const { text } = await supertest(scene.harness.app).get(`/checkout/${token_id}`).expect(200);
    const [, part = ''] = /<div id="said"[^>]*>([^]*?)<\/div>/.exec(text) ?? [];
    return part.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
  };

  it('says at once, as the page does, how much more to send and until when, or what can go back', async () => {
    const id = await create({ order_id: 'order-7', pay_amount: '48.00' });
    await send(id, '47');
    expect((await scene.shop.payment(id)).status).to.equal('PENDING');
    const [mail, ...others] = scene.mails();
    expect(others).to.deep.equal([]);
    const { token_id } = await scene.shop.payment(id);
    expect(mail?.headers.get('subject')).to.equal(
      '[TEST] Part of your payment to Shop is missing: order order-7',
    );
    expect(mail?.text).to.equal(
      `*** TEST: This is a test. No real money was moved. ***

A part of your payment is missing

We have 47.00 USDC of 48.00 USDC for your order at Shop.

Send 1.00 USDC more to the same address by January 31, 2026 at 1:00 PM UTC: then your payment is complete.

Or send nothing more: when this payment has ended, Shop can send 47.00 USDC back.

Order: order-7
Total: 48.00 USDC
Received: 47.00 USDC
Network: Ethereum
Time: January 31, 2026 at 12:00 PM UTC
Payment ID: ${id}

See this payment:
https://pay.example/checkout/${token_id}?lang=en

This mail was sent automatically; answers to it are not read.
`,
    );
    expect(await said(id))
      .to.include('We have 47.00 USDC of 48.00 USDC.')
      .and.include('Send 1.00 USDC more to the same address by 1:00 PM UTC: then your payment is complete.')
      .and.include('when this payment has ended, Shop can send 47.00 USDC back.');
  });

  it('keeps what it says: the rest completes the payment, and without it the page asks for an address', async () => {
    const [completed, given] = [await create(), await create()];
    for (const id of [completed, given]) await send(id, '4');
    await send(completed, '6.5');
    await scene.shop.mine(12);
    expect((await scene.shop.payment(completed)).status).to.equal('SETTLED');
    scene.harness.advance(3_601);
    await scene.harness.work();
    const { token_id, status } = await scene.shop.payment(given);
    expect(status).to.equal('EXPIRED');
    const { text } = await supertest(scene.harness.app).get(`/checkout/${token_id}`);
    expect(text)
      .to.match(/id="refund"[^>]*>[^]*name="address"/)
      .and.include('4.00 USDC');
    await scene.shop.mine(12);
    await scene.shop.refund(given, { address: '0x52908400098527886E0F7030069857D2E4169EE7' });
    await scene.harness.work();
    expect((await scene.shop.payment(given)).status).to.equal('REFUNDED');
  });

  it('names what came in its own coins, and leaves out what is too little to be sent', async () => {
    const id = await create();
    await send(id, '0.001', 'ETH');
    expect(scene.mails()[0]?.text).to.include('can send 0.001 ETH back.').and.include('We have 3.00 USDC');
    await send(id, '2');
    expect(await said(id)).to.include('can send 0.001 ETH + 2.00 USDC back.');
    expect(scene.mails(), 'once a payment').to.have.length(1);
    const dust = await create();
    await send(dust, '0.001');
    expect(scene.mails()[1]?.text).to.include('Send 10.499 USDC more').and.not.include('back');
    expect(await said(dust))
      .to.include('Send 10.499 USDC more')
      .and.not.include('back');
  });

  it('says until when the rest is so much, where its price is locked', async () => {
    const id = await create({ pay_amount: '30.00' });
    const { token_id } = await scene.shop.payment(id);
    const form = { coin: 'ETH', network: 'ethereum' };
    await supertest(scene.harness.app).post(`/checkout/${token_id}/coin`).type('form').send(form).expect(303);
    await send(id, '0.004', 'ETH');
    expect(scene.mails()[0]?.text).to.include(
      'Send 0.006 ETH more to the same address by January 31, 2026 at 12:15 PM',
    );
  });

  it('is given up where its mail server was away until the time to pay was over', async () => {
    scene.server.refuse(true);
    const id = await create();
    await send(id, '4');
    const { harness } = scene;
    const payments = harness.ctx.db('payments').where({ id });
    await payments.update({ deadline_at: new Date(harness.ctx.now().getTime() + 5_000) });
    scene.server.refuse(false);
    harness.advance(10);
    const [event = ''] = await harness.ctx.db('address_requests').pluck<string[]>('event_id');
    await sendAddressRequests(harness.ctx, harness.adapters, [event]);
    expect(scene.mails()).to.deep.equal([]);
    expect(await harness.ctx.db('address_requests').pluck('last_error')).to.deep.equal([
      'nothing to ask or to report any more',
    ]);
  });

  it('is sent, too, where somebody has named a transaction to the page: nobody has checked it', async () => {
    const id = await create();
    const { token_id } = await scene.shop.payment(id);
    const form = { tx: SENT_HASH, chain: '0xaa36a7' };
    await supertest(scene.harness.app)
      .post(`/checkout/${token_id}/transaction`)
      .type('form')
      .send(form)
      .expect(200);
    await send(id, '4');
    expect(
      scene
        .mails()
        .map(({ text }) => text)
        .join(),
    ).to.include('Send 6.50 USDC more');
  });

  it('is not sent where the rest is here, or on its way, or the customer has no address', async () => {
    const { shop, harness } = scene;
    const late = await create();
    await shop.send(late, { coin: 'USDC', network: 'ethereum', amount: '4' });
    await shop.send(late, { coin: 'USDC', network: 'ethereum', amount: '6.5' });
    await harness.work();
    const nobody = await shop.create({});
    await send(nobody, '4');
    expect(scene.mails()).to.deep.equal([]);
  });
});
