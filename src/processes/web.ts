import { startWeb } from '../http/start.ts';
import { openAdmin } from './setup/board.ts';
import { openReach } from './setup/adapters.ts';
import { runMain } from './setup/lifetime.ts';
import { assertReleasedIfThere, configFrom, createContext, WEB_DB } from './setup/context.ts';

runMain(async (lifetime) => {
  const config = configFrom(process.env);
  const ctx = createContext(lifetime, 'web', config, WEB_DB);
  await assertReleasedIfThere(ctx, config.adminPassword !== null);
  const admin = openAdmin(ctx);
  lifetime.own(() => admin.close());
  const web = await startWeb(ctx, { admin: admin.pages, ...openReach(config, lifetime) });
  lifetime.own(() => web.close());
  ctx.log.info('listening', { host: config.host, port: web.port, public_url: config.publicUrl });
});
