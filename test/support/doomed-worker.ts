/**
 * A worker process that is made to be killed: it says on standard output how far it has come, and goes no
 * further. Started by `test/background/crash.slow.test.ts` with DOOM as JSON.
 */
import { QueueEnqueuer } from '../../src/background/enqueuer.ts';
import { openQueueEngine } from '../../src/background/queues.ts';
import { startBackground } from '../../src/background/start.ts';
import { dispatchEvent } from '../../src/domain/outbox/jobs.ts';
import { beatWorker, LEASE_SECONDS } from '../../src/domain/schedule/beats.ts';
import { leaseDue } from '../../src/domain/schedule/lease.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import type { Context } from '../../src/platform/context.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { createLog } from '../../src/platform/log.ts';

export interface Doom {
  readonly env: Environment;
  /** Its clock is fixed at this time. */
  readonly now: string;
  /**
   * `leased`: dispatches are leased, and none has run. `enqueued`: a run of them is in the queue. `working`:
   * all workers run, and the test decides when to kill.
   */
  readonly moment: 'leased' | 'enqueued' | 'working';
}

const doom = JSON.parse(process.env.DOOM ?? '') as Doom;
const config = readConfig(doom.env, QUEUE_NAMES);
const ctx: Context = {
  config,
  log: createLog(config, { process: 'doomed' }),
  db: openDb({ url: config.databaseUrl, poolSize: 5, acquireMs: 5_000, queryMs: 5_000, name: 'doomed' }),
  now: () => new Date(doom.now),
  systemNow: () => new Date(doom.now),
  random: Math.random,
  testClock: null,
};

if (doom.moment === 'working') {
  await startBackground(ctx);
} else if (doom.moment === 'leased') {
  const [worker, now] = ['doomed', ctx.now()];
  await beatWorker(ctx.db, worker, true);
  const leaseEnd = addSeconds(now, LEASE_SECONDS);
  await leaseDue(ctx.db, { job: dispatchEvent.name, count: 100, now, leaseEnd, worker });
} else {
  const engine = openQueueEngine(config, ctx.log);
  const enqueuer = new QueueEnqueuer((name) => Promise.resolve(engine.openQueue(name)), ctx);
  enqueuer.enqueueRun(dispatchEvent);
  await enqueuer.close();
}
console.log(doom.moment);
// Postgres' connections keep the process alive until it is killed.
