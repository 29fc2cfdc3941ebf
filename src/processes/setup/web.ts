import type { OperatorQueues } from '../../background/board/board.ts';
import { createHandlers } from '../../background/workers.ts';
import { closeAdapters, createAdapters } from '../../domain/adapters.ts';
import { followServed } from '../../domain/payments/sync/served.ts';
import type { AppOptions } from '../../http/app.ts';
import { BOARD_PATH, operatorPages, STUCK_PATH, type OperatorBoard } from '../../http/operators/pages.ts';
import { PAYMENTS_PATH } from '../../http/operators/payments/page.ts';
import { probes } from '../../http/operators/probes.ts';
import type { HealthState } from '../../http/operators/health-metrics.ts';
import { startOperatorServer } from '../../http/operators/server.ts';
import type { Context } from '../../platform/context.ts';
import type { Lifetime } from './lifetime.ts';

/**
 * Opens what a web process serves requests with, and the operators' port where there is one. All of it is
 * closed with the process, after what was opened later: call this before the server starts.
 */
export async function openWeb(
  ctx: Context,
  lifetime: Lifetime,
  state: HealthState,
): Promise<Pick<AppOptions, 'adapters' | 'sandbox' | 'admin' | 'probes' | 'health'>> {
  const networks = await followServed(ctx);
  lifetime.own('networks', () => networks.close());
  const adapters = createAdapters(ctx.config, { served: networks.served });
  lifetime.own('adapters', () => closeAdapters(adapters));
  const { health } = state;
  const ready = probes({ health, clock: ctx.clock, isDraining: () => lifetime.isDraining() });
  const admin = openOperatorPages(ctx, state);
  lifetime.own("operators' pages", () => admin.close());
  const sandbox = ctx.config.sandbox ? { adapters, handlersFor: createHandlers } : null;
  const { adminPort } = ctx.config;
  const options = { adapters, sandbox, probes: ready, health };
  if (adminPort === null) return { ...options, admin: admin.pages };
  const server = await startOperatorServer(ctx, adminPort, ready, admin.pages);
  lifetime.own("operators' server", () => server.close());
  ctx.log.info('operators served on their own port', { port: server.port });
  return { ...options, admin: null };
}

/** The operators' pages, null when ADMIN_PASSWORD is not set. */
export function openOperatorPages(
  ctx: Context,
  state: HealthState,
): { pages: AppOptions['admin']; close(): Promise<void> } {
  const { adminPassword } = ctx.config;
  if (adminPassword === null) return { pages: null, close: () => Promise.resolve() };
  const place = {
    path: BOARD_PATH,
    links: [
      { text: 'Stuck jobs', url: STUCK_PATH },
      { text: 'Find a payment', url: PAYMENTS_PATH },
    ],
    urlOf: (keys: readonly string[]) => `${PAYMENTS_PATH}?id=${encodeURIComponent(keys.join(','))}`,
  };
  let opened: Promise<OperatorQueues> | null = null;
  // When an operator first looks: a start need not wait for BullMQ and its board.
  const open = async () => (await import('../../background/board/board.ts')).openOperatorQueues(ctx, place);
  const queues = () => {
    opened ??= open().catch((error: unknown) => {
      // The next one who looks tries again.
      opened = null;
      throw error;
    });
    return opened;
  };
  const board: OperatorBoard = {
    handler: (request, response, next) => queues().then((its) => its.board(request, response, next), next),
    find: async (keys) => (await queues()).find(keys),
  };
  return {
    pages: operatorPages(ctx, adminPassword, board, {
      ...state,
      queueJobs: async () => (await queues()).count(),
    }),
    close: async () => (await opened)?.close(),
  };
}
