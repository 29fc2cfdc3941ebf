import express, { type RequestHandler, type Router } from 'express';
import type { Context } from '../../platform/context.ts';
import type { HealthState } from './health-metrics.ts';
import { operatorHeaders, readOnly } from './guards.ts';
import { createMetrics } from './metrics.ts';
import { signIn } from './sign-in.ts';
import { STUCK_PATH, stuckPage } from './stuck.ts';

export const BOARD_PATH = '/admin/queues';

/**
 * The operators' pages, behind basic auth with the user `admin`: metrics for Prometheus, the stuck jobs, and
 * the queues' board where there is one.
 */
export function operatorPages(
  ctx: Context,
  password: string,
  board: RequestHandler | null,
  health: HealthState,
): Router {
  const router = express.Router();
  const { registry, failedSignIns } = createMetrics(ctx, health);
  const guard: RequestHandler[] = [
    operatorHeaders,
    signIn(ctx, password, (outcome) => failedSignIns.inc({ outcome })),
  ];
  if (board !== null) router.use(BOARD_PATH, guard, readOnly, board);
  router.get(STUCK_PATH, ...guard, stuckPage(ctx));
  router.get('/metrics', ...guard, async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  return router;
}
