import { expect } from 'chai';
import winston from 'winston';
import { countStuck, listStuck, releaseParked } from '../../src/domain/ops/stuck.ts';
import { STUCK_AFTER_FAILURES } from '../../src/domain/schedule/parking.ts';
import { finish, schedule } from '../../src/domain/schedule/store.ts';
import { followTestClock, nextJobOfTestClock } from '../../src/domain/schedule/test-clock.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import { defineJob, type Handler, type Job } from '../../src/domain/schedule/job.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { failUntilStuck, leaseAndRun } from '../support/stuck.ts';

const ALL = { job: null, key: null };
const bulk = defineJob('test.bulk', 'sandbox', { batch: 10 });
const recurring = defineJob('test.recurring', 'clean-up', { keys: ['tron'] });

describe('a job that cannot be done', () => {
  let harness: Harness;
  let ctx: Context;
  let done: string[];
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
    ctx = { ...harness.ctx, log: winston.createLogger({ silent: true }) };
    done = [];
  });
  afterEach(() => harness.close());

  /** All or nothing, as a handler that writes its batch in one transaction. */
  const handlerOf = (job: Job): Handler => ({
    job,
    async handle(own, keys) {
      if (keys.includes('poison') || keys.includes('tron')) throw new Error('poison');
      done.push(...keys);
      await finish(own.db, job, keys, own.now());
    },
  });
  const put = (job: Job, ...keys: string[]) =>
    schedule(
      ctx.db,
      keys.map((key) => ({ job, key, runAt: ctx.now(), testClock: null })),
    );
  const run = (job: Job = bulk) => leaseAndRun(ctx, new Map([[job.name, handlerOf(job)]]));
  const stuck = async () =>
    (await listStuck(ctx.db, ALL)).map(({ key, failures, parked_at }) => ({
      key,
      failures,
      isParked: parked_at !== null,
    }));

  it('fails none of its batch: the others are done in the same run', async () => {
    await put(bulk, 'a', 'b', 'poison', 'c');
    await run();
    expect(done.toSorted()).to.deep.equal(['a', 'b', 'c']);
    expect(await ctx.db('scheduled_jobs').select('key', 'failures', 'last_error')).to.deep.equal([
      { key: 'poison', failures: 1, last_error: 'poison' },
    ]);
  });

  it('is parked after 30 failures: no relay finds it, and new jobs go on', async () => {
    await put(bulk, 'poison');
    await failUntilStuck(harness, ctx, handlerOf(bulk));
    expect(await stuck()).to.deep.equal([{ key: 'poison', failures: STUCK_AFTER_FAILURES, isParked: true }]);
    expect(await countStuck(ctx.db)).to.deep.equal([{ job: bulk.name, count: 1 }]);
    harness.advance(365 * 86_400);
    await put(bulk, 'a');
    expect(await run()).to.deep.equal(['a']);
    expect(done).to.deep.equal(['a']);
  });

  it('is not parked where it runs for as long as the service does: it is stuck, and tried again', async () => {
    await put(recurring, 'tron');
    await failUntilStuck(harness, ctx, handlerOf(recurring));
    expect(await stuck()).to.deep.equal([{ key: 'tron', failures: STUCK_AFTER_FAILURES, isParked: false }]);
    expect(await run(recurring)).to.deep.equal(['tron']);
  });

  it('is released by kind and key, and is due as it was, with no failures', async () => {
    await put(bulk, 'poison');
    await failUntilStuck(harness, ctx, handlerOf(bulk));
    expect(await releaseParked(ctx.db, { job: 'test.other', key: null })).to.deep.equal([]);
    expect(await releaseParked(ctx.db, { job: bulk.name, key: 'a' })).to.deep.equal([]);
    expect(await releaseParked(ctx.db, { job: bulk.name, key: 'poison' })).to.deep.equal([
      { job: bulk.name, key: 'poison' },
    ]);
    expect(await stuck()).to.deep.equal([]);
    expect(await run()).to.deep.equal(['poison']);
    expect(await releaseParked(ctx.db, ALL)).to.deep.equal([]);
  });

  it('is taken up again when there is something new to do', async () => {
    await put(bulk, 'poison');
    await failUntilStuck(harness, ctx, handlerOf(bulk));
    await put(bulk, 'poison');
    expect(await stuck()).to.deep.equal([]);
    expect(await run()).to.deep.equal(['poison']);
  });

  it('of a test clock stays parked while the clock moves, and is released by that clock', async () => {
    const ahead = { id: 'pay_1', offsetMs: 3_600_000, frozenUntil: null };
    const runAt = addSeconds(ctx.now(), 3_600);
    await schedule(ctx.db, [{ job: bulk, key: 'poison', runAt, testClock: ahead }]);
    await ctx.db('scheduled_jobs').update({
      failures: STUCK_AFTER_FAILURES,
      visible_at: 'infinity',
      parked_at: ctx.now(),
    });
    await followTestClock(ctx.db, ahead);
    const next = () =>
      nextJobOfTestClock(ctx.db, 'pay_1', addSeconds(runAt, 1), { first: [bulk], skipped: [] });
    expect(await next()).to.equal(null);
    expect(await stuck()).to.have.length(1);
    await releaseParked(ctx.db, ALL);
    expect((await next())?.key).to.equal('poison');
  });
});
