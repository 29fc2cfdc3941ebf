import { setTimeout as sleep } from 'node:timers/promises';
import { migrateQueues } from '../../src/background/queues.ts';
import { migrateToLatest } from '../../src/platform/postgres/migrate.ts';
import { refuseUndocumented } from './documented.ts';
import { describeEngines, stopEngines } from './engines.ts';
import { startTestPostgres } from './postgres.ts';
import { recordUnhandled, refuseUnhandled } from './unhandled.ts';

/** What is closing when the last test ends, such as a connection that is being ended, takes far less. */
const LEFTOVERS_MS = 30_000;
const LOOK_EVERY_MS = 5;

let stopPostgres: (() => Promise<void>) | undefined;

/**
 * Once per run, before all tests and in mocha's main process: Postgres, with a template that holds the newest
 * schema and the queues' tables.
 */
export async function mochaGlobalSetup(): Promise<void> {
  console.log(describeEngines());
  stopPostgres = await startTestPostgres(async (databaseUrl) => {
    await migrateToLatest(databaseUrl);
    await migrateQueues(databaseUrl);
  });
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopPostgres?.();
  refuseLeftovers();
}

let openBefore: readonly string[] = [];

/**
 * Around all tests of a process: of the run, or with `--parallel` of one file, whose process mocha ends
 * whatever is still open. A test that leaves a timer or a server open would keep a run from ending: it fails.
 */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    // Node opens these when they are first asked for, which a test may be the one to do; a pipe counts as
    // open.
    void [process.stdout, process.stderr];
    openBefore = await openResources();
    recordUnhandled();
    // Added now, and so behind the hooks of the files: they close what their tests share.
    this.test?.parent?.afterAll('nothing is left open', refuseOpenResources);
    this.test?.parent?.afterAll('every error was handled', refuseUnhandled);
    this.test?.parent?.afterAll('every response was documented', refuseUndocumented);
  },
  afterEach: refuseUndocumented,
};

async function refuseOpenResources(): Promise<void> {
  await stopEngines();
  const end = performance.now() + LEFTOVERS_MS;
  for (;;) {
    const left = without(await openResources(), openBefore);
    if (left.length === 0) return;
    if (performance.now() > end)
      throw new Error(`The tests are over, and this is still open: ${left.join(', ')}`);
  }
}

/** What keeps this process alive: mocha's timer for the hook that asks is among it, once the hook waits. */
async function openResources(): Promise<string[]> {
  await sleep(LOOK_EVERY_MS);
  return process.getActiveResourcesInfo();
}

/** The names of `all` without one for each of `taken`. */
function without(all: readonly string[], taken: readonly string[]): string[] {
  const rest = [...all];
  for (const name of taken) {
    const at = rest.indexOf(name);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}

/** What the hooks do not see: what is open since before the tests, or is opened after them. */
function refuseLeftovers(): void {
  const refuse = () => {
    console.error(`The run is over, and this is still open: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  };
  setTimeout(refuse, LEFTOVERS_MS).unref();
}
