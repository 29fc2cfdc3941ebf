import { timingSafeEqual, createHash } from 'node:crypto';
import express, { type RequestHandler, type Router } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { overdue } from '../../domain/schedule/lease.ts';
import type { Context } from '../../platform/context.ts';
import { unhandledErrors } from '../../platform/unhandled.ts';

export const BOARD_PATH = '/admin/queues';

/** The operators' pages, behind basic auth with the user `admin`: the queues, and metrics for Prometheus. */
export function operatorPages(ctx: Context, password: string, board: RequestHandler): Router {
  const router = express.Router();
  const guard = basicAuth(password);
  const registry = createMetrics(ctx);
  router.use(BOARD_PATH, guard, board);
  router.get('/metrics', guard, async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  return router;
}

function basicAuth(password: string): RequestHandler {
  const expected = digest(`Basic ${Buffer.from(`admin:${password}`).toString('base64')}`);
  return (request, response, next) => {
    // Digests have one length, so that the comparison does not reveal the password's.
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return next();
    response
      .status(401)
      .set('WWW-Authenticate', 'Basic realm="operators", charset="UTF-8"')
      .send('Password needed.');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function createMetrics(ctx: Context): Registry {
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
  registry.registerMetric(count);
  registry.registerMetric(oldest);
  return registry;
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
