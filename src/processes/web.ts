import { closeAdapters } from '../domain/adapters.ts';
import { startWeb } from '../http/start.ts';
import { isLoopbackUrl } from '../platform/config/production.ts';
import { assertRedis } from '../platform/redis/check.ts';
import { runMain } from './setup/lifetime.ts';
import { assertServableIfReachable, configFrom, createContext, openTraces, WEB_DB } from './setup/context.ts';
import { connectionsOf } from './setup/ops/before-start.ts';
import { openHealth } from './setup/health.ts';
import { openEnqueuer } from './setup/queues/enqueuer.ts';
import { openWeb } from './setup/web.ts';

runMain(async (lifetime) => {
  const config = configFrom(process.env);
  const ctx = createContext(lifetime, 'web', config, WEB_DB);
  await openTraces(ctx, lifetime, 'web');
  if (config.redisUrl !== null) await assertRedis(config.redisUrl);
  await assertServableIfReachable(ctx, lifetime, config.adminPassword !== null);
  const health = await openHealth(ctx, lifetime, 'web');
  const openQueues = openEnqueuer(ctx, lifetime);
  const options = await openWeb(ctx, lifetime, health);
  const web = await startWeb(ctx, options);
  // No webhook begins after the signal: a test clock's, of 15 s each, would not end with the responses.
  lifetime.own('requests', () => Promise.all([web.close(), closeAdapters(options.adapters)]));
  openQueues();
  if (config.production && isLoopbackUrl(config.publicUrl))
    ctx.log.warn('PUBLIC_URL names this machine: customers cannot open the checkout links', {
      public_url: config.publicUrl,
    });
  ctx.log.info('listening', {
    host: config.host,
    port: web.port,
    public_url: config.publicUrl,
    postgres_connections: connectionsOf('web', config),
  });
});
