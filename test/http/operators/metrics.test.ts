import { expect } from 'chai';
import supertest from 'supertest';
import { transition } from '../../../src/domain/payments/lifecycle/transition.ts';
import { createApp } from '../../../src/http/app.ts';
import { operatorPages } from '../../../src/http/operators/pages.ts';
import type { QueueJobs } from '../../../src/http/operators/health-metrics.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { openShop, type Shop } from '../../support/shop.ts';

describe('metrics', () => {
  let harness: Harness;
  let shop: Shop;
  before(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
  });
  after(() => harness.close());

  /** The lines of a scrape of a process that has no board, as a worker has none. */
  async function scrape(queueJobs: () => Promise<readonly QueueJobs[]> = () => Promise.resolve([])) {
    const { adapters, sandbox, health, ctx } = harness;
    const pages = operatorPages(ctx, 'sesame', null, { health, queues: () => [], queueJobs });
    const app = createApp(ctx, { redis: null, admin: pages, adapters, sandbox, health });
    await supertest(app).get('/metrics').expect(401);
    const { text } = await supertest(app).get('/metrics').auth('admin', 'sesame').expect(200);
    return text.split('\n');
  }

  const valueOf = (lines: readonly string[], series: string) =>
    Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1) ?? NaN);

  it('count requests by the template of their route, never by their path', async () => {
    await harness.api('get', '/v1/payment/pay_00000000000000000000000001').expect(404);
    await harness.api('get', '/v1/payment/pay_00000000000000000000000002').expect(404);
    await harness.api('get', '/nothing/is/here').expect(404);
    const lines = (await scrape()).filter((line) => line.startsWith('http_request_duration_seconds_count'));
    const routes = lines.map((line) => /route="([^"]*)"/.exec(line)?.[1] ?? '');
    expect(routes).to.include.members(['none', '/v1/payment/:id']);
    expect(lines.join('\n')).to.not.match(/pay_0|nothing/);
  });

  it('count transitions that are committed, and none that is rolled back', async () => {
    const series = 'payment_transitions_total{from="PENDING",to="PROCESSING",cause="confirmed_in_full"}';
    const created = 'payment_transitions_total{from="none",to="WAITING",cause="created"}';
    const before = await scrape();
    const id = await shop.create();
    await shop.pay(id);
    await harness.work();
    const { now, db } = harness.ctx;
    const moved = await db
      .transaction(async (tx) => {
        const rows = await transition(tx, [{ paymentId: id, trigger: 'confirmed_in_full' }], now());
        expect(rows).to.have.lengthOf(1);
        expect(rows[0]).to.not.have.property('from_status');
        throw new Error('rolled back');
      })
      .catch((error: Error) => error.message);
    expect(moved).to.equal('rolled back');
    const rolledBack = await scrape();
    expect(valueOf(rolledBack, series) || 0).to.equal(valueOf(before, series) || 0);
    expect(valueOf(rolledBack, created)).to.equal((valueOf(before, created) || 0) + 1);
    await db.transaction((tx) => transition(tx, [{ paymentId: id, trigger: 'confirmed_in_full' }], now()));
    expect(valueOf(await scrape(), series)).to.equal((valueOf(before, series) || 0) + 1);
  });

  it('show what the whole database holds', async () => {
    await shop.create();
    await harness.ctx.db.raw('ANALYZE payments');
    const lines = await scrape();
    expect(valueOf(lines, 'payments{status="WAITING"}')).to.be.at.least(1);
    expect(valueOf(lines, 'webhook_endpoints_stopped{state="open"}')).to.equal(0);
    expect(valueOf(lines, 'jobs_waiting_for_turn')).to.equal(0);
    expect(valueOf(lines, 'chain_head_age_seconds{network="bitcoin"}')).to.be.within(0, 60);
    expect(valueOf(lines, 'chain_sync_late_seconds{network="bitcoin"}')).to.be.at.least(0);
    expect(valueOf(lines, 'db_pool_size')).to.be.greaterThan(0);
    expect(valueOf(lines, 'db_pool_waiting')).to.equal(0);
    expect(lines.join('\n')).to.include('nodejs_eventloop_lag_seconds');
  });

  it('show the depth of queues, and stay up while their server is away', async () => {
    const lines = await scrape(() =>
      Promise.resolve([{ queue: 'refunds', waiting: 7, active: 2, paused: 0 }]),
    );
    expect(valueOf(lines, 'queue_jobs{queue="refunds",state="waiting"}')).to.equal(7);
    const without = await scrape(() => Promise.reject(new Error('away')));
    expect(without.filter((line) => line.startsWith('queue_jobs{'))).to.deep.equal([]);
  });
});
