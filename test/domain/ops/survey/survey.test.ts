import { expect } from 'chai';
import { endpointsSection } from '../../../../src/domain/ops/status/service.ts';
import { openSurvey } from '../../../../src/domain/ops/survey/survey.ts';
import { explain, rowsRead } from '../../../support/explain.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const ENDPOINTS = 5_000;

describe('the endpoints that are stopped, among many that are not', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    const now = harness.ctx.systemNow();
    await harness.ctx.db.raw(
      `INSERT INTO webhook_endpoints (id, merchant_id, url, created_at, disabled_at, disabled_reason,
         circuit_open_until)
       SELECT 'endpoint ' || i, ?, 'https://shop.example/' || i, ?::timestamptz,
         CASE WHEN i <= 3 THEN ?::timestamptz END, CASE WHEN i <= 3 THEN 'gone' END,
         CASE WHEN i BETWEEN 4 AND 5 THEN ?::timestamptz + interval '1 minute'
           WHEN i = 6 THEN ?::timestamptz - interval '1 minute' END
       FROM generate_series(1, ${ENDPOINTS}) i`,
      [harness.merchant.id, now, now, now, now],
    );
  });
  after(() => harness.close());

  it('are counted for the metrics and listed in the status', async () => {
    expect(await openSurvey(harness.ctx).endpoints()).to.deep.equal({ open: 2, disabled: 3 });
    const { lines } = await endpointsSection.read(harness.ctx);
    expect(lines.join('\n'))
      .to.include('endpoint 4')
      .and.to.include('endpoint 5')
      .and.not.include('endpoint 6,');
  });

  it('are found by their index, whatever plan Postgres keeps', async () => {
    const plans = await explain(harness.ctx.db, async (tx) => {
      const ctx = { ...harness.ctx, db: tx };
      await openSurvey(ctx).endpoints();
      await endpointsSection.read(ctx);
    });
    const own = plans.filter((plan) => /FROM webhook_endpoints/.test(plan));
    expect(own).to.have.length(4);
    for (const plan of own) expect(rowsRead(plan, 'webhook_endpoints'), plan).to.equal(6);
  });
});
