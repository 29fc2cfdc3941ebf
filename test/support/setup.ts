import { migrateQueues } from '../../src/background/queues.ts';
import { migrateToLatest } from '../../src/platform/postgres/migrate.ts';
import { startTestPostgres } from './postgres.ts';

/** What is closing when the last test ends, such as a connection that is being ended, takes far less. */
const LEFTOVERS_MS = 30_000;

let stopPostgres: (() => Promise<void>) | undefined;

/** Once per run, before all tests: Postgres, with a template that holds the newest schema and the queues' tables. */
export async function mochaGlobalSetup(): Promise<void> {
  stopPostgres = await startTestPostgres(async (databaseUrl) => {
    await migrateToLatest(databaseUrl);
    await migrateQueues(databaseUrl);
  });
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopPostgres?.();
  refuseLeftovers();
}

/** A test that leaves a timer or a server open would keep the run from ending, without a word: it fails instead, and says what is left. */
function refuseLeftovers(): void {
  const refuse = () => {
    console.error(
      `The tests are over, and this is still open: ${process.getActiveResourcesInfo().join(', ')}`,
    );
    process.exit(1);
  };
  setTimeout(refuse, LEFTOVERS_MS).unref();
}
