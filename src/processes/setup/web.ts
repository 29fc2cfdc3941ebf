import { createBoard } from '../../background/board.ts';
import { openQueueEngine } from '../../background/queues.ts';
import { createHandlers } from '../../background/workers.ts';
import { closeAdapters, createAdapters } from '../../domain/adapters.ts';
import type { AppOptions } from '../../http/app.ts';
import { BOARD_PATH, operatorPages } from '../../http/operators/pages.ts';
import { probes } from '../../http/operators/probes.ts';
import { startOperatorServer } from '../../http/operators/server.ts';
import { STUCK_PATH } from '../../http/operators/stuck.ts';
import type { Context } from '../../platform/context.ts';
import { QUEUE_NAMES } from '../../platform/job.ts';
import type { Lifetime } from './lifetime.ts';

/**
 * Opens what a web process serves requests with, and the operators' port where there is one. All of it is
 * closed with the process, after what was opened later: call this before the server starts.
 */
export async function openWeb(
  ctx: Context,
  lifetime: Lifetime,
): Promise<Pick<AppOptions, 'adapters' | 'sandbox' | 'admin'>> {
  const adapters = createAdapters(ctx.config);
  lifetime.own(() => closeAdapters(adapters));
  const admin = openOperatorPages(ctx, () => lifetime.isDraining());
  lifetime.own(() => admin.close());
  const sandbox = ctx.config.sandbox ? { adapters, handlersFor: createHandlers } : null;
  const { adminPort } = ctx.config;
  if (adminPort === null) return { adapters, sandbox, admin: admin.pages };
  const server = await startOperatorServer(ctx, adminPort, admin.probes, admin.pages);
  lifetime.own(() => server.close());
  ctx.log.info('operators served on their own port', { port: server.port });
  return { adapters, sandbox, admin: null };
}

/** The operators' pages, null when ADMIN_PASSWORD is not set, and the probes. */
export function openOperatorPages(
  ctx: Context,
  isDraining: () => boolean = () => false,
): {
  pages: AppOptions['admin'];
  probes: NonNullable<AppOptions['admin']>;
  close(): Promise<void>;
} {
  const { adminPassword, adminPort, boardWrite } = ctx.config;
  const checks = probes(ctx, isDraining);
  if (adminPassword === null) return { pages: null, probes: checks, close: () => Promise.resolve() };
  const engine = openQueueEngine(ctx.config, ctx.log);
  const queues = QUEUE_NAMES.map((name) => engine.openQueue(name));
  const links = [{ text: 'Stuck jobs', url: STUCK_PATH }];
  const board = createBoard(queues, BOARD_PATH, { canWrite: boardWrite, links });
  return {
    pages: operatorPages(ctx, adminPassword, board, adminPort === null ? checks : null),
    probes: checks,
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await engine.close();
    },
  };
}
