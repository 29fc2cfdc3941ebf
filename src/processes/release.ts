import { migrateQueues } from '../background/queues.ts';
import { StartError } from '../platform/config/config.ts';
import { createLog } from '../platform/log.ts';
import { MigrationError, migrateToLatest, type MigrateOptions } from '../platform/postgres/migrate.ts';
import { assertSession } from '../platform/postgres/pooler.ts';
import { runMain, type Lifetime } from './setup/lifetime.ts';
import { configFrom, directVariable } from './setup/context.ts';

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const config = configFrom(process.env, { showsLinks: false });
  const log = (lifetime.log = createLog(config, { process: 'release' }));
  const url = config.databaseDirectUrl;
  await assertSession(url, { who: 'the release', variable: directVariable(config) });
  const report: MigrateOptions['report'] = (level, message, fields) => void log.log(level, message, fields);
  const migrations = await migrateToLatest(url, { report }).catch((error: unknown) => {
    throw error instanceof MigrationError ? new StartError(error.message, { cause: error }) : error;
  });
  if (config.redisUrl === null) await migrateQueues(url);
  log.info('database is up to date', { migrations, queues: config.redisUrl === null ? 'postgres' : 'redis' });
}
