import { expect } from 'chai';
import { sendReceipt } from '../../../src/domain/receipts/jobs.ts';
import { sendReceipts } from '../../../src/domain/receipts/send.ts';
import { schedule } from '../../../src/domain/schedule/store.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { leaseAll } from '../../support/lease.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

describe('a receipt', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const lastEvent = async (id: string) => {
    const event = (await scene.shop.events(id)).at(-1);
    if (event === undefined) throw new Error('nothing has happened');
    return event;
  };

  it('names the merchant as their page does', async () => {
    await scene.harness.ctx.db('merchant_faces').insert({
      merchant_id: scene.harness.merchant.id,
      name: 'The Corner Shop',
      updated_at: scene.harness.ctx.now(),
    });
    await scene.settle();
    expect(scene.mails()[0]?.text).to.include('The Corner Shop has your payment of 10.50 USDC.');
  });

  it('of a settled payment says what was paid, how, when and for what, in text and in HTML', async () => {
    const id = await scene.settle({ order_id: 'order-7', order_description: 'Two shirts' });
    const [mail, ...others] = scene.mails();
    expect(others).to.deep.equal([]);
    const { tx_hash, token_id } = await scene.shop.payment(id);
    expect(scene.server.mails[0]).to.include({ from: 'pay@service.example' });
    expect(scene.server.mails[0]?.to).to.deep.equal([CUSTOMER]);
    expect(mail?.headers.get('subject')).to.equal('[TEST] Receipt from Shop: order order-7');
    expect(mail?.headers.get('from')).to.equal('"Shop [TEST]" <pay@service.example>');
    expect(mail?.headers.get('auto-submitted')).to.equal('auto-generated');
    expect(mail?.headers.get('message-id')).to.equal(`<receipt.${(await lastEvent(id)).id}@service.example>`);
    expect(mail?.headers.get('date')).to.equal('Sat, 31 Jan 2026 12:00:00 +0000');
    expect(mail?.text).to.equal(
      `*** TEST: This is a test. No real money was moved. ***

Paid. Thank you!

Shop has your payment of 10.50 USDC.

Order: order-7
Description: Two shirts
Total: 10.50 USDC
Paid: 10.50 USDC
Network: Ethereum
Time: January 31, 2026 at 12:00 PM UTC
Transaction: ${tx_hash}
Payment ID: ${id}

See this payment:
https://pay.example/checkout/${token_id}?lang=en

This mail was sent automatically; answers to it are not read.
`,
    );
    for (const shown of [
      'Two shirts',
      '10.50 USDC',
      'Ethereum',
      tx_hash,
      id,
      `/checkout/${token_id}?lang=en`,
    ])
      expect(mail?.html, String(shown)).to.include(shown);
  });

  it('names the coin and the network that the customer paid with, and each of the transactions', async () => {
    const { shop, harness } = scene;
    const id = await shop.create({ pay_amount: '10', customer_email: CUSTOMER });
    const first = await shop.pay(id, { coin: 'BTC', network: 'bitcoin', amount: '0.0001' });
    await harness.work();
    harness.advance(1);
    const second = await shop.pay(id, { coin: 'BTC', network: 'bitcoin', amount: '0.00006667' });
    await harness.work();
    await shop.mine(2, 'bitcoin');
    // The first one asks for the rest.
    const [, mail] = scene.mails();
    expect(mail?.text).to.include('Total: 10 USDC\nPaid: 0.00016667 BTC\nNetwork: Bitcoin\n');
    expect(mail?.text).to.include(`Transaction: ${first.tx_hash}\nTransaction: ${second.tx_hash}\n`);
  });

  it('of a partial refund and of the rest says what went back, where to, and the sum so far', async () => {
    const { shop, harness } = scene;
    const id = await scene.settle();
    const [asked, later] = [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    ];
    await shop.refund(id, { amount: '4.00', reason: 'a reason for the merchant only', address: asked });
    // An address that is saved later does not redirect this refund.
    await harness.ctx.db('refund_addresses').insert({ payment_id: id, network: 'ethereum', address: later });
    await harness.work();
    harness.advance(60);
    await shop.refund(id);
    await harness.work();
    const [, part, rest] = scene.mails();
    const { rows } = (await harness.ctx.db.raw('SELECT tx_hash FROM refunds ORDER BY place')) as {
      rows: { tx_hash: string }[];
    };
    expect(part?.headers.get('subject')).to.equal('[TEST] Partial refund from Shop: order order-1');
    expect(part?.text).to.include(
      'Part of your money was sent back\n\nShop has sent back 4.00 USDC.\n\nOrder: order-1\n' +
        'Total: 10.50 USDC\nSent back: 4.00 USDC\nSent back so far: 4.00 USDC\nNetwork: Ethereum\n' +
        `Time: January 31, 2026 at 12:00 PM UTC\nSent to: ${asked}\nTransaction: ${rows[0]?.tx_hash}\n`,
    );
    expect(rest?.headers.get('subject')).to.equal('[TEST] Refund from Shop: order order-1');
    expect(rest?.text).to.include(`Sent to: ${later}`);
    expect(rest?.text).to.include('Sent back: 6.50 USDC\nSent back so far: 10.50 USDC\n');
    expect(rest?.text).to.include(`Transaction: ${rows[1]?.tx_hash}\n`).and.include('12:01 PM UTC');
    expect(scene.server.mails.map(({ source }) => source).join('')).to.not.include('a reason for');
  });

  it('shows the state of its own refund, however late it is sent', async () => {
    const { shop, harness, server } = scene;
    const id = await scene.settle();
    server.refuse(true);
    await shop.refund(id, { amount: '4' });
    await harness.work();
    await shop.refund(id, { amount: '5' });
    await harness.work();
    server.refuse(false);
    harness.advance(10);
    await harness.work();
    const sums = scene.mails().flatMap(({ text }) => /so far: (.*)/.exec(text)?.[1] ?? []);
    expect(sums).to.have.members(['4.00 USDC', '9.00 USDC']);
  });

  it('of a late transfer that went back mentions no payment', async () => {
    const { shop, harness } = scene;
    const id = await shop.create({ customer_email: CUSTOMER, policy: { late: 'refund' } });
    harness.advance(3_600);
    await harness.work();
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
    // The page has asked for an address since the transfer was seen.
    const [asking, mail, ...others] = scene.mails();
    expect(asking?.headers.get('subject')).to.include('came too late');
    expect(others).to.deep.equal([]);
    expect(mail?.text).to.include('Your money was sent back').and.include('Sent back: 10.50 USDC');
    expect(mail?.text).to.not.include('so far');
  });

  it('is sent once, though its job runs twice', async () => {
    const { harness } = scene;
    const { id: eventId, timestamp } = await lastEvent(await scene.settle());
    await sendReceipts(harness.ctx, harness.adapters, [eventId, eventId]);
    await schedule(harness.ctx.db, [
      { job: sendReceipt, key: eventId, runAt: new Date(timestamp), testClock: null },
    ]);
    await harness.work();
    expect(scene.mails()).to.have.length(1);
    expect(await scene.due()).to.deep.equal([]);
  });

  it('is sent once, though two workers have its job at once; the second defers to the first', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    const { id: eventId } = await lastEvent(await scene.settle());
    server.refuse(false);
    harness.advance(10);
    const now = harness.ctx.now();
    await leaseAll(harness.ctx.db, now, addSeconds(now, 30), new Set([sendReceipt.name]));
    const { arrived, release } = server.hold();
    const first = sendReceipts(harness.ctx, harness.adapters, [eventId]);
    await arrived;
    await sendReceipts(harness.ctx, harness.adapters, [eventId]);
    expect(await scene.due()).to.have.length(1);
    release();
    await first;
    expect(await scene.due()).to.deep.equal([]);
    expect(scene.mails()).to.have.length(1);
  });

  it('is sent again when its worker died, and both copies have one Message-ID', async () => {
    const { harness } = scene;
    const { id: eventId } = await lastEvent(await scene.settle());
    // As if the worker had died between the mail server's reply and `markSent`.
    await harness.ctx.db.raw('UPDATE receipts SET sent_at = NULL, leased_until = ?', [
      harness.ctx.systemNow(),
    ]);
    await schedule(harness.ctx.db, [
      { job: sendReceipt, key: eventId, runAt: harness.ctx.now(), testClock: null },
    ]);
    await harness.work();
    const ids = scene.mails().map(({ headers }) => headers.get('message-id'));
    expect(ids).to.have.length(2);
    expect(new Set(ids).size).to.equal(1);
  });

  it('is not due for a customer without an address', async () => {
    const { shop, harness } = scene;
    const id = await shop.create();
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    expect(await scene.due()).to.deep.equal([]);
    await shop.refund(id);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
    expect(scene.mails()).to.deep.equal([]);
    const { rows } = (await harness.ctx.db.raw('SELECT * FROM receipts')) as { rows: unknown[] };
    expect(rows).to.deep.equal([]);
  });

  it('of a live payment mentions no test', async () => {
    const { harness } = scene;
    const { id } = await lastEvent(await scene.settle());
    // A live payment settles on a real network only, of which there is none: the receipt is sent again.
    await harness.ctx.db.raw(`UPDATE merchants SET mode = 'live'`);
    await harness.ctx.db('receipts').delete();
    await schedule(harness.ctx.db, [
      { job: sendReceipt, key: id, runAt: harness.ctx.now(), testClock: null },
    ]);
    await harness.work();
    const [, mail] = scene.mails();
    expect(mail?.headers.get('subject')).to.equal('Receipt from Shop: order order-1');
    expect(`${mail?.text} ${mail?.html}`).to.not.match(/test/i);
  });
});

describe('a receipt of a live payment with SIMULATE_LIVE', () => {
  it('is marked as a test', async () => {
    const scene = await openReceiptScene({ SIMULATE_LIVE: 'true' });
    try {
      await scene.harness.ctx.db.raw(`UPDATE merchants SET mode = 'live'`);
      await scene.settle();
      const [mail] = scene.mails();
      expect(mail?.headers.get('subject')).to.equal('[TEST] Receipt from Shop: order order-1');
      expect(mail?.text).to.include('No real money was moved.');
    } finally {
      await scene.close();
    }
  });
});

describe('without a mail server', () => {
  it('nothing is sent, and no job stays', async () => {
    const scene = await openReceiptScene({ SMTP_URL: '' });
    try {
      await scene.shop.refund(await scene.settle());
      await scene.harness.work();
      expect(scene.mails()).to.deep.equal([]);
      expect(await scene.due()).to.deep.equal([]);
    } finally {
      await scene.close();
    }
  });
});
