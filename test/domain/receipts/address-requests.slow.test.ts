import { expect } from 'chai';
import supertest from 'supertest';
import { sendAddressRequest } from '../../../src/domain/receipts/jobs.ts';
import { sendAddressRequests } from '../../../src/domain/receipts/send.ts';
import { schedule } from '../../../src/domain/schedule/store.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import { addressIn } from '../../support/checkout.ts';
import { giveRefundAddress } from '../../support/refunds.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const AFTER_LATE_WINDOW = 26 * 3_600;

const requests = sql<{
  event_id: string;
  reason: string;
  sent_at: Date | null;
  given_up_at: Date | null;
  last_error: string | null;
}>(
  'test_address_requests',
  'SELECT event_id, reason, sent_at, given_up_at, last_error FROM address_requests ORDER BY event_id',
);

describe('a mail about money that does not pay for an order', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const stored = () => run(scene.harness.ctx.db, requests, []);
  const subjects = () => scene.mails().map(({ headers }) => headers.get('subject'));
  const jobs = () =>
    scene.harness.ctx.db('scheduled_jobs').where({ job: sendAddressRequest.name }).pluck<string[]>('key');
  const expire = async (seconds = 3_601) => {
    scene.harness.advance(seconds);
    await scene.harness.work();
  };
  /** A payment that expires with 4 of 10.50 USDC. While it is open, nobody can be mailed about the rest. */
  const underpaid = async (body: Parameters<typeof scene.shop.create>[0] = { customer_email: CUSTOMER }) => {
    const { customer_email = null, ...rest } = body ?? {};
    const id = await scene.shop.create(rest);
    await scene.shop.pay(id, { amount: '4' });
    await scene.harness.work();
    await scene.harness.ctx.db('payments').where({ id }).update({ customer_email });
    await expire();
    return id;
  };
  const payLate = async (id: string, amount: string) => {
    await scene.shop.send(id, { coin: 'USDC', network: 'ethereum', amount });
    await scene.harness.work();
  };
  const give = async (id: string) => {
    const { harness, shop } = scene;
    const { token_id } = await shop.payment(id);
    expect(await giveRefundAddress(harness.ctx, harness.adapters, token_id, MINE)).to.equal('saved');
  };

  it('says what came of what was asked when it was too little, and asks for no address', async () => {
    const id = await underpaid({
      customer_email: CUSTOMER,
      order_id: 'order-7',
      order_description: 'Two shirts',
    });
    expect((await scene.shop.payment(id)).status).to.equal('EXPIRED');
    const [mail, ...others] = scene.mails();
    expect(others).to.deep.equal([]);
    const { token_id } = await scene.shop.payment(id);
    const [row] = await stored();
    expect(scene.server.mails[0]?.to).to.deep.equal([CUSTOMER]);
    expect(mail?.headers.get('subject')).to.equal(
      '[TEST] Your payment to Shop was not complete: order order-7',
    );
    expect(mail?.headers.get('message-id')).to.equal(`<address-request.${row?.event_id}@service.example>`);
    expect(mail?.headers.get('auto-submitted')).to.equal('auto-generated');
    expect(mail?.text).to.equal(
      `*** TEST: This is a test. No real money was moved. ***

Your payment was not complete

Only 4.00 USDC of 10.50 USDC came in time, so your order at Shop is not paid.

Please send no more to this address.

Shop can send it back to you.

Order: order-7
Description: Two shirts
Total: 10.50 USDC
Received: 4.00 USDC
Time: January 31, 2026 at 1:00 PM UTC
Payment ID: ${id}

See this payment:
https://pay.example/checkout/${token_id}?lang=en

This mail was sent automatically; answers to it are not read.
`,
    );
    expect(mail?.html.match(/https?:[^"]*/g)).to.deep.equal([
      `https://pay.example/checkout/${token_id}?lang=en`,
    ]);
    expect(row).to.deep.include({ reason: 'too_little', given_up_at: null });
    // The previous release reads `receipts`, and would report a payment.
    expect(await scene.harness.ctx.db('receipts')).to.deep.equal([]);
    expect(await jobs()).to.deep.equal([]);
  });

  it('leads to a page that has the form, and that does not leave or reload by itself', async () => {
    const id = await underpaid({ customer_email: CUSTOMER, success_url: 'https://shop.example/thanks' });
    const [, path = ''] = /https:\/\/pay\.example(\S+)/.exec(scene.mails()[0]?.text ?? '') ?? [];
    const { text } = await supertest(scene.harness.app).get(path).expect(200);
    expect(text).to.match(/<\w+ [^>]*id="refund"[^>]*>[^]*<input[^>]*name="address"/);
    expect(text).to.not.include('http-equiv="refresh"').and.not.include('id="stay"');
    await give(id);
    expect(addressIn((await supertest(scene.harness.app).get(path)).text)).to.equal(MINE);
  });

  it('says what came too late, in the coin in which it came', async () => {
    const id = await scene.shop.create({ customer_email: CUSTOMER, pay_amount: '10' });
    await expire(AFTER_LATE_WINDOW);
    expect(scene.mails(), 'no money, no mail').to.deep.equal([]);
    await scene.shop.send(id, { coin: 'DAI', network: 'ethereum', amount: '3.25' });
    await scene.harness.work();
    const [mail] = scene.mails();
    expect(mail?.headers.get('subject')).to.equal('[TEST] Your payment to Shop came too late: order order-1');
    expect(mail?.text).to.include(
      '3.25 DAI came after this payment had ended, so it does not pay for your order at Shop.',
    );
    expect(mail?.text).to.include('\n\nShop can send it back to you.\n');
  });

  it('says that the policy returns late money, in the full amount too', async () => {
    const id = await scene.shop.create({ customer_email: CUSTOMER, policy: { late: 'refund' } });
    await expire();
    await payLate(id, '10.50');
    expect(subjects()).to.deep.equal(['[TEST] Your payment to Shop came too late: order order-1']);
    expect(scene.mails()[0]?.text).to.include('\n\nIt is sent back to you.\n');
  });

  it('is sent once for each reason, however much money comes, and though its job runs twice', async () => {
    const { harness } = scene;
    const id = await underpaid();
    await expire(AFTER_LATE_WINDOW);
    await payLate(id, '1');
    await payLate(id, '2');
    expect(subjects()).to.deep.equal([
      '[TEST] Your payment to Shop was not complete: order order-1',
      '[TEST] Your payment to Shop came too late: order order-1',
    ]);
    const sent = await stored();
    expect(sent.map(({ reason }) => reason)).to.have.members(['too_little', 'too_late']);
    const ids = (await scene.shop.events(id)).map((event) => event.id);
    await sendAddressRequests(harness.ctx, harness.adapters, [...ids, ...ids]);
    await schedule(
      harness.ctx.db,
      ids.map((key) => ({ job: sendAddressRequest, key, runAt: harness.ctx.now(), testClock: null })),
    );
    await harness.work();
    expect(scene.mails()).to.have.length(2);
    expect(await jobs()).to.deep.equal([]);
  });

  it('is not sent to a customer who has given an address in the meantime', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    const id = await underpaid();
    expect(await jobs()).to.have.length(1);
    await give(id);
    server.refuse(false);
    harness.advance(10);
    await harness.work();
    expect(subjects()).to.deep.equal(['[TEST] Your refund address at Shop: order order-1']);
    expect(await jobs()).to.deep.equal([]);
    expect(await stored()).to.have.length(1);
    expect((await stored())[0]).to.deep.include({
      sent_at: null,
      given_up_at: harness.ctx.now(),
      last_error: 'nothing to ask or to report any more',
    });
  });

  it('is sent for a later event after one that was given up: late money was honoured, and expired', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    const id = await underpaid();
    await scene.shop.pay(id, { amount: '1' });
    await harness.work();
    expect((await scene.shop.payment(id)).status).to.equal('PENDING');
    server.refuse(false);
    await expire(60);
    expect(scene.mails()[0]?.text, 'the page asks for the rest').to.include('Send 5.50 USDC more');
    await expire(AFTER_LATE_WINDOW);
    const [, mail, ...others] = scene.mails();
    expect(others).to.deep.equal([]);
    expect(mail?.text).to.include('Only 5.00 USDC of 10.50 USDC came in time');
  });

  it('is sent again when the mail server accepts mail again, and given up for an unknown mailbox', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    await underpaid();
    server.refuse(false);
    harness.advance(9.999);
    await harness.work();
    expect(scene.mails()).to.deep.equal([]);
    harness.advance(0.001);
    await harness.work();
    expect(scene.mails()).to.have.length(1);
    server.refuseRecipient('gone@customer.example', 550);
    await underpaid({ customer_email: 'gone@customer.example' });
    expect(await jobs()).to.deep.equal([]);
    expect((await stored())[1]?.last_error).to.include('550');
  });

  it('is in the language in which the customer saw the page last', async () => {
    const id = await scene.shop.create({ customer_email: CUSTOMER });
    const { token_id } = await scene.shop.payment(id);
    await supertest(scene.harness.app)
      .get(`/checkout/${token_id}?lang=de`)
      .set({ 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0', 'Accept-Language': 'de' })
      .expect(200);
    await scene.shop.pay(id, { amount: '4' });
    await scene.harness.work();
    await expire();
    const [incomplete, mail] = scene.mails();
    expect(incomplete?.text).to.include('noch 6,50 USDC an dieselbe Adresse');
    expect(mail?.text).to.include('Nur 4,00 USDC von 10,50 USDC sind rechtzeitig eingegangen');
    expect(mail?.text).to.include('Shop kann es Ihnen zurücksenden.').and.include('?lang=de\n');
  });

  it('is not sent without an address, without money, or where what is too much is kept', async () => {
    const { shop, harness } = scene;
    await underpaid({});
    await shop.create({ customer_email: CUSTOMER });
    await expire(AFTER_LATE_WINDOW);
    const id = await scene.settle();
    await payLate(id, '5');
    expect(subjects()).to.deep.equal(['[TEST] Receipt from Shop: order order-1']);
    expect(await stored()).to.deep.equal([]);
    await harness.work();
  });

  it('mentions no test when the payment is live', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    await underpaid();
    await harness.ctx.db.raw(`UPDATE merchants SET mode = 'live'`);
    server.refuse(false);
    harness.advance(10);
    await harness.work();
    const [mail] = scene.mails();
    expect(mail?.headers.get('subject')).to.equal('Your payment to Shop was not complete: order order-1');
    expect(`${mail?.text} ${mail?.html}`).to.not.match(/test/i);
  });
});

describe('without a mail server, a mail about money that does not pay for an order', () => {
  it('is not sent, and leaves no job', async () => {
    const scene = await openReceiptScene({ SMTP_URL: '' });
    const { harness, shop } = scene;
    try {
      const id = await shop.create({ customer_email: CUSTOMER });
      await shop.pay(id, { amount: '4' });
      await harness.work();
      harness.advance(3_601);
      await harness.work();
      const rows = await run(harness.ctx.db, requests, []);
      expect(rows.map(({ reason }) => reason)).to.deep.equal(['incomplete', 'too_little']);
      for (const row of rows)
        expect(row).to.deep.include({ sent_at: null, last_error: 'no mail server is configured' });
      expect(await harness.ctx.db('scheduled_jobs').where({ job: sendAddressRequest.name })).to.deep.equal(
        [],
      );
    } finally {
      await scene.close();
    }
  });
});
