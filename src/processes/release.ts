import { migrateQueues } from '../background/queues.ts';
import { createLog } from '../platform/log.ts';
import { migrateToLatest } from '../platform/postgres/migrate.ts';
import { runMain, type Lifetime } from './setup/lifetime.ts';
import { configFrom } from './setup/context.ts';

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const config = configFrom(process.env, { showsLinks: false });
  const log = (lifetime.log = createLog(config, { process: 'release' }));
  const migrations = await migrateToLatest(config.databaseUrl);
  if (config.redisUrl === null) await migrateQueues(config.databaseUrl);
  log.info('database is up to date', { migrations, queues: config.redisUrl === null ? 'postgres' : 'redis' });
}
