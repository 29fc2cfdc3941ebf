import { expect } from 'chai';
import { LocalRuns, type CarriedJob } from '../../../src/background/relay/local-runs.ts';
import type { JobQueue } from '../../../src/background/queues.ts';
import { relayOnce, type RelayTargets } from '../../../src/background/relay/relay.ts';
import { QueueRoom } from '../../../src/background/relay/room.ts';
import { schedule } from '../../../src/domain/schedule/store.ts';
import { defineJob, type QueueName } from '../../../src/platform/job.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const local = defineJob('test.local', 'sandbox', { batch: 10, isLocal: true });
const queued = defineJob('test.queued', 'sandbox', { batch: 10 });
const JOBS = new Map([local, queued].map((job) => [job.name, job]));

describe('jobs that need no queue', () => {
  let harness: Harness;
  let ran: CarriedJob[];
  let ends: (() => void)[];
  let added: { name: string; keys: readonly string[] }[];
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
    [ran, ends, added] = [[], [], []];
  });
  afterEach(() => harness.close());

  const put = (job: typeof local, keys: readonly string[]) =>
    schedule(
      harness.ctx.db,
      keys.map((key) => ({ job, key, runAt: harness.ctx.now(), testClock: null })),
    );
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${String(i).padStart(3, '0')}`);
  /** Runs that end when the test says so, beside a queue that remembers what it got. */
  const targetsOf = (served: readonly QueueName[]): RelayTargets & { local: LocalRuns } => {
    const queue = {
      addBulk(jobs: Parameters<JobQueue['addBulk']>[0]) {
        added.push(...jobs.map(({ name, data }) => ({ name, keys: data.keys })));
        return Promise.resolve([]);
      },
      getJobCountByTypes: () => Promise.resolve(0),
    } as unknown as JobQueue;
    const run = (job: CarriedJob) => {
      ran.push(job);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    return {
      jobs: JOBS,
      queues: new Map([['sandbox', queue]]),
      room: new QueueRoom(JOBS),
      local: new LocalRuns(served, run),
    };
  };

  it('run in the process that leases them, and the others go to their queue', async () => {
    await put(local, ['a', 'b']);
    await put(queued, ['c']);
    expect(await relayOnce(harness.ctx, targetsOf(['sandbox']))).to.equal(3);
    expect(ran.map(({ queue, name, data }) => [queue, name, data.keys])).to.deep.equal([
      ['sandbox', 'test.local', ['a', 'b']],
    ]);
    expect(added).to.deep.equal([{ name: 'test.queued', keys: ['c'] }]);
  });

  it('run a few batches at a time: what is due beyond them stays in Postgres, for any relay', async () => {
    await put(local, keys(60));
    const targets = targetsOf(['sandbox']);
    expect(await relayOnce(harness.ctx, targets)).to.equal(40);
    expect(await relayOnce(harness.ctx, targets)).to.equal(0);
    expect(ran).to.have.length(4);
    const woken = new Promise<void>((resolve) => targets.local.listen(resolve));
    ends[0]?.();
    await woken;
    expect(await relayOnce(harness.ctx, targets)).to.equal(10);
    expect(ran.flatMap(({ data }) => data.keys)).to.have.length(50);
    expect(added).to.deep.equal([]);
  });

  it('run although a queue is unavailable to which others go', async () => {
    await put(queued, ['a']);
    await put(local, ['b']);
    const targets = targetsOf(['sandbox']);
    const addBulk = () => Promise.reject(new Error('the queue is unavailable'));
    const queues: RelayTargets['queues'] = new Map([['sandbox', { addBulk } as unknown as JobQueue]]);
    const failed = await relayOnce(harness.ctx, { ...targets, queues }).then(String, String);
    expect(failed).to.include('the queue is unavailable');
    expect(ran.map(({ data }) => data.keys)).to.deep.equal([['b']]);
  });

  it('go to their queue from a process that does not serve it', async () => {
    await put(local, ['a']);
    await relayOnce(harness.ctx, targetsOf(['expiration']));
    expect([ran, added]).to.deep.equal([[], [{ name: 'test.local', keys: ['a'] }]]);
  });

  it('go to their queue once they have failed, where an operator sees them', async () => {
    await put(local, ['good', 'poison']);
    await harness.ctx.db('scheduled_jobs').where({ key: 'poison' }).update({ failures: 1 });
    await relayOnce(harness.ctx, targetsOf(['sandbox']));
    expect(ran.map(({ data }) => data.keys)).to.deep.equal([['good']]);
    expect(added).to.deep.equal([{ name: 'test.local', keys: ['poison'] }]);
  });

  it('are waited for by who closes', async () => {
    await put(local, ['a']);
    const targets = targetsOf(['sandbox']);
    await relayOnce(harness.ctx, targets);
    let isSettled = false;
    const settling = targets.local.settle().then(() => (isSettled = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).to.equal(false);
    ends[0]?.();
    await settling;
  });
});
