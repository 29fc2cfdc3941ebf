import { expect } from 'chai';
import { countRange } from '../../../../src/domain/webhooks/deliveries/range/count.ts';
import { firstIdAt } from '../../../../src/platform/values/ids.ts';
import type { Db } from '../../../../src/platform/postgres/db.ts';
import { configure } from '../../../support/deliveries.ts';
import { explain, rowsRead } from '../../../support/explain.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { createPayment } from '../../../support/http.ts';

const DAYS = ['2026-02-01', '2026-02-02', '2026-02-03'] as const;
/** Events of a day. */
const OWN = 30;
const OTHERS = 3_000;

describe('a range of deliveries among the events of other merchants and of other days', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    await configure(harness, 'http://127.0.0.1:9/hooks');
    const stranger = await harness.addMerchant();
    const { id } = await createPayment(harness);
    for (const [day, date] of DAYS.entries())
      await harness.ctx.db.raw(
        `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at, txid)
         SELECT left(?, 14) || lpad(i::text, 16, '0'), payment_id, CASE WHEN i <= ${OWN} THEN merchant_id ELSE ? END,
           10 + ${day * (OWN + OTHERS)} + i, type, body, ?, txid
         FROM events, generate_series(1, ${OWN + OTHERS}) AS i WHERE payment_id = ? AND sequence = 1`,
        [firstIdAt('evt', new Date(date)), stranger.id, date, id],
      );
    await harness.ctx.db.raw('ANALYZE events');
    // As vacuum leaves a table that has stood for a while.
    await harness.ctx.db.raw(`UPDATE pg_class SET relallvisible = relpages WHERE relname = 'events'`);
  });
  after(() => harness.close());

  it('is counted by reading its own events of these days, whichever plan Postgres chooses', async () => {
    expect(await count('all')).to.equal(OWN);
    // Each by the index of the merchant, and then by its key.
    for (const plan of await plansOf('all')) expect(rowsRead(plan, 'events'), plan).to.be.at.most(2 * OWN);
  });

  describe('of which some have failed', () => {
    const FAILED = 3;
    before(async () => {
      await harness.ctx.db.raw(
        `INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status,
           failed_because, created_at, finished_at)
         SELECT 'dlv' || substr(id, 4), id, merchant_id, payment_id, merchant_id, sequence, type,
           CASE WHEN n <= ${FAILED} THEN 'failed' ELSE 'delivered' END,
           CASE WHEN n <= ${FAILED} THEN 'retries_exhausted' END, created_at, created_at
         FROM (SELECT *, row_number() OVER (PARTITION BY created_at, merchant_id ORDER BY id) AS n FROM events) e
         WHERE sequence > 1 AND n <> ${OWN}`,
      );
      await harness.ctx.db.raw('ANALYZE deliveries');
    });

    it('is counted by reading what has failed, and nothing that was delivered', async () => {
      expect(await count('failed')).to.equal(FAILED);
      for (const plan of await plansOf('failed')) {
        expect(rowsRead(plan, 'events'), plan).to.equal(FAILED);
        // By the index of failed ones, and by its key.
        expect(rowsRead(plan, 'deliveries_default'), plan).to.equal(2 * FAILED);
        expect(plan).to.match(/Index Scan using \S+ on deliveries_default deliveries /);
      }
    });

    it('holds what has no delivery as well, where its endpoint was changed since', async () => {
      await harness.ctx.db.raw(`UPDATE merchants SET webhooks_updated_at = ?`, [DAYS[2]]);
      expect(await count('failed')).to.equal(FAILED + 1);
      for (const plan of await plansOf('failed')) {
        // Each event by the index of the merchant, and each delivery by its key.
        expect(rowsRead(plan, 'events'), plan).to.be.at.most(OWN + FAILED + 1);
        expect(rowsRead(plan, 'deliveries_default'), plan).to.be.at.most(OWN + 2 * FAILED);
      }
    });
  });

  type Which = 'failed' | 'all';
  const counted = (db: Db, which: Which) =>
    countRange(db, harness.merchant.id, { from_date: DAYS[1], to_date: DAYS[1], which }, harness.ctx.now());
  const count = async (which: Which) => (await counted(harness.ctx.db, which))[0]?.count;
  const plansOf = async (which: Which) => {
    const plans = await explain(harness.ctx.db, (tx) => counted(tx, which));
    const counts = plans.filter((plan) => plan.includes('wanted'));
    expect(counts).to.have.lengthOf(2);
    return counts;
  };
});
