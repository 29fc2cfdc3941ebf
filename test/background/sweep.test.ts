import { expect } from 'chai';
import { QueueEnqueuer } from '../../src/background/enqueuer.ts';
import { sweepOnce, takeOver } from '../../src/background/sweep.ts';
import { createHandlers } from '../../src/background/workers.ts';
import { beginDrain, DrainWatch } from '../../src/domain/ops/drain.ts';
import { beatWorker } from '../../src/domain/schedule/beats.ts';
import { leaseDue } from '../../src/domain/schedule/lease.ts';
import { schedule } from '../../src/domain/schedule/store.ts';
import { releaseWaiting } from '../../src/domain/schedule/sweep.ts';
import { settlePayment } from '../../src/domain/payments/lifecycle/jobs.ts';
import { deliverWebhook } from '../../src/domain/webhooks/endpoints/jobs.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { defineJob, type Job } from '../../src/domain/schedule/job.ts';
import { SILENT } from '../../src/platform/log.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { recordingQueue } from '../support/recording-queue.ts';

describe('the sweep', () => {
  let harness: Harness;
  let jobs: ReadonlyMap<string, Job>;
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
    jobs = new Map([...createHandlers(harness.adapters).values()].map(({ job }) => [job.name, job]));
  });
  afterEach(() => harness.close());

  const put = (job: Job, key: string, seconds = 0) =>
    schedule(harness.ctx.db, [{ job, key, runAt: addSeconds(harness.ctx.now(), seconds), testClock: null }]);
  const sweep = async () => {
    const { queueOf, added } = recordingQueue();
    const enqueuer = new QueueEnqueuer(queueOf, harness.ctx);
    const quietUntil = await sweepOnce(harness.ctx, { jobs, enqueuer, drain: new DrainWatch() });
    await enqueuer.close();
    return { added, quietMs: quietUntil.getTime() - harness.ctx.now().getTime() };
  };
  const dueKeys = async (job: Job, now: Date) => {
    const request = { job: job.name, count: 10, now, leaseEnd: addSeconds(now, 0.001) };
    return (await leaseDue(harness.ctx.db, request)).jobs.map(({ key }) => key);
  };

  it('enqueues one run of each job of which something is due, and of no other', async () => {
    await put(settlePayment, 'pay_1');
    await put(settlePayment, 'pay_2');
    await put(deliverWebhook, 'mer_1', 0.001);
    await put(defineJob('test.of-tomorrow', 'sandbox'), 'a');
    const { added } = await sweep();
    expect(added).to.deep.equal([{ queue: 'settlement', name: settlePayment.name, keys: [] }]);
    harness.advance(0.001);
    expect((await sweep()).added.map(({ name }) => name)).to.have.members([
      settlePayment.name,
      deliverWebhook.name,
    ]);
  });

  it('enqueues nothing while workers are drained', async () => {
    await put(settlePayment, 'pay_1');
    await beginDrain(harness.ctx.db, harness.ctx.now(), null);
    expect((await sweep()).added).to.deep.equal([]);
  });

  it('says when the next timer ends, half a second ahead at most', async () => {
    await put(settlePayment, 'pay_1', 20);
    expect((await sweep()).quietMs).to.equal(500);
    await put(deliverWebhook, 'mer_1', 0.3);
    expect((await sweep()).quietMs).to.equal(300);
    harness.advance(0.4);
    expect((await sweep()).quietMs).to.equal(-100);
  });

  it('makes due at once what a worker that is gone has leased, and nothing else', async () => {
    const { db, now } = harness.ctx;
    await beatWorker(db, 'gone', true);
    const lease = (worker: string) =>
      leaseDue(db, {
        job: settlePayment.name,
        count: 10,
        now: now(),
        leaseEnd: addSeconds(now(), 30),
        worker,
      });
    await put(settlePayment, 'pay_alive');
    await lease('alive');
    await put(settlePayment, 'pay_gone');
    await put(settlePayment, 'pay_again');
    await lease('gone');
    // It was scheduled for later while it ran: that time stays.
    await put(settlePayment, 'pay_again', 20);
    expect(await dueKeys(settlePayment, now())).to.deep.equal([]);
    await takeOver({ ...harness.ctx, log: SILENT }, { jobs }, ['gone']);
    expect(await dueKeys(settlePayment, now())).to.deep.equal(['pay_gone']);
    expect(await beatWorker(db, 'alive', true)).to.deep.equal([]);
  });

  it('ends the wait for a turn of what a worker of the previous release has left behind', async () => {
    const { db, now } = harness.ctx;
    for (const [key, seconds] of [
      ['old', -61],
      ['new', -59],
    ] as const) {
      await put(settlePayment, key);
      const turn = { visible_at: 'infinity', turn_of: 'mer_1', turn_since: addSeconds(now(), seconds) };
      await db('scheduled_jobs').where({ key }).update(turn);
    }
    await releaseWaiting(db, now());
    expect(await dueKeys(settlePayment, now())).to.deep.equal(['old']);
  });
});
