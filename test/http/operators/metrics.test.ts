import { expect } from 'chai';
import supertest from 'supertest';
import { transition } from '../../../src/domain/payments/lifecycle/transition.ts';
import { createApp } from '../../../src/http/app.ts';
import { PATIENCE_MS } from '../../../src/http/operators/metrics.ts';
import { operatorPages } from '../../../src/http/operators/pages.ts';
import type { QueueJobs } from '../../../src/http/operators/health-metrics.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { freePort } from '../../support/free-port.ts';
import { lookingHealth } from '../../support/health.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { openDb } from '../../../src/platform/postgres/db.ts';
import { VERSION } from '../../../src/platform/root.ts';
import { refundRow } from '../../support/refunds.ts';
import { openShop, type Shop } from '../../support/shop.ts';

/** However long a busy machine takes, a metric is absent here only because it cannot be read. */
const UNHURRIED_MS = 60_000;

describe('metrics', () => {
  let harness: Harness;
  let shop: Shop;
  before(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
  });
  after(() => harness.close());

  /** The lines of a scrape of a process that has no board, as a worker has none. */
  async function scrape(
    queueJobs: () => Promise<readonly QueueJobs[]> = () => Promise.resolve([]),
    { db, health }: Pick<Harness['ctx'], 'db'> & Pick<Harness, 'health'> = { ...harness.ctx, ...harness },
    { cell = null, patienceMs = UNHURRIED_MS }: { cell?: string | null; patienceMs?: number } = {},
  ) {
    const { adapters, sandbox } = harness;
    const ctx = { ...harness.ctx, db, config: { ...harness.ctx.config, cell } };
    const state = { kind: 'worker', health, queues: () => [], queueJobs } as const;
    const pages = operatorPages(ctx, 'sesame', null, state, patienceMs);
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

  it('say their cell where CELL is set, all of them, and nothing of it where it is not', async () => {
    const away = () => Promise.reject(new Error('away'));
    const series = (lines: readonly string[]) => lines.filter((line) => /^[a-z]/.test(line));
    const inCell = series(await scrape(away, { ...harness.ctx, ...harness }, { cell: 'b7' }));
    expect(inCell.filter((line) => !line.includes('cell="b7"'))).to.deep.equal([]);
    expect(inCell.join('\n')).to.include('metric_failing{').and.include('service_process_info{');
    expect(series(await scrape(away)).filter((line) => line.includes('cell='))).to.deep.equal([]);
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

  it('show how the providers of a real network do, and what its balance audit cannot prove', async () => {
    const { db, systemNow } = harness.ctx;
    const id = await shop.create();
    const providers = [
      { name: '1 a.example', ok: true, lag: 0 },
      { name: '2 b.example', ok: false, lag: 7 },
      { name: '3 c.example', ok: false, lag: null },
    ];
    const chain = 'polygon/live';
    await db('chain_cursors').insert({
      chain,
      providers: JSON.stringify(providers),
      waits_because: 'forked',
    });
    const audit = { network: 'polygon', audited_until: systemNow(), due_at: addSeconds(systemNow(), -90) };
    await db('balance_audits').insert({ payment_id: id, ...audit, unproven: '1 POL' });
    const lines = await scrape();
    const of = (name: string, provider: string) =>
      valueOf(lines, `${name}{network="${chain}",provider="${provider}"}`);
    expect(of('chain_provider_ok', '1 a.example')).to.equal(1);
    expect(of('chain_provider_ok', '2 b.example')).to.equal(0);
    expect(of('chain_provider_lag_blocks', '2 b.example')).to.equal(7);
    expect(of('chain_provider_lag_blocks', '3 c.example')).to.be.NaN;
    expect(valueOf(lines, `chain_forked{network="${chain}"}`)).to.equal(1);
    expect(valueOf(lines, `chain_money_unproven{network="${chain}"}`)).to.equal(1);
    expect(valueOf(lines, `chain_audit_late_seconds{network="${chain}"}`)).to.be.within(89, 120);
    await db('balance_audits').del();
    await db('chain_cursors').where({ chain }).del();
  });

  it('show the depth of queues, and stay up while their server is away', async () => {
    const lines = await scrape(() =>
      Promise.resolve([{ queue: 'refunds', waiting: 7, active: 2, paused: 0 }]),
    );
    expect(valueOf(lines, 'queue_jobs{queue="refunds",state="waiting"}')).to.equal(7);
    const without = await scrape(() => Promise.reject(new Error('away')));
    expect(without.filter((line) => line.startsWith('queue_jobs{'))).to.deep.equal([]);
    expect(failingIn(without)).to.deep.equal(['queue_jobs']);
  });

  it('are served while Postgres is away, and say so; what is in it is absent', async () => {
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`;
    const db = openDb({ url, poolSize: 2, acquireMs: 500, queryMs: 500, name: 'test' });
    const health = lookingHealth({ ...harness.ctx, db }, harness.adapters);
    const lines = await scrape(undefined, { db, health });
    await db.destroy();
    expect(valueOf(lines, 'health_check_failing{check="postgres"}')).to.equal(1);
    expect(valueOf(lines, `service_process_info{process="worker",version="${VERSION}"}`)).to.equal(1);
    expect(valueOf(lines, 'db_pool_size')).to.equal(2);
    const absent = failingIn(lines);
    expect(absent).to.include.members(['payments', 'due_work_stuck', 'feed_held_seconds', 'money_waiting']);
    for (const name of absent) expect(lines.filter((line) => line.startsWith(`${name}{`))).to.deep.equal([]);
  });

  it('fail one by one: a table that cannot be read hides what is in it, and nothing else', async () => {
    await harness.ctx.db.raw('ALTER TABLE chain_cursors RENAME TO hidden');
    const lines = await scrape();
    await harness.ctx.db.raw('ALTER TABLE hidden RENAME TO chain_cursors');
    expect(failingIn(lines)).to.have.members([
      'chain_head_age_seconds',
      'chain_sync_late_seconds',
      'chain_halted',
      'chain_forked',
      'chain_provider_ok',
      'chain_provider_lag_blocks',
      'chain_audit_late_seconds',
      'chain_money_unproven',
    ]);
    expect(valueOf(lines, 'webhook_endpoints_stopped{state="open"}')).to.equal(0);
  });

  it('do not wait for one that hangs', async () => {
    const hangs = () => new Promise<never>(() => undefined);
    const lines = await scrape(hangs, undefined, { patienceMs: PATIENCE_MS });
    // On a machine that is busy enough, others are late as well.
    expect(failingIn(lines)).to.include('queue_jobs');
    expect(valueOf(lines, `service_process_info{process="worker",version="${VERSION}"}`)).to.equal(1);
  });

  it('show the money that waits for a person, until it waits no more', async () => {
    const { db, systemNow } = harness.ctx;
    const [needy, refused] = [await shop.create(), await shop.create()];
    const since = addSeconds(systemNow(), -90);
    await db('refunds').insert(refundRow(needy, since, { id: 'ref_needy', status: 'NEEDS_ADDRESS' }));
    await db('conversions').insert({
      payment_id: refused,
      number: 1,
      coin: 'ETH',
      network: 'ethereum',
      amount: '1',
      credit: '1',
      status: 'REFUSED',
      created_at: since,
      finished_at: since,
    });
    const waits = (lines: readonly string[]) =>
      lines.filter((line) => /^money_waiting(_seconds)?\{/.test(line));
    expect(waits(await scrape())).to.deep.equal([
      'money_waiting{what="conversion_refused",mode="test"} 1',
      'money_waiting{what="refund_without_address",mode="test"} 1',
      'money_waiting_seconds{what="conversion_refused",mode="test"} 90',
      'money_waiting_seconds{what="refund_without_address",mode="test"} 90',
    ]);
    await db('refunds').where({ id: 'ref_needy' }).update({ status: 'HELD' });
    expect(waits(await scrape())[1]).to.equal('money_waiting{what="refund_held",mode="test"} 1');
    await db('refunds').where({ id: 'ref_needy' }).update({ status: 'COMPLETED' });
    await db('payments').where({ id: refused }).update({ status: 'REFUNDED' });
    expect(waits(await scrape())).to.deep.equal([]);
  });
});

/** The metrics that a scrape says it could not read. */
function failingIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^metric_failing\{metric="(\w+)"\} 1$/.exec(line)?.[1] ?? []);
}
