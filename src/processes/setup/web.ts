import { createBoard } from '../../background/board.ts';
import { openQueueEngine } from '../../background/queues.ts';
import { createHandlers } from '../../background/workers.ts';
import { closeAdapters, createAdapters } from '../../domain/adapters.ts';
import type { AppOptions } from '../../http/app.ts';
import { BOARD_PATH, operatorPages } from '../../http/operators/pages.ts';
import { STUCK_PATH } from '../../http/operators/stuck.ts';
import type { Context } from '../../platform/context.ts';
import { QUEUE_NAMES } from '../../platform/job.ts';
import type { Lifetime } from './lifetime.ts';

/**
 * Opens what a web process serves requests with. All of it is closed with the process, after what was opened
 * later: call this before the server starts.
 */
export function openWeb(
  ctx: Context,
  lifetime: Lifetime,
): Pick<AppOptions, 'adapters' | 'sandbox' | 'admin'> {
  const adapters = createAdapters(ctx.config);
  lifetime.own(() => closeAdapters(adapters));
  const admin = openOperatorPages(ctx);
  lifetime.own(() => admin.close());
  const sandbox = ctx.config.sandbox ? { adapters, handlersFor: createHandlers } : null;
  return { adapters, sandbox, admin: admin.pages };
}

/** The operators' pages; null when ADMIN_PASSWORD is not set. */
export function openOperatorPages(ctx: Context): {
  pages: AppOptions['admin'];
  close(): Promise<void>;
} {
  const { adminPassword } = ctx.config;
  if (adminPassword === null) return { pages: null, close: () => Promise.resolve() };
  const engine = openQueueEngine(ctx.config, ctx.log);
  const queues = QUEUE_NAMES.map((name) => engine.openQueue(name));
  const links = [{ text: 'Stuck jobs', url: STUCK_PATH }];
  return {
    pages: operatorPages(ctx, adminPassword, createBoard(queues, BOARD_PATH, links)),
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await engine.close();
    },
  };
}
