import { expect } from 'chai';
import { Backlogs } from '../../../src/background/relay/backlogs.ts';
import { relayOnce } from '../../../src/background/relay/relay.ts';
import { QueueRoom } from '../../../src/background/relay/room.ts';
import type { JobQueue } from '../../../src/background/queues.ts';
import { schedule } from '../../../src/domain/schedule/store.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { defineJob, type QueueName } from '../../../src/platform/job.ts';
import { createPayment } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const expiry = defineJob('test.expiry', 'sandbox', { batch: 100, isOfMerchants: true });

describe('a merchant with more due than a pass leases', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
  });
  afterEach(() => harness.close());

  const put = (merchantId: string, count: number, seconds: number) =>
    schedule(
      harness.ctx.db,
      Array.from({ length: count }, (_, i) => ({
        job: expiry,
        key: `${merchantId}-${i}`,
        runAt: addSeconds(harness.ctx.now(), seconds),
        testClock: null,
        merchantId,
      })),
    );
  const added: { keys: readonly string[]; isFirst: boolean }[] = [];
  const queue: JobQueue = {
    name: 'sandbox',
    addBulk(jobs) {
      added.push(...jobs.map(({ data, opts }) => ({ keys: data.keys, isFirst: opts?.lifo === true })));
      return Promise.resolve([]);
    },
    getJobCountByTypes: () => Promise.resolve(0),
    isPaused: () => Promise.resolve(false),
    waitUntilReady: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  };
  const jobs = new Map([[expiry.name, expiry]]);
  const relay = (backlogs: Backlogs) =>
    relayOnce(
      harness.ctx,
      { jobs, queues: new Map<QueueName, JobQueue>([['sandbox', queue]]), room: new QueueRoom(jobs) },
      backlogs,
    );

  it('delays nobody: the others get their share of the next pass, ahead of what waits', async () => {
    await put('mer_bulk', 5_000, -60);
    await put('mer_other', 3, -1);
    const backlogs = new Backlogs();
    const pass = () => relay(backlogs);
    added.length = 0;
    // Nobody can know of the others yet.
    expect(await pass()).to.equal(1_000);
    expect(added.every(({ isFirst }) => !isFirst)).to.equal(true);
    added.length = 0;
    await pass();
    const first = added.filter(({ isFirst }) => isFirst).flatMap(({ keys }) => keys);
    expect(first.filter((key) => key.startsWith('mer_other'))).to.have.length(3);
    expect(first).to.have.length(253);
    // The other half goes by time.
    expect(added.filter(({ isFirst }) => !isFirst).flatMap(({ keys }) => keys)).to.have.length(500);
  });

  it('is named by the jobs of its payments', async () => {
    await createPayment(harness);
    const { rows } = (await harness.ctx.db.raw(
      'SELECT job, for_merchant FROM scheduled_jobs ORDER BY job',
    )) as {
      rows: unknown[];
    };
    const { id: for_merchant } = harness.merchant;
    expect(rows).to.deep.equal([
      { job: 'event.fan-out', for_merchant },
      { job: 'payment.expire', for_merchant },
    ]);
  });

  it('is leased whole again once all that is due fits a pass', async () => {
    await put('mer_bulk', 1_200, -60);
    const backlogs = new Backlogs();
    const pass = () => relay(backlogs);
    expect([await pass(), await pass(), await pass()]).to.deep.equal([1_000, 200, 0]);
    await put('mer_other', 900, -1);
    added.length = 0;
    expect(await pass()).to.equal(900);
    expect(added.every(({ isFirst }) => !isFirst)).to.equal(true);
  });
});
