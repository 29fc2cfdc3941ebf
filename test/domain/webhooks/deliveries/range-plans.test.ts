import { expect } from 'chai';
import { countRange } from '../../../../src/domain/webhooks/deliveries/range/count.ts';
import { firstIdAt } from '../../../../src/platform/values/ids.ts';
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
    const range = { from_date: DAYS[1], to_date: DAYS[1] };
    const [counted] = await countRange(harness.ctx.db, harness.merchant.id, range);
    expect(counted?.count).to.equal(OWN);
    const plans = await explain(harness.ctx.db, (tx) => countRange(tx, harness.merchant.id, range));
    // Each by the index of the merchant, and then by its key.
    const counts = plans.filter((plan) => plan.includes('wanted'));
    expect(counts).to.have.lengthOf(2);
    for (const plan of counts) expect(rowsRead(plan, 'events'), plan).to.be.at.most(2 * OWN);
  });
});
