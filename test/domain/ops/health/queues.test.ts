import { expect } from 'chai';
import { endProcess, newProcess, recordBeat } from '../../../../src/domain/ops/health/processes.ts';
import { queuesCheck, type QueuesCheck } from '../../../../src/domain/ops/health/queues.ts';
import { recordFailure, schedule } from '../../../../src/domain/schedule/store.ts';
import { settlePayment } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { deliverWebhook } from '../../../../src/domain/webhooks/endpoints/jobs.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { findWaitingJobs } from '../../../../src/domain/schedule/lateness.ts';
import { leaseDue } from '../../../../src/domain/schedule/lease.ts';
import { leaseAll } from '../../../support/lease.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { queueOfJobs } from '../../../support/health.ts';
import type { Job } from '../../../../src/domain/schedule/job.ts';

const LEASE_SECONDS = 30;
const PAYMENTS = 20;

describe('the health of queues', () => {
  let harness: Harness;
  let check: QueuesCheck;
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
    const ended = newProcess('worker', harness.ctx.now());
    await recordBeat(harness.ctx, ended, {});
    await endProcess(harness.ctx, ended);
    check = queuesCheck(harness.ctx, queueOfJobs(harness.adapters));
  });
  afterEach(() => harness.close());

  const put = (job: Job, count: number, merchantId?: string) =>
    schedule(
      harness.ctx.db,
      Array.from({ length: count }, (_, i) => ({
        job,
        key: `key-${i}`,
        runAt: harness.ctx.now(),
        testClock: null,
        ...(merchantId === undefined ? {} : { merchantId }),
      })),
    );
  const lease = () => {
    const now = harness.ctx.now();
    return leaseAll(harness.ctx.db, now, addSeconds(now, LEASE_SECONDS));
  };
  /** Runs that finish nothing: leases what is due, and looks, every 5 s. Returns what the last look found. */
  const pass = async (seconds: number): Promise<readonly string[]> => {
    let reasons: readonly string[] = [];
    for (let passed = 0; passed < seconds; passed += 5) {
      await lease();
      reasons = await check.look();
      harness.advance(5);
    }
    return reasons;
  };

  it('is bad within 60 s when runs lease jobs again and again and nobody finishes them', async () => {
    await put(settlePayment, PAYMENTS);
    expect(await pass(60)).to.deep.equal([
      'settlement: 20 jobs are due, the oldest for 55 s, and no worker serves this queue',
    ]);
    expect(check.state().find(({ queue }) => queue === 'settlement')).to.include({ due: 20, workers: 0 });
  });

  it('is bad when events keep making the job of an endpoint due again', async () => {
    const reasons: string[] = [];
    for (let passed = 0; passed < 60; passed += 5) {
      await put(deliverWebhook, 1);
      await lease();
      reasons.push(...(await check.look()));
      harness.advance(5);
    }
    expect(reasons.at(-1)).to.match(/^webhook-delivery: 1 job is due/);
  });

  it('is good while the jobs of a merchant whose share of the slots is in use wait for a slot', async () => {
    await put(deliverWebhook, 500, harness.merchant.id);
    const request = { job: deliverWebhook.name, count: 16, worker: 'w' };
    for (let passed = 0; passed < 300; passed += 5) {
      const now = harness.ctx.now();
      await leaseDue(harness.ctx.db, { ...request, now, leaseEnd: addSeconds(now, LEASE_SECONDS) });
      expect(await check.look()).to.deep.equal([]);
      harness.advance(5);
    }
    const [waiting] = await findWaitingJobs(harness.ctx.db, harness.ctx.now());
    expect(waiting?.merchant_id).to.equal(harness.merchant.id);
  });

  it('is good while a few jobs fail or are parked, and bad when all do', async () => {
    await put(settlePayment, 1);
    for (let failures = 0; failures < 40; failures += 1) {
      await lease();
      await recordFailure(harness.ctx.db, settlePayment, ['key-0'], 'refused', harness.ctx.now());
      expect(await check.look(), `after ${failures} failures`).to.deep.equal([]);
      harness.advance(10);
    }
    await put(settlePayment, PAYMENTS);
    await lease();
    for (let second = 0; second < 60; second += 5) {
      await recordFailure(
        harness.ctx.db,
        settlePayment,
        Array.from({ length: PAYMENTS }, (_, i) => `key-${i}`),
        'the worker cannot work',
        harness.ctx.now(),
      );
      await check.look();
      harness.advance(5);
    }
    expect(await check.look()).to.deep.equal(['settlement: 20 jobs fail again and again, and none succeeds']);
  });

  it("is good whatever the jobs of a test clock's payment are due at", async () => {
    await harness.ctx.db.raw(
      `INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
       SELECT ?, 'clock-' || i, '2020-01-01', ?::timestamptz + interval '1 hour', 'pay_x'
       FROM generate_series(1, 100) AS i`,
      [settlePayment.name, harness.ctx.now()],
    );
    expect(await pass(300)).to.deep.equal([]);
  });
});
