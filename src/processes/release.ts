import { migrateQueues } from '../background/queues.ts';
import { createLog } from '../platform/log.ts';
import { migrateToLatest } from '../platform/migrate.ts';
import { configOrExit, runMain } from './setup.ts';

runMain(async () => {
  const config = configOrExit();
  const log = createLog(config, { process: 'release' });
  const migrations = await migrateToLatest(config.databaseUrl);
  if (config.redisUrl === null) await migrateQueues(config.databaseUrl);
  log.info('database is up to date', { migrations, queues: config.redisUrl === null ? 'postgres' : 'redis' });
});
