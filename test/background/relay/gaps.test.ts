import { expect } from 'chai';
import type { JobQueue } from '../../../src/background/queues.ts';
import { Gaps } from '../../../src/background/relay/gaps.ts';
import { relayOnce } from '../../../src/background/relay/relay.ts';
import { schedule } from '../../../src/domain/schedule/store.ts';
import { defineJob, type QueueName } from '../../../src/platform/job.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const often = defineJob('test.often', 'sandbox', { batch: 10 });
const other = defineJob('test.other', 'sandbox', { batch: 10 });
const local = defineJob('test.local', 'sandbox', { batch: 10, isLocal: true });

describe('jobs that become due again and again', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
  });
  afterEach(() => harness.close());

  const put = (job: typeof often, key: string) =>
    schedule(harness.ctx.db, [{ job, key, runAt: harness.ctx.now(), testClock: null }]);

  it('go together after a gap: the first at once, those of another name without waiting', async () => {
    const added: string[] = [];
    const queue = {
      addBulk(jobs: Parameters<JobQueue['addBulk']>[0]) {
        added.push(...jobs.map(({ data }) => data.keys.join(' ')));
        return Promise.resolve([]);
      },
    } as unknown as JobQueue;
    let now = 1_000;
    const targets = {
      jobs: new Map([often, other].map((job) => [job.name, job])),
      queues: new Map<QueueName, JobQueue>([['sandbox', queue]]),
      gaps: new Gaps('postgres', () => now),
    };
    await put(often, 'a');
    expect(await relayOnce(harness.ctx, targets)).to.equal(1);
    await put(often, 'b');
    await put(other, 'c');
    now += 7;
    expect(await relayOnce(harness.ctx, targets), 'within the gap').to.equal(1);
    await put(often, 'd');
    now += 1;
    expect(await relayOnce(harness.ctx, targets), 'after it').to.equal(2);
    expect(added).to.deep.equal(['a', 'c', 'b d']);
  });

  it('wait less where they need no queue', () => {
    let now = 1_000;
    const gaps = new Gaps('postgres', () => now);
    gaps.begin([often, local]);
    expect([often, local].map((job) => gaps.isOver(job))).to.deep.equal([false, false]);
    now += 3;
    expect([often, local].map((job) => gaps.isOver(job))).to.deep.equal([false, true]);
  });
});
