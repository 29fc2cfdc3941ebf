import { expect } from 'chai';
import {
  isMoreDue,
  type Poll,
} from '../../../../../src/domain/webhooks/deliveries/in-flight/await-change.ts';
import { countStatements } from '../../../../support/counted-db.ts';
import {
  callbackEndpointId,
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
} from '../../../../support/deliveries.ts';
import { explain, rowsRead } from '../../../../support/explain.ts';
import { createHarness, type Harness } from '../../../../support/harness.ts';
import { openShop } from '../../../../support/shop.ts';

describe('the polls of runs whose requests hang', () => {
  let harness: Harness;
  let endpointIds: string[];
  before(async () => {
    harness = await createHarness();
    const shop = await openShop(harness);
    await configure(harness, 'https://shop.example/hooks');
    const urls = Array.from({ length: 20 }, (_, n) => `https://shop.example/hooks/${n}`);
    for (const callback_url of urls) await createPaymentsWithDeliveries(harness, shop, 1, { callback_url });
    endpointIds = urls.map((url) => callbackEndpointId(harness.merchant.id, url));
  });
  after(() => harness.close());

  const pollOf = (endpointId: string, more: Partial<Poll> = {}): Poll => ({
    endpoint_id: endpointId,
    in_flight: [],
    due_at: harness.ctx.now(),
    is_overridden: false,
    ...more,
  });
  const counted = () => countStatements(harness.ctx.db);

  it('that are made together are one statement, and each has its own answer', async () => {
    const { db, counts } = counted();
    const [first = ''] = endpointIds;
    const [delivery] = (await deliveriesIn(harness)).filter(({ endpoint_id }) => endpoint_id === first);
    const before = new Date(harness.ctx.now().getTime() - 86_400_000);
    const answers = await Promise.all([
      ...endpointIds.map((id) => isMoreDue(db, pollOf(id))),
      isMoreDue(db, pollOf(first, { in_flight: [delivery?.payment_id ?? ''] })),
      isMoreDue(db, pollOf(first, { due_at: before })),
      isMoreDue(db, pollOf(`${harness.merchant.id} that does not exist`)),
    ]);
    expect(answers).to.deep.equal([...endpointIds.map(() => true), false, false, false]);
    expect(counts.statements).to.equal(1);
  });

  it('that come while a statement is under way share the next one', async () => {
    const { db, counts } = counted();
    const [first = '', ...others] = endpointIds;
    const answer = isMoreDue(db, pollOf(first));
    // Two turns of the event loop later the statement of the first is under way.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const later = others.map((id) => isMoreDue(db, pollOf(id)));
    expect(await answer).to.equal(true);
    expect(new Set(await Promise.all(later))).to.deep.equal(new Set([true]));
    expect(counts.statements).to.equal(2);
  });

  it('of two merchants are statements of their own', async () => {
    const { db, counts } = counted();
    const [first = '', second = ''] = endpointIds;
    await Promise.all([first, second, 'mer_other', 'mer_other 1'].map((id) => isMoreDue(db, pollOf(id))));
    expect(counts.statements).to.equal(2);
  });

  it('find nothing while webhooks are disabled, unless every event goes to one receiver', async () => {
    const [first = ''] = endpointIds;
    await configure(harness, 'https://shop.example/hooks', false);
    try {
      const { db } = harness.ctx;
      expect(await isMoreDue(db, pollOf(first))).to.equal(false);
      expect(await isMoreDue(db, pollOf(first, { is_overridden: true }))).to.equal(true);
    } finally {
      await configure(harness, 'https://shop.example/hooks');
    }
  });

  it('that fail are reported to the run alone that made them', async () => {
    const [first = '', second = ''] = endpointIds;
    const broken = { in_flight: ['a \u0000 that Postgres refuses'] };
    const failed = await Promise.allSettled([
      isMoreDue(harness.ctx.db, pollOf(first, broken)),
      isMoreDue(harness.ctx.db, pollOf(second)),
    ]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
  });

  it('read what is due, and nothing of what waits for its retry, beside 20,000 endpoints', async () => {
    const { db } = harness.ctx;
    const [first = '', second = ''] = endpointIds;
    const [delivery] = (await deliveriesIn(harness)).filter(({ endpoint_id }) => endpoint_id === first);
    await db.raw(
      `INSERT INTO webhook_endpoints
       SELECT e.* FROM webhook_endpoints o, generate_series(1, 20000) AS i, LATERAL jsonb_populate_record(o,
         jsonb_build_object('id', 'other ' || i, 'url_hash', sha256(i::text::bytea))) e
       WHERE o.id = :first`,
      { first },
    );
    await db.raw(
      `INSERT INTO deliveries
       SELECT d.* FROM deliveries o, generate_series(1, 22000) AS i, LATERAL jsonb_populate_record(o,
         jsonb_build_object('id', substr(o.id, 1, 20) || lpad(i::text, 10, '0'),
           'endpoint_id', CASE WHEN i > 20000 THEN o.endpoint_id ELSE 'other ' || i END,
           'next_attempt_at', o.next_attempt_at + interval '1 year')) d
       WHERE o.endpoint_id = :first`,
      { first },
    );
    await db.raw('ANALYZE deliveries, webhook_endpoints');
    const inFlight = { in_flight: [delivery?.payment_id ?? ''] };
    const plans = await explain(db, (tx) =>
      Promise.all([isMoreDue(tx, pollOf(first, inFlight)), isMoreDue(tx, pollOf(second))]),
    );
    expect(plans).to.have.length(2);
    for (const plan of plans) expect(rowsRead(plan, 'deliveries\\w*'), plan).to.be.within(1, 2);
  });
});
