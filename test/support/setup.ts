import { migrateQueues } from '../../src/background/queues.ts';
import { migrateToLatest } from '../../src/platform/migrate.ts';
import { startTestPostgres } from './postgres.ts';

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
}
