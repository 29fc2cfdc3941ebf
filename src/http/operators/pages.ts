import express, { type RequestHandler, type Router } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { feedHeldSeconds } from '../../domain/events/horizon.ts';
import { overdue } from '../../domain/schedule/lease.ts';
import type { Context } from '../../platform/context.ts';
import { unhandledErrors } from '../../platform/unhandled.ts';
import { operatorHeaders, readOnly, sameOrigin } from './guards.ts';
import { signIn } from './sign-in.ts';
import { STUCK_PATH, stuckGauge, stuckPage } from './stuck.ts';

export const BOARD_PATH = '/admin/queues';

/**
 * The operators' pages, behind basic auth with the user `admin`: the queues, and metrics for Prometheus.
 * Where they have no port of their own, the probes are here as well.
 */
export function operatorPages(
  ctx: Context,
  password: string,
  board: RequestHandler,
  probes: RequestHandler | null,
): Router {
  const router = express.Router();
  const { registry, failedSignIns } = createMetrics(ctx);
  const guard: RequestHandler[] = [
    operatorHeaders,
    signIn(ctx, password, (outcome) => failedSignIns.inc({ outcome })),
  ];
  router.use(BOARD_PATH, guard, ctx.config.boardWrite ? sameOrigin : readOnly, board);
  router.get(STUCK_PATH, ...guard, stuckPage(ctx));
  router.get('/metrics', ...guard, async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  if (probes !== null) router.get(['/livez', '/readyz'], guard, probes);
  return router;
}

function createMetrics(ctx: Context): { registry: Registry; failedSignIns: Counter<'outcome'> } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countUnhandled(registry);
  const oldest = new Gauge({
    name: 'due_work_oldest_seconds',
    help: 'How long the oldest overdue job has waited.',
    registers: [],
  });
  const count = new Gauge({
    name: 'due_work_overdue',
    help: 'Jobs that have been due for 5 s without a relay leasing them, up to 1000.',
    registers: [],
    async collect() {
      const late = await overdue(ctx.db, ctx.now());
      this.set(late.count);
      oldest.set(late.oldestSeconds);
    },
  });
  const held = new Gauge({
    name: 'feed_held_seconds',
    help: 'How long the oldest open transaction that has written events holds the event feed back.',
    registers: [],
    async collect() {
      this.set(await feedHeldSeconds(ctx.db));
    },
  });
  registry.registerMetric(held);
  registry.registerMetric(count);
  registry.registerMetric(oldest);
  registry.registerMetric(stuckGauge(ctx));
  const failedSignIns = new Counter({
    name: 'operator_sign_ins_failed_total',
    help: 'Sign-ins with a wrong password, and tries that were refused unseen after too many of them.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return { registry, failedSignIns };
}

function countUnhandled(registry: Registry): void {
  const errors = new Counter({
    name: 'unhandled_errors_total',
    help: 'Errors of this process that nothing handled. Each is a bug.',
    registers: [registry],
    collect() {
      errors.reset();
      errors.inc(unhandledErrors());
    },
  });
}
