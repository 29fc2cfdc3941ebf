import { expect } from 'chai';
import { runJob } from '../../src/background/runs/run-job.ts';
import { createHandlers, scheduleRecurring } from '../../src/background/workers.ts';
import { NETWORK_IDS } from '../../src/domain/chain/networks.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { defineRecurringJob, type Handler } from '../../src/domain/schedule/job.ts';
import { SILENT } from '../../src/platform/log.ts';
import { run, sql } from '../../src/platform/postgres/db.ts';
import { leaseAll } from '../support/lease.ts';
import { createHarness, type Harness } from '../support/harness.ts';

const scheduledJobs = sql<{ job: string; key: string; run_at: Date; failures: number }>(
  'test_recurring_jobs',
  'SELECT job, key, run_at, failures FROM scheduled_jobs ORDER BY job, key',
);

const job = defineRecurringJob('test.recurring', 'clean-up', { everySeconds: 600 });

describe('recurring jobs', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
  });
  afterEach(() => harness.close());

  const rows = () => run(harness.ctx.db, scheduledJobs, []);
  const lease = () => leaseAll(harness.ctx.db, harness.ctx.now(), addSeconds(harness.ctx.now(), 30));
  const handlersOf = (handler: Handler) => new Map([[handler.job.name, handler]]);

  it('follow from the handlers: a network each for the chain, and the sweeps, the reconciler, the partitions and the counts', async () => {
    await scheduleRecurring(harness.ctx, createHandlers(harness.adapters));
    const names = (await rows()).map(({ job, key }) => `${job} ${key}`);
    expect(names).to.have.members([
      ...NETWORK_IDS.map((network) => `chain.observe ${network}`),
      'history.sweep all',
      'idempotency.sweep all',
      'overview.count all',
      'people.sweep all',
      'relay.reconcile all',
      'sandbox.sweep all',
      'webhook.partitions all',
    ]);
  });

  it('that are scheduled keep their time when another worker starts', async () => {
    const handlers = handlersOf({ job, handle: () => Promise.resolve() });
    await scheduleRecurring(harness.ctx, handlers);
    const before = await rows();
    harness.advance(60);
    await scheduleRecurring(harness.ctx, handlers);
    expect(await rows()).to.deep.equal(before);
  });

  it('run again after their time when the handler succeeded', async () => {
    const handler = { job, handle: () => Promise.resolve() };
    await scheduleRecurring(harness.ctx, handlersOf(handler));
    await runJob(harness.ctx, handler, await lease());
    const run_at = addSeconds(harness.ctx.now(), 600);
    expect(await rows()).to.deep.equal([{ job: job.name, key: 'all', run_at, failures: 0 }]);
  });

  it('run again after a failure as any other job does', async () => {
    const handler = { job, handle: () => Promise.reject(new Error('no luck')) };
    const ctx = { ...harness.ctx, log: SILENT };
    await scheduleRecurring(ctx, handlersOf(handler));
    const failure = await runJob(ctx, handler, await lease()).catch((error: Error) => error);
    expect(failure).to.have.property('message', 'no luck');
    expect(await rows()).to.deep.equal([{ job: job.name, key: 'all', run_at: ctx.now(), failures: 1 }]);
  });
});
