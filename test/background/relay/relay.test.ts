import { expect } from 'chai';
import { countWaitingJobs } from '../../../src/background/queue-status.ts';
import { openQueueEngine, type JobQueue, type QueueEngine } from '../../../src/background/queues.ts';
import { relayOnce, type RelayTargets } from '../../../src/background/relay/relay.ts';
import { QueueRoom } from '../../../src/background/relay/room.ts';
import { LEASE_SECONDS } from '../../../src/background/shares/bounds.ts';
import { schedule } from '../../../src/domain/schedule/store.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import { defineJob, type Job, type QueueName } from '../../../src/platform/job.ts';
import { ENGINES } from '../../support/engines.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** One of each kind: in batches, alone, and a second one on the queue of the first. */
const bulk = defineJob('test.bulk', 'sandbox', { batch: 10 });
const single = defineJob('test.single', 'clean-up');
const sibling = defineJob('test.sibling', 'sandbox', { batch: 10 });
const JOBS = new Map([bulk, single, sibling].map((job) => [job.name, job]));

interface Added {
  readonly queue: string;
  readonly name: string;
  readonly keys: readonly string[];
}

describe('the relay', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
  });
  afterEach(() => harness.close());

  const put = (job: Job, keys: readonly string[]) =>
    schedule(
      harness.ctx.db,
      keys.map((key) => ({ job, key, runAt: harness.ctx.now(), testClock: null })),
    );
  const range = (count: number, prefix = 'k') =>
    Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`);
  /** Queues that remember what they got; `addBulk` may be made to fail, `waiting` to be large. */
  const recorder = ({
    addBulk = () => {},
    waiting = () => 0,
  }: { addBulk?: () => void; waiting?: (name: string) => number } = {}) => {
    const added: Added[] = [];
    const counted: string[] = [];
    const queueOf = (queue: QueueName): JobQueue => ({
      name: queue,
      addBulk(jobs) {
        addBulk();
        added.push(...jobs.map(({ name, data }) => ({ queue, name, keys: data.keys })));
        return Promise.resolve([]);
      },
      getJobCountByTypes() {
        counted.push(queue);
        return Promise.resolve(waiting(queue));
      },
      isPaused: () => Promise.resolve(false),
      waitUntilReady: () => Promise.reject(new Error('not asked for')),
      close: () => Promise.resolve(),
    });
    const targets: RelayTargets = {
      jobs: JOBS,
      queues: new Map((['sandbox', 'clean-up'] as const).map((name) => [name, queueOf(name)])),
      room: new QueueRoom(JOBS),
    };
    return { targets, added, counted };
  };

  it('hands work over in batches, each job to its queue', async () => {
    const { targets, added } = recorder();
    await put(bulk, range(25));
    await put(single, ['x', 'y']);
    expect(await relayOnce(harness.ctx, targets)).to.equal(27);
    expect(
      added.filter(({ name }) => name === bulk.name).map(({ queue, keys }) => [queue, keys.length]),
    ).to.deep.equal([
      ['sandbox', 10],
      ['sandbox', 10],
      ['sandbox', 5],
    ]);
    expect(
      added.filter(({ queue }) => queue === 'clean-up').map(({ name, keys }) => [name, keys]),
    ).to.have.deep.members([
      [single.name, ['x']],
      [single.name, ['y']],
    ]);
    expect(await relayOnce(harness.ctx, targets)).to.equal(0);
  });

  it('hands over each job that failed before by itself', async () => {
    const { targets, added } = recorder();
    await put(bulk, range(4));
    await harness.ctx.db.raw(`UPDATE scheduled_jobs SET failures = 1 WHERE key = 'k00002'`);
    await relayOnce(harness.ctx, targets);
    expect(added.map(({ keys }) => keys.toSorted())).to.have.deep.members([
      ['k00000', 'k00001', 'k00003'],
      ['k00002'],
    ]);
  });

  it('hands over keys that take slots of a merchant together, but not with those of another', async () => {
    const { targets, added } = recorder();
    const ofEndpoints = defineJob('test.endpoint', 'sandbox', { keyNames: 'endpoint' });
    const other = await harness.addMerchant();
    const keysOf = new Map([
      [harness.merchant.id, range(40, 'a')],
      [other.id, range(3, 'b')],
    ]);
    for (const [id, keys] of keysOf) {
      await harness.ctx
        .db('webhook_endpoints')
        .insert(keys.map((key) => ({ id: key, merchant_id: id, created_at: harness.ctx.now() })));
      await put(ofEndpoints, keys);
    }
    await relayOnce(harness.ctx, { ...targets, jobs: new Map([[ofEndpoints.name, ofEndpoints]]) });
    const counts = added.map(({ keys }) => [
      keys[0]?.[0],
      keys.length,
      new Set(keys.map(([first]) => first)).size,
    ]);
    expect(counts).to.have.deep.members([
      ['a', 16, 1],
      ['a', 16, 1],
      ['a', 8, 1],
      ['b', 3, 1],
    ]);
    expect(added.flatMap(({ keys }) => keys).sort()).to.deep.equal([...keysOf.values()].flat());
  });

  it('that cannot reach its queue has lost nothing: it all comes back when the lease ends', async () => {
    let isAway = true;
    const { targets, added } = recorder({
      addBulk() {
        if (isAway) throw new Error('the queue is away');
      },
    });
    await put(bulk, range(12));
    await put(single, ['x']);
    const failure = await relayOnce(harness.ctx, targets).then(
      () => 'no error',
      (error: Error) => error.message,
    );
    expect(failure).to.equal('the queue is away');
    isAway = false;
    harness.advance(LEASE_SECONDS - 0.001);
    expect(await relayOnce(harness.ctx, targets)).to.equal(0);
    harness.advance(0.001);
    expect(await relayOnce(harness.ctx, targets)).to.equal(13);
    expect(added.flatMap(({ keys }) => keys).sort()).to.deep.equal([...range(12), 'x']);
  });

  it('hands over nothing to a queue that has enough, and everything to the others', async () => {
    let waiting = 0;
    const { targets, added, counted } = recorder({ waiting: (name) => (name === 'sandbox' ? waiting : 0) });
    await put(bulk, range(3_000));
    await put(single, range(150));
    expect(await relayOnce(harness.ctx, targets)).to.equal(1_100);
    // 100 jobs each: now they are counted before they get more.
    expect(counted).to.deep.equal([]);
    waiting = 100;
    await put(sibling, range(10));
    expect(await relayOnce(harness.ctx, targets)).to.equal(50);
    expect(await relayOnce(harness.ctx, targets)).to.equal(0);
    expect(new Set(counted)).to.deep.equal(new Set(['sandbox', 'clean-up']));
    waiting = 99;
    expect(await relayOnce(harness.ctx, targets)).to.equal(1_010);
    expect(added.filter(({ name }) => name === sibling.name)).to.have.length(1);
  });

  it('leaves work of jobs that this version does not know to the one that does', async () => {
    const { targets } = recorder();
    await put(defineJob('test.of-tomorrow', 'sandbox'), ['a']);
    expect(await relayOnce(harness.ctx, targets)).to.equal(0);
    const rows = await run(
      harness.ctx.db,
      sql<{ visible_at: Date; run_at: Date }>('test_rows', 'SELECT * FROM scheduled_jobs'),
      [],
    );
    expect(rows[0]?.visible_at).to.deep.equal(rows[0]?.run_at);
  });

  for (const engine of ENGINES)
    describe(`with queues on ${engine.name}`, () => {
      let opened: QueueEngine;
      let queue: JobQueue;
      beforeEach(async () => {
        await harness.close();
        harness = await createHarness(await engine.env());
        await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
        opened = openQueueEngine(harness.ctx.config, harness.ctx.log);
        queue = opened.openQueue('clean-up');
      });
      afterEach(async () => {
        await queue.close();
        await opened.close();
      });

      it('fills a queue without workers up to a bound, whenever leases end, and also while it is paused', async () => {
        const targets: RelayTargets = {
          jobs: JOBS,
          queues: new Map([['clean-up', queue]]),
          room: new QueueRoom(JOBS),
        };
        await put(single, range(40));
        const relayLeases = async (count: number) => {
          for (let i = 0; i < count; i += 1) {
            harness.advance(LEASE_SECONDS);
            await relayOnce(harness.ctx, targets);
          }
        };
        await relayLeases(5);
        expect(await countWaitingJobs(queue)).to.equal(200);
        await (queue as unknown as { pause(): Promise<void> }).pause();
        expect(await countWaitingJobs(queue)).to.equal(200);
        await relayLeases(60);
        expect(await countWaitingJobs(queue)).to.be.within(500, 640);
      });
    });
});
