import { expect } from 'chai';
import { CLOCK_LIMITS, CUSTOMER_LIMITS } from '../../../src/domain/sandbox/budgets/sandbox-slots.ts';
import { MAX_STEPS } from '../../../src/domain/sandbox/scenarios/schemas.ts';
import { openDb, poolOf, type Db } from '../../../src/platform/postgres/db.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { createPayment, listen, ORDER, send, type Listening } from '../../support/http.ts';
import { until } from '../../support/until.ts';

const AT_ONCE = 40;
/** Payments that the other merchant creates meanwhile, one after the other. */
const CREATES = 60;
/** A work of the sandbox holds one connection at most, so do the other merchant and what stores requests. */
const MOST_CONNECTIONS = CLOCK_LIMITS.perMerchant + CUSTOMER_LIMITS.perMerchant + 2;

/** Metadata that fills a body of 100 kB together with a script. */
const METADATA = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, '\u{5b57}'.repeat(500)]));
const LARGEST_STORY = {
  payment: { pay_amount: '1000.00', expiration_minutes: 1440, metadata: METADATA },
  script: [
    { at: '0s', do: 'webhook', answer: 'timeout' },
    { at: '0s', do: 'mine', blocks: 100_000 },
    { at: '1m', do: 'transfer' },
    { at: '2m', do: 'reorg', depth: 1000 },
    ...Array.from({ length: MAX_STEPS - 4 }, (_, n) => ({
      at: `${60 + n}m`,
      do: 'refund',
      amount: '1.00',
      reason: 'r'.repeat(150),
    })),
  ],
};

describe('a flood of one merchant on all endpoints of the sandbox', () => {
  let harness: Harness;
  let web: Listening;
  let other: TestMerchant;
  /** Connections of its own, which the count of held ones leaves out. */
  let observer: Db;
  before(async () => {
    harness = await createHarness();
    other = await harness.addMerchant({ name: 'Other' });
    web = await listen(harness.app);
    const url = harness.ctx.config.databaseUrl;
    observer = openDb({ url, poolSize: 1, acquireMs: 10_000, queryMs: 20_000, name: 'observer' });
  });
  after(async () => {
    await web.close();
    await observer.destroy();
    await harness.close();
  });

  const post = (path: string, body: object, { apiKey }: TestMerchant = harness.merchant) => {
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
    return send(web, 'POST', path, headers, JSON.stringify(body));
  };
  /** How many stories and advances run. */
  const frozenClocks = async () => {
    const found = observer('payments').where('clock_frozen_until', '>', harness.ctx.now());
    return (await found.pluck('id')).length;
  };

  it('holds a bounded number of connections, runs a bounded number of stories, and leaves none', async () => {
    const payments: string[] = [];
    for (let n = 0; n < 5; n += 1)
      payments.push((await createPayment(harness, { expiration_minutes: 1440 })).id);
    // Its key is known from here on: reading it takes a connection, too.
    await post('/v1/payment', ORDER, other);
    const mostHeld = watchPool(harness.ctx.db);
    const flood = Array.from({ length: AT_ONCE }, (_, n) => {
      const path = `/v1/sandbox/payments/${payments[n % payments.length]}`;
      return [
        post('/v1/sandbox/scenarios', LARGEST_STORY),
        post(`${path}/advance`, { by: '99d' }),
        ...Array.from({ length: 4 }, () => post(`${path}/transfers`, { amount: '0.01' })),
        post(`${path}/replace`, {}),
      ];
    }).flat();
    const running: number[] = [];
    for (let n = 0; n < CREATES; n += 1) {
      expect((await post('/v1/payment', ORDER, other)).status).to.equal(201);
      running.push(await frozenClocks());
    }
    const answers = await Promise.all(flood);
    expect(Math.max(...running)).to.be.within(1, CLOCK_LIMITS.perMerchant);
    expect(mostHeld()).to.be.within(1, MOST_CONNECTIONS);
    for (const { status, text } of answers) expect(status, text).to.be.oneOf([200, 201, 400, 409, 429]);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).to.not.deep.equal([]);
    for (const { headers } of refused) expect(headers['retry-after']).to.match(/^[1-9]\d*$/);
    expect(await observer('scenario_runs').pluck('payment_id')).to.deep.equal([]);
    expect(await frozenClocks()).to.equal(0);
  });

  it('ends a story whose client has left, and nothing of it remains', async () => {
    const controller = new AbortController();
    const response = fetch(`${web.url}/v1/sandbox/scenarios`, {
      method: 'POST',
      headers: { 'X-API-Key': harness.merchant.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(LARGEST_STORY),
      signal: controller.signal,
    }).catch((error: unknown) => error);
    const runs = () => observer('scenario_runs').pluck('ended_at');
    await until('the story runs', async () => (await runs()).length === 1);
    controller.abort();
    await response;
    // A story that runs on to its end would leave a run that has ended.
    await until('nothing of the story remains', async () => (await runs()).length === 0);
  });
});

/** Returns how to read the most connections that were held at once since the call. */
function watchPool(db: Db): () => number {
  const pool = poolOf(db);
  let most = 0;
  pool.onWait = () => void (most = Math.max(most, pool.usedCount));
  return () => most;
}
