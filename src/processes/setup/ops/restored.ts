import { afterRestore, restoreText, servingNow } from '../../../domain/ops/restored.ts';
import { StartError } from '../../../platform/config/config.ts';
import { openDb } from '../../../platform/postgres/db.ts';
import type { OpsCommand } from './command.ts';

/** Numbering a large feed again takes minutes. */
const RESTORE_DB = { poolSize: 2, acquireMs: 10_000, queryMs: 3_600_000, name: 'ops restored' };

export const restoredCommand: OpsCommand = {
  summary: 'after a backup was restored: the event feed begins again; prints what to check',
  description:
    'While no web, worker or watcher runs. Cursors from before the restore get 400 from then on, and all events are ' +
    'in the feed again, in their order.',
  options: {},
  changes: () => true,
  async run(ctx) {
    const serving = await servingNow(ctx.db);
    if (serving.length > 0)
      throw new StartError(
        `Stop every web, worker and watcher first. These are connected: ${serving.join(', ')}.`,
      );
    const db = openDb({ url: ctx.config.databaseUrl, ...RESTORE_DB });
    try {
      const facts = await afterRestore({ ...ctx, db });
      return { facts: { ...facts }, text: restoreText(facts), changed: { ...facts } };
    } finally {
      await db.destroy();
    }
  },
};
