import { expect } from 'chai';
import type { JobData } from '../../../src/background/queues.ts';
import { Slots } from '../../../src/background/shares/slots.ts';
import { Turns } from '../../../src/background/shares/turns.ts';
import { leaseDue } from '../../../src/domain/schedule/lease.ts';
import { schedule } from '../../../src/domain/schedule/store.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { defineJob } from '../../../src/platform/job.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const job = defineJob('test.of-merchants', 'sandbox', { keyNames: 'endpoint' });
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('a job of a queue that carries several keys of a merchant', () => {
  let harness: Harness;
  let slots: Slots;
  let turns: Turns;
  let data: JobData;
  beforeEach(async () => {
    harness = await createHarness();
    slots = new Slots(8);
    turns = new Turns(new Map([['sandbox', slots]]), new Map());
    await harness.ctx.db.raw('DELETE FROM scheduled_jobs');
    const runAt = harness.ctx.now();
    await schedule(
      harness.ctx.db,
      KEYS.map((key) => ({ job, key, runAt, testClock: null })),
    );
    const leaseEnd = addSeconds(runAt, 30);
    await leaseDue(harness.ctx.db, new Map([[job.name, 100]]), runAt, leaseEnd);
    const merchant = { id: harness.merchant.id, weight: 1 };
    data = { keys: KEYS, merchant, leaseEnd: leaseEnd.toISOString() };
  });
  afterEach(() => harness.close());

  const waiting = sql<{ key: string }>(
    'test_waiting_keys',
    `SELECT key FROM scheduled_jobs WHERE visible_at = 'infinity' ORDER BY key`,
  );
  const waitingKeys = async () => (await run(harness.ctx.db, waiting, [])).map(({ key }) => key);
  const runInSlots = (work: (key: string) => Promise<void>) =>
    turns.runInSlots(harness.ctx, { queue: 'sandbox', name: job.name, data }, ({ keys }) =>
      work(keys.join()),
    );

  it('takes a slot for each, and makes those wait for their turn for which there is none', async () => {
    const ran: string[] = [];
    await runInSlots((key) => Promise.resolve(void ran.push(key)));
    expect(ran).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(await waitingKeys()).to.deep.equal(['e', 'f']);
    await runInSlots((key) => Promise.resolve(void ran.push(key)));
    expect(ran.slice(4), 'once their slots were given back').to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('gives each slot back when its key has ended, while others still run', async () => {
    const ends: (() => void)[] = [];
    const running = runInSlots(() => new Promise((resolve) => ends.push(resolve)));
    const merchant = { id: harness.merchant.id, weight: 1 };
    expect(slots.enter(merchant)).to.equal(false);
    ends[0]?.();
    await new Promise(setImmediate);
    expect(slots.enter(merchant)).to.equal(true);
    for (const end of ends) end();
    await running;
  });

  it('fails with the first error once all have run, and runs the others', async () => {
    const ran: string[] = [];
    const work = (key: string) =>
      key === 'b' ? Promise.reject(new Error('b is poisoned')) : Promise.resolve(void ran.push(key));
    const failure = await runInSlots(work).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).and.to.include({ message: 'b is poisoned' });
    expect(ran).to.deep.equal(['a', 'c', 'd']);
  });
});
