import express, { type RequestHandler, type Router } from 'express';
import { listStuck, stuckText } from '../../domain/ops/stuck.ts';
import type { Context } from '../../platform/context.ts';
import type { HealthState } from './health-metrics.ts';
import { boundedLists, operatorHeaders, readOnly } from './guards.ts';
import { createMetrics, labelsOf, PATIENCE_MS, scrape } from './metrics.ts';
import { PAYMENTS_PATH, paymentsPage, type JobSearch } from './payments/page.ts';
import { signIn } from './sign-in.ts';

export const BOARD_PATH = '/admin/queues';
/** Beside the board, which links to it. */
export const STUCK_PATH = '/admin/stuck';

/** The queues' board, and the search for jobs on it. */
export interface OperatorBoard {
  readonly handler: RequestHandler;
  readonly find: JobSearch;
}

/**
 * The operators' pages, behind basic auth with the user `admin`: metrics for Prometheus, the stuck jobs, the
 * payments with their work, and the queues' board where there is one. A metric that takes longer than
 * `patienceMs` is absent.
 */
export function operatorPages(
  ctx: Context,
  password: string,
  board: OperatorBoard | null,
  health: HealthState,
  patienceMs = PATIENCE_MS,
): Router {
  const router = express.Router();
  const { registry, failedSignIns } = createMetrics(ctx, health);
  const guard: RequestHandler[] = [
    operatorHeaders,
    signIn(ctx, password, (outcome) => failedSignIns.inc({ outcome })),
  ];
  if (board !== null) router.use(BOARD_PATH, guard, readOnly, boundedLists, board.handler);
  router.get(PAYMENTS_PATH, ...guard, paymentsPage(ctx, board?.find ?? (() => Promise.resolve([]))));
  router.get(STUCK_PATH, ...guard, stuckPage(ctx));
  router.get('/metrics', ...guard, async (_request, response) => {
    response.type(registry.contentType).send(await scrape(registry, labelsOf(ctx), patienceMs));
  });
  return router;
}

/** The page of stuck jobs: parked ones are in no queue, so the board itself cannot show them. */
function stuckPage({ db }: Context): RequestHandler {
  return async (_request, response) => {
    const jobs = await listStuck(db, { job: null, key: null });
    response.type('text/plain').send(`${stuckText(jobs)}\n`);
  };
}
