import { expect } from 'chai';
import { QueueEnqueuer } from '../../src/background/enqueuer.ts';
import { enqueueWith } from '../../src/domain/schedule/enqueue.ts';
import { schedule } from '../../src/domain/schedule/store.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { defineJob, type Job } from '../../src/domain/schedule/job.ts';
import { transact } from '../../src/platform/postgres/transactions/transact.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { captureLog } from '../support/logs.ts';
import { recordingQueue } from '../support/recording-queue.ts';
import { until } from '../support/until.ts';

const bulk = defineJob('test.bulk', 'sandbox', { batch: 10 });
const single = defineJob('test.single', 'clean-up');

describe('the enqueuer', () => {
  let harness: Harness;
  before(async () => (harness = await createHarness()));
  after(() => harness.close());

  const jobsOf = (job: Job, keys: readonly string[], seconds = 0) =>
    keys.map((key) => ({ job, key, runAt: addSeconds(harness.ctx.now(), seconds), testClock: null }));
  const range = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`);
  const open = (queues: Parameters<typeof recordingQueue>[0] = {}) => {
    const recording = recordingQueue(queues);
    return { ...recording, enqueuer: new QueueEnqueuer(recording.queueOf, harness.ctx) };
  };

  it('adds what comes in one turn together, as many runs as its keys need', async () => {
    let additions = 0;
    const { enqueuer, added } = open({ addBulk: () => (additions += 1) });
    enqueuer.enqueue(jobsOf(bulk, range(20)));
    enqueuer.enqueue(jobsOf(bulk, ['late']));
    enqueuer.enqueue(jobsOf(single, range(17)));
    await enqueuer.close();
    expect(added.map(({ name, keys }) => `${name} ${keys.length}`)).to.deep.equal([
      'test.bulk 10',
      'test.bulk 10',
      'test.bulk 1',
      'test.single 16',
      'test.single 1',
    ]);
    // One for each queue.
    expect(additions).to.equal(2);
  });

  it('adds what is due within half a second when it is, and leaves the rest to the sweep', async () => {
    const { enqueuer, added } = open();
    enqueuer.enqueue([...jobsOf(bulk, ['soon'], 0.05), ...jobsOf(single, ['later'], 1)]);
    expect(added).to.deep.equal([]);
    await until('it is added', () => added.length > 0);
    expect(added.map(({ name }) => name)).to.deep.equal(['test.bulk']);
    await enqueuer.close();
  });

  it('adds what comes during an addition with the next, however much that is', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let additions = 0;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const { enqueuer, added } = open({
      addBulk() {
        additions += 1;
        begin();
        return additions === 1 ? gate : undefined;
      },
    });
    enqueuer.enqueue(jobsOf(bulk, ['first']));
    await begun;
    for (const key of range(9)) enqueuer.enqueue(jobsOf(bulk, [key]));
    release();
    await enqueuer.close();
    expect(added.map(({ keys }) => keys.length)).to.deep.equal([1, 9]);
  });

  it('leaves what is due later, and what cannot be added, to the sweep', async () => {
    const log = captureLog();
    const { queueOf, added } = recordingQueue({ addBulk: () => Promise.reject(new Error('away')) });
    const enqueuer = new QueueEnqueuer(queueOf, { ...harness.ctx, log: log.log });
    enqueuer.enqueue(jobsOf(single, ['a'], 0.001));
    enqueuer.enqueue(jobsOf(single, ['b']));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    enqueuer.enqueue(jobsOf(single, ['c']));
    await enqueuer.close();
    expect(added).to.deep.equal([]);
    // Once, while it goes on.
    expect(log.lines('jobs were not enqueued; the sweep finds them')).to.have.length(1);
  });

  it('names no key of a test clock', async () => {
    const { enqueuer, added } = open();
    const testClock = { id: 'pay_1', offsetMs: 0, frozenUntil: null };
    enqueuer.enqueue([{ job: single, key: 'pay_1', runAt: harness.ctx.now(), testClock }]);
    await enqueuer.close();
    expect(added).to.deep.equal([{ queue: 'clean-up', name: single.name, keys: [] }]);
  });

  it('stops to add to a queue in which 500 wait, and counts them after each hundred', async () => {
    const { enqueuer, added, counts } = open({ waiting: () => 500 });
    for (const count of [60, 120]) {
      enqueuer.enqueue(jobsOf(single, range(16 * 60)));
      await until(`${count} runs were added`, () => added.length >= count);
    }
    enqueuer.enqueueRun(single);
    await until('they are counted', () => counts() > 0);
    enqueuer.enqueueRun(single);
    await enqueuer.close();
    expect(added).to.have.length(120);
    expect(counts()).to.equal(1);
  });

  it('learns of a job when its transaction has committed, and never when it was rolled back', async () => {
    const { db } = harness.ctx;
    const { enqueuer, added } = open();
    const stop = enqueueWith(db, enqueuer);
    const keys = () => added.flatMap((one) => one.keys);
    const fail = () => Promise.reject(new Error('not done after all'));
    await db.transaction((tx) => schedule(tx, jobsOf(single, ['a'])).then(fail)).catch(() => undefined);
    await transact(db, (tx) => schedule(tx, jobsOf(single, ['b'])).then(fail)).catch(() => undefined);
    await db.transaction((tx) => schedule(tx, jobsOf(single, ['c'])));
    await transact(db, (tx) => schedule(tx, jobsOf(single, ['d'])));
    await schedule(db, jobsOf(single, ['e']));
    await enqueuer.close();
    stop();
    expect(keys().sort()).to.deep.equal(['c', 'd', 'e']);
  });
});
