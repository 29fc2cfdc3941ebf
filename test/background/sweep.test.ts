import { expect } from 'chai';
import { QueueEnqueuer } from '../../src/background/enqueuer.ts';
import { sweepOnce, takeOver, Watch } from '../../src/background/sweep.ts';
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

const beat = (id: string, beats: number, may_lead = true) => ({ id, beats: String(beats), may_lead });

describe('what workers know of each other', () => {
  it('the first by id that lives and may lead leads', () => {
    const watch = new Watch();
    expect(watch.note('b', [beat('c', 1)], 0, true)).to.deep.equal({ gone: [], leads: true });
    expect(watch.note('b', [beat('a', 1), beat('c', 2)], 1_000, true).leads).to.equal(false);
    expect(watch.note('b', [beat('a', 2, false), beat('c', 3)], 2_000, true).leads).to.equal(true);
    expect(watch.note('b', [beat('c', 4)], 3_000, false).leads).to.equal(false);
  });

  it('one whose beats stand still for 3 s is gone, and leads no more', () => {
    const watch = new Watch();
    for (const at of [0, 1_000, 2_000])
      expect(watch.note('b', [beat('a', 7)], at, true)).to.deep.equal({ gone: [], leads: false });
    expect(watch.note('b', [beat('a', 7)], 3_000, true)).to.deep.equal({ gone: ['a'], leads: true });
    // It was only slow.
    expect(watch.note('b', [beat('a', 8)], 4_000, true)).to.deep.equal({ gone: [], leads: false });
  });

  it('nobody is gone for one that could not look', () => {
    const watch = new Watch();
    watch.note('b', [beat('a', 7)], 0, true);
    expect(watch.note('b', [beat('a', 7)], 60_000, true).gone).to.deep.equal([]);
    expect(watch.note('b', [beat('a', 7)], 61_000, true).gone).to.deep.equal([]);
  });
});

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
    await sweepOnce(harness.ctx, { jobs, enqueuer, drain: new DrainWatch() });
    await enqueuer.close();
    return added;
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
    expect(await sweep()).to.deep.equal([{ queue: 'settlement', name: settlePayment.name, keys: [] }]);
    harness.advance(0.001);
    expect((await sweep()).map(({ name }) => name)).to.have.members([
      settlePayment.name,
      deliverWebhook.name,
    ]);
  });

  it('enqueues nothing while workers are drained', async () => {
    await put(settlePayment, 'pay_1');
    await beginDrain(harness.ctx.db, harness.ctx.now(), null);
    expect(await sweep()).to.deep.equal([]);
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
