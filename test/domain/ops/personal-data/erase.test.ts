import { expect } from 'chai';
import { erasePersonalData } from '../../../../src/domain/ops/personal-data/erase.ts';
import { findPersonalData } from '../../../../src/domain/ops/personal-data/find.ts';
import { sweepOnce } from '../../../../src/domain/idempotency/sweep.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import type { Db } from '../../../../src/platform/postgres/db.ts';
import { configure } from '../../../support/deliveries.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

/** In all that a customer or a merchant says of the customer. */
const MARK = 'ann-lee';
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const SENDER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

const BODY = {
  pay_amount: '10.50',
  order_id: 'order-7',
  order_description: `Shoes for ${MARK}`,
  customer_email: `${MARK}@customer.example`,
  success_url: `https://shop.example/thanks?of=${MARK}`,
  cancel_url: `https://shop.example/cancel?of=${MARK}`,
  metadata: { item: 'shoes', buyer: MARK },
};

describe("erasing a customer's personal data", () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    await configure(harness, 'https://shop.example/hooks');
    receiver = await startReceiver({ answer: () => ({ status: 500, body: `no order of ${MARK}` }) });
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  /** A payment that was settled, refunded and mailed about, with all that is known of its customer. */
  const settled = async () => {
    const { body } = await harness
      .api('post', '/v1/payment')
      .set('Idempotency-Key', 'a')
      .send({ ...BODY, callback_url: receiver.url });
    const { id } = body as { id: string };
    await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '10.50', sender: SENDER });
    await harness.work();
    await shop.mine(12);
    await shop.refund(id, { amount: '1.00', reason: `${MARK} sent shoes back`, address: ADDRESS });
    await harness.work();
    await shop.mine(12);
    const { db } = harness.ctx;
    await db('refund_addresses').insert({ payment_id: id, network: 'ethereum', address: ADDRESS });
    await db('announced_transactions').insert({ payment_id: id, network: 'ethereum', tx_hash: MARK });
    await db('awaited_transactions').insert({ payment_id: id, network: 'ethereum', tx_hash: MARK });
    const event_id = (await shop.events(id))[0]?.id;
    await db('receipts').insert({ event_id, payment_id: id, attempts: 1, last_error: `550 ${MARK}?` });
    const [refund_id] = await db('refunds').where({ payment_id: id }).pluck<string[]>('id');
    await db('refund_requests').insert({
      refund_id,
      attempts: 1,
      given_up_at: harness.ctx.now(),
      last_error: `550 ${MARK}?`,
    });
    return id;
  };

  it('leaves nothing of it in the whole database, but what the chain has, and keeps the books', async () => {
    const id = await settled();
    const before = await shop.payment(id);
    const refunds = await harness.api('get', `/v1/payment/${id}/refunds`);
    expect(await traces(harness.ctx.db)).to.include.members([
      'payments',
      'events',
      'refunds',
      'refund_addresses',
      'announced_transactions',
      'awaited_transactions',
      'transfers',
      'receipts',
      'refund_requests',
      'delivery_attempts_default',
      'idempotency_keys',
    ]);

    expect(await erasePersonalData(harness.ctx.db, id)).to.equal(null);

    // Replies to idempotency keys are deleted after 25 hours.
    harness.advance(26 * 3_600);
    await sweepOnce(harness.ctx);
    expect(await traces(harness.ctx.db)).to.deep.equal([]);
    const after = await shop.payment(id);
    const erased = { customer_email: null, order_description: null, success_url: null, cancel_url: null };
    expect(after).to.deep.equal({ ...before, ...erased, metadata: {}, language: null });
    const { body } = await harness.api('get', `/v1/payment/${id}/refunds`).expect(200);
    const [refund] = (refunds.body as { data: object[] }).data;
    expect((body as { data: object[] }).data).to.deep.equal([{ ...refund, address: null, reason: null }]);
    expect(await verify(harness.ctx, { since: null })).to.include({ ok: true });
  });

  it('keeps events in their order and with their ids, so that redelivery and the feed go on', async () => {
    const id = await settled();
    const before = await shop.events(id);
    await erasePersonalData(harness.ctx.db, id);
    const after = await shop.events(id);
    expect(after.map((event) => Object.keys(event))).to.deep.equal(before.map((event) => Object.keys(event)));
    expect(after.map(({ data }) => data.checkout)).to.deep.equal(before.map(({ data }) => data.checkout));
    for (const { metadata } of after) expect(metadata).to.deep.equal({ orderId: 'order-7' });
    const feed = await harness.api('get', '/v1/events').expect(200);
    expect((feed.body as { data: { id: string }[] }).data.map((event) => event.id)).to.deep.equal(
      before.map((event) => event.id),
    );
  });

  it('leaves out payments that need it still, and says why', async () => {
    const { db } = harness.ctx;
    const id = await shop.create(BODY);
    expect(await erasePersonalData(db, id)).to.match(
      /^it is WAITING: wait until it has ended, or cancel it$/,
    );
    const owed = await settled();
    await db('refunds').where({ payment_id: owed }).update({ status: 'PENDING', completed_at: null });
    expect(await erasePersonalData(db, owed)).to.equal('1 refunds of it are not completed');
    expect((await shop.payment(owed)).customer_email).to.equal(BODY.customer_email);
  });

  it('waits for a transition of the payment, whose event it erases as well', async () => {
    const id = await settled();
    const { db } = harness.ctx;
    const holder = await db.transaction();
    await holder.raw('SELECT FROM payments WHERE id = ? FOR NO KEY UPDATE', [id]);
    const erased = erasePersonalData(db, id);
    await untilWaitingForLocks(db);
    const [latest] = await holder('events').where({ payment_id: id }).orderBy('sequence', 'desc').limit(1);
    const later = { ...(latest as object), id: 'evt_later', sequence: 99, place: holder.raw('DEFAULT') };
    await holder('events').insert(later);
    await holder.commit();
    expect(await erased).to.equal(null);
    for (const { metadata } of await shop.events(id)) expect(metadata).to.not.have.property('buyer');
  });

  it('finds payments by the mail address, whatever its case, by age, and only those of the merchant', async () => {
    const { db, now } = harness.ctx;
    const first = await shop.create(BODY);
    harness.advance(60);
    const later = now();
    const second = await shop.create({ ...BODY, customer_email: BODY.customer_email.toUpperCase() });
    const other = await openShop(harness, await harness.addMerchant());
    await other.create(BODY);
    const whose = { merchantId: harness.merchant.id, paymentId: null, email: null, before: null };
    const found = async (narrowed: object) => {
      const ids: string[] = [];
      for await (const page of findPersonalData(db, { ...whose, ...narrowed })) ids.push(...page);
      return ids;
    };
    expect(await found({ email: BODY.customer_email })).to.deep.equal([first, second]);
    expect(await found({ before: later })).to.deep.equal([first]);
    expect(await found({ paymentId: second })).to.deep.equal([second]);
    expect(await found({ email: 'bob@customer.example' })).to.deep.equal([]);
    const forms = [
      'Ann@bücher.example',
      'ann@bu\u0308cher.example',
      'ANN@BÜCHER.example',
      'ann@xn--bcher-kva.example',
    ];
    const written = [];
    for (const customer_email of forms) written.push(await shop.create({ ...BODY, customer_email }));
    for (const email of forms) expect(await found({ email }), email).to.have.members(written);
  });
});

/** The tables that hold a mark of the customer anywhere; the simulator's transfers are the chain itself. */
async function traces(db: Db): Promise<string[]> {
  const { rows } = (await db.raw(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'sim_transfers' ORDER BY 1",
  )) as { rows: { tablename: string }[] };
  const found: string[] = [];
  for (const { tablename } of rows) {
    const pattern = `${MARK}|${ADDRESS}|${SENDER}`;
    const hits = (await db.raw('SELECT 1 FROM ?? t WHERE t::text ~* ? LIMIT 1', [tablename, pattern])) as {
      rows: unknown[];
    };
    if (hits.rows.length > 0) found.push(tablename);
  }
  return found;
}
