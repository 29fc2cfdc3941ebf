import { createBoard } from '../../background/board.ts';
import { openQueueEngine } from '../../background/queues.ts';
import { adminPages, BOARD_PATH } from '../../http/operators/pages.ts';
import type { Context } from '../../platform/context.ts';
import { QUEUE_NAMES } from '../../platform/job.ts';

/** The operators' pages; null when ADMIN_PASSWORD is not set. */
export function openAdmin(ctx: Context): {
  pages: ReturnType<typeof adminPages> | null;
  close(): Promise<void>;
} {
  const { adminPassword } = ctx.config;
  if (adminPassword === null) return { pages: null, close: () => Promise.resolve() };
  const engine = openQueueEngine(ctx.config, ctx.log);
  const queues = QUEUE_NAMES.map((name) => engine.openQueue(name));
  return {
    pages: adminPages(ctx, adminPassword, createBoard(queues, BOARD_PATH)),
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await engine.close();
    },
  };
}
