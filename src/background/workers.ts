import type { Adapters } from '../domain/adapters.ts';
import { eventHandlers } from '../domain/events/worker.ts';
import { idempotencyHandlers } from '../domain/idempotency/worker.ts';
import { opsHandlers } from '../domain/ops/worker.ts';
import { overviewHandlers } from '../domain/overview/worker.ts';
import { paymentHandlers } from '../domain/payments/worker.ts';
import { peopleHandlers } from '../domain/people/worker.ts';
import { receiptHandlers } from '../domain/receipts/worker.ts';
import { sandboxHandlers } from '../domain/sandbox/worker.ts';
import { walletHandlers } from '../domain/wallets/worker.ts';
import { webhookHandlers } from '../domain/webhooks/worker.ts';
import type { Handlers } from '../domain/schedule/job.ts';
import { ensureScheduled } from '../domain/schedule/store.ts';
import type { Context } from '../platform/context.ts';

/** Every handler, with the adapters that it uses: the jobs on one page. */
export function createHandlers(adapters: Adapters): Handlers {
  const handlers = [
    ...paymentHandlers(adapters),
    ...eventHandlers(adapters.receiver),
    ...webhookHandlers(adapters),
    ...walletHandlers(adapters),
    ...receiptHandlers(adapters),
    ...peopleHandlers(adapters),
    ...sandboxHandlers(adapters),
    ...idempotencyHandlers,
    ...overviewHandlers,
    ...opsHandlers,
  ];
  return new Map(handlers.map((handler) => [handler.job.name, handler]));
}

/**
 * Schedules the jobs that run for as long as the service does. They are scheduled jobs like any other, rows
 * in Postgres, so nothing that happens to a queue can end them. Jobs that are scheduled keep their time.
 */
export async function scheduleRecurring(ctx: Context, handlers: Handlers): Promise<void> {
  const runAt = ctx.now();
  await ensureScheduled(
    ctx.db,
    [...handlers.values()].flatMap(({ job }) =>
      job.keys.map((key) => ({ job, key, runAt, testClock: null })),
    ),
  );
}
