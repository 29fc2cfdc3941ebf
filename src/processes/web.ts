import { startWeb } from '../http/start.ts';
import { isLoopbackUrl } from '../platform/config/production.ts';
import { runMain } from './setup/lifetime.ts';
import { assertReleasedIfReachable, configFrom, createContext, WEB_DB } from './setup/context.ts';
import { openWeb } from './setup/web.ts';

runMain(async (lifetime) => {
  const config = configFrom(process.env);
  const ctx = createContext(lifetime, 'web', config, WEB_DB);
  await assertReleasedIfReachable(ctx, config.adminPassword !== null);
  const web = await startWeb(ctx, await openWeb(ctx, lifetime));
  lifetime.own(() => web.close());
  if (config.production && isLoopbackUrl(config.publicUrl))
    ctx.log.warn('PUBLIC_URL names this machine: customers cannot open the checkout links', {
      public_url: config.publicUrl,
    });
  ctx.log.info('listening', { host: config.host, port: web.port, public_url: config.publicUrl });
});
