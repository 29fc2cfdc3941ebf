import { expect } from 'chai';
import { countOnce } from '../../../src/domain/overview/counts/count.ts';
import { readCounts } from '../../../src/domain/overview/counts/read.ts';
import { lastDays } from '../../../src/domain/overview/days.ts';
import { NEEDS, readNeeds, readWaiting } from '../../../src/domain/overview/needs.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';

/** Of another merchant, of each kind that is looked for. */
const OTHERS = 50_000;
/** Of this one: payments whose events are counted. */
const COUNTED = 50_000;
/** Of this one, of each kind. */
const OWN = 7;

describe('the home page beside much else', () => {
  let harness: Harness;
  let other: TestMerchant;
  before(async function () {
    this.timeout(300_000);
    harness = await createHarness();
    other = await harness.addMerchant();
    const [own, theirs] = [
      (await createPayment(harness)).id,
      (await createPayment(harness, {}, other.apiKey)).id,
    ];
    await fill(harness.merchant.id, own, OWN);
    await fill(other.id, theirs, OTHERS);
    await copyEvents(own, COUNTED);
    await copyEvents(theirs, OTHERS);
    await harness.ctx.db.raw('VACUUM (ANALYZE)');
    while ((await countOnce(harness.ctx)) > 0);
    await createPayment(harness);
  });
  after(() => harness.close());

  /** As many of each kind that waits, of payments that are copies of one. */
  const fill = async (merchantId: string, id: string, count: number) => {
    const { db } = harness.ctx;
    await db.raw(
      `INSERT INTO payments SELECT c.*
       FROM payments p, generate_series(1, ?::int) i, jsonb_populate_record(p, jsonb_build_object(
         'id', left(p.id, 20) || lpad(i::text, 10, '0'), 'token_id', p.id || i, 'order_id', 'order ' || i,
         'status', 'EXPIRED', 'exceptions', ARRAY['underpaid'], 'amount_received', 1)) c
       WHERE p.id = ?`,
      [count, id],
    );
    for (const status of ['NEEDS_ADDRESS', 'AWAITING_SIGNATURE', 'HELD'])
      await db.raw(
        `INSERT INTO refunds (id, payment_id, amount, currency, source, coin, network, coin_amount, status,
           address, created_at)
         SELECT 'ref_' || ? || p.id || i, p.id, '1', 'USDC', 'held', 'USDC', 'ethereum', '1', ?, 'x', p.created_at
         FROM payments p, generate_series(1, ?::int) i WHERE p.id = ?`,
        [status, status, count, id],
      );
    await db.raw(
      `INSERT INTO unapplied_transfers (payment_id, network, transfers, rates, set_aside_at)
       SELECT p.id, 'ethereum', '[]', '{}', p.created_at FROM payments p WHERE merchant_id = ? AND amount_received = 1`,
      [merchantId],
    );
    await db.raw(
      `INSERT INTO webhook_endpoints (id, merchant_id, url, disabled_at, disabled_reason)
       SELECT m.id || ' ' || i, m.id, 'https://shop.example/' || i, m.created_at, 'gone'
       FROM merchants m, generate_series(1, ?::int) i WHERE m.id = ?`,
      [count, merchantId],
    );
    await db('merchants')
      .where({ id: merchantId })
      .update({ webhooks_enabled: true, webhook_url: 'https://shop.example/' });
  };

  /** The event of a payment, so many times, each of a payment that does not exist any more. */
  const copyEvents = (id: string, count: number) =>
    harness.ctx.db.raw(
      `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at, txid)
       SELECT left(e.id, 20) || lpad(i::text, 10, '0'), left(e.payment_id, 19) || 'X' || lpad(i::text, 10, '0'), e.merchant_id,
         1, e.type, e.body, e.created_at, e.txid
       FROM events e, generate_series(1, ?::int) i WHERE e.payment_id = ?`,
      [count, id],
    );

  it('counts by indexes, whatever waits elsewhere: what is its own, and a hundred of a kind at most', async () => {
    const counted = await readNeeds(harness.ctx.db, harness.merchant.id);
    expect(Object.fromEntries(counted.map(({ need, count }) => [need, count]))).to.deep.equal({
      refund_address: OWN,
      refund_signature: OWN,
      refund_held: OWN,
      money_left: OWN,
      quarantined: OWN,
      endpoint: OWN,
    });
    for (const [merchantId, most] of [
      [harness.merchant.id, OWN],
      // Of quarantined transfers a thousand are looked at, because a payment may have several.
      [other.id, 1_000],
    ] as const)
      for (const plan of await explain(harness.ctx.db, (tx) => readNeeds(tx, merchantId))) {
        expect(rowsRead(plan, 'refunds'), plan).to.be.at.most(3 * Math.min(most, 101) + most);
        expect(rowsRead(plan, 'unapplied_transfers'), plan).to.be.at.most(most);
        expect(rowsRead(plan, 'payments'), plan).to.be.at.most(3 * 101 + 2 * most);
      }
  });

  it('lists each kind by the same indexes', async () => {
    for (const need of NEEDS) {
      expect(await readWaiting(harness.ctx.db, harness.merchant.id, need), need).to.have.lengthOf(OWN);
      const plans = await explain(harness.ctx.db, (tx) => readWaiting(tx, harness.merchant.id, need));
      for (const plan of plans)
        for (const table of ['refunds', 'unapplied_transfers', 'payments', 'webhook_endpoints'])
          expect(rowsRead(plan, table), plan).to.be.at.most(2 * OWN);
    }
  });

  it('reads the counts of its days, and the events that are not counted yet', async () => {
    const days = lastDays('Europe/Berlin', 90, harness.ctx.now());
    const bounds = [...days.slice(0, 1).map(({ from }) => from), ...days.map(({ until }) => until)];
    const plans = await explain(harness.ctx.db, (db) => readCounts({ db }, harness.merchant.id, bounds));
    expect(plans).to.have.lengthOf(2);
    for (const plan of plans) {
      expect(rowsRead(plan, 'events'), plan).to.equal(1);
      expect(rowsRead(plan, 'payments'), plan).to.equal(1);
      expect(rowsRead(plan, 'payment_counts'), plan).to.be.at.most(2);
    }
  });

  it('counts a page of a feed by its index', async () => {
    const { db } = harness.ctx;
    await db('payment_count_positions').where({ merchant_id: other.id }).update({ txid: '0', place: 0 });
    await db('payment_counts').where({ merchant_id: other.id }).del();
    const started = await countOnce(harness.ctx);
    expect(started).to.be.at.least(OTHERS);
    expect(await db('payment_counts').where({ merchant_id: other.id }).pluck('created')).to.deep.equal([1]);
  });
});
