import { startWeb } from '../http/start.ts';
import { openAdmin } from './board.ts';
import { configOrExit, createContext, drainOnSignal, runMain, WEB_DB } from './setup.ts';

runMain(async () => {
  const config = configOrExit();
  const ctx = createContext('web', config, WEB_DB);
  const admin = openAdmin(ctx);
  const web = await startWeb(ctx, admin.pages);
  ctx.log.info('listening', { host: config.host, port: web.port, public_url: config.publicUrl });
  drainOnSignal(ctx.log, async () => {
    await web.close();
    await admin.close();
    await ctx.db.destroy();
  });
});
