import { expect } from 'chai';
import { Looks, type Look } from '../../../../../src/domain/webhooks/deliveries/in-flight/looks.ts';
import { countStatements } from '../../../../support/counted-db.ts';
import {
  callbackEndpointId,
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
} from '../../../../support/deliveries.ts';
import { createHarness, type Harness } from '../../../../support/harness.ts';
import { openShop } from '../../../../support/shop.ts';

describe('the looks of runs whose requests hang', () => {
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

  const lookAt = (endpointId: string, more: Partial<Look> = {}): Look => ({
    merchantId: harness.merchant.id,
    endpointId,
    paymentIdsInFlight: [],
    now: harness.ctx.now(),
    receiver: null,
    ...more,
  });
  const counted = () => countStatements(harness.ctx.db);

  it('that are made together are one statement, and each has its own answer', async () => {
    const { db, counts } = counted();
    const looks = new Looks();
    const [first = ''] = endpointIds;
    const [delivery] = (await deliveriesIn(harness)).filter(({ endpoint_id }) => endpoint_id === first);
    const before = new Date(harness.ctx.now().getTime() - 86_400_000);
    const answers = await Promise.all([
      ...endpointIds.map((id) => looks.isMoreDue(db, lookAt(id))),
      looks.isMoreDue(db, lookAt(first, { paymentIdsInFlight: [delivery?.payment_id ?? ''] })),
      looks.isMoreDue(db, lookAt(first, { now: before })),
      looks.isMoreDue(db, lookAt('an endpoint that does not exist')),
    ]);
    expect(answers).to.deep.equal([...endpointIds.map(() => true), false, false, false]);
    expect(counts.statements).to.equal(1);
  });

  it('that come while a statement is under way share the next one', async () => {
    const { db, counts } = counted();
    const looks = new Looks();
    const [first = '', ...others] = endpointIds;
    const answer = looks.isMoreDue(db, lookAt(first));
    // Two turns of the event loop later the statement of the first is under way.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const later = others.map((id) => looks.isMoreDue(db, lookAt(id)));
    expect(await answer).to.equal(true);
    expect(new Set(await Promise.all(later))).to.deep.equal(new Set([true]));
    expect(counts.statements).to.equal(2);
  });

  it('of two merchants are statements of their own', async () => {
    const { db, counts } = counted();
    const looks = new Looks();
    const [first = ''] = endpointIds;
    await Promise.all([
      looks.isMoreDue(db, lookAt(first)),
      looks.isMoreDue(db, lookAt(first, { merchantId: 'another' })),
    ]);
    expect(counts.statements).to.equal(2);
  });

  it('find nothing while webhooks are disabled, unless every event goes to one receiver', async () => {
    const looks = new Looks();
    const [first = ''] = endpointIds;
    await configure(harness, 'https://shop.example/hooks', false);
    try {
      const { db } = harness.ctx;
      expect(await looks.isMoreDue(db, lookAt(first))).to.equal(false);
      expect(await looks.isMoreDue(db, lookAt(first, { receiver: 'https://all.example' }))).to.equal(true);
    } finally {
      await configure(harness, 'https://shop.example/hooks');
    }
  });

  it('that fail are reported to each run, and the next ones are answered', async () => {
    const looks = new Looks();
    const [first = '', second = ''] = endpointIds;
    const broken = { paymentIdsInFlight: ['a \u0000 that Postgres refuses'] };
    const failed = await Promise.allSettled([
      looks.isMoreDue(harness.ctx.db, lookAt(first, broken)),
      looks.isMoreDue(harness.ctx.db, lookAt(second)),
    ]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await looks.isMoreDue(harness.ctx.db, lookAt(second))).to.equal(true);
  });
});
