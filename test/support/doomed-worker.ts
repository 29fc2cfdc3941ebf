/**
 * A worker process that is made to be killed: it says on standard output how far it has come, and goes no
 * further. Started by `test/background/crash.test.ts` with DOOM as JSON.
 */
import { openQueueEngine, type JobQueue } from '../../src/background/queues.ts';
import { relayOnce, type RelayTargets } from '../../src/background/relay/relay.ts';
import { QueueRoom } from '../../src/background/relay/room.ts';
import { startBackground } from '../../src/background/start.ts';
import { createHandlers } from '../../src/background/workers.ts';
import { createAdapters } from '../../src/domain/adapters.ts';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import type { Context } from '../../src/platform/context.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import { QUEUE_NAMES } from '../../src/platform/job.ts';
import { createLog } from '../../src/platform/log.ts';

export interface Doom {
  readonly env: Environment;
  /** Its clock is fixed at this time. */
  readonly now: string;
  /**
   * `leased`: jobs are leased in Postgres, and in no queue. `handed over`: the jobs are in the queue, and
   * none has run. `working`: all workers run, and the test decides when to kill.
   */
  readonly moment: 'leased' | 'handed over' | 'working';
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
  console.log(doom.moment);
} else {
  const engine = openQueueEngine(config, ctx.log);
  const handlers = createHandlers(createAdapters(config));
  const jobs = new Map([...handlers].map(([name, { job }]) => [name, job]));
  const targets: RelayTargets = {
    jobs,
    queues: new Map(QUEUE_NAMES.map((name) => [name, stopping(engine.openQueue(name))])),
    room: new QueueRoom(jobs),
  };
  await relayOnce(ctx, targets);
  console.log(doom.moment);
  // Postgres' connections keep the process alive until it is killed.
}

function stopping(queue: JobQueue): JobQueue {
  if (doom.moment !== 'leased') return queue;
  return Object.assign(Object.create(queue) as JobQueue, {
    addBulk() {
      console.log(doom.moment);
      return new Promise(() => undefined);
    },
  });
}
