import { idempotencyHandlers } from '../domain/idempotency/worker.ts';
import { opsHandlers } from '../domain/ops/worker.ts';
import { paymentHandlers } from '../domain/payments/worker.ts';
import { receiptHandlers } from '../domain/receipts/worker.ts';
import type { Outside } from '../domain/adapters.ts';
import { sandboxHandlers } from '../domain/sandbox/worker.ts';
import { webhookHandlers } from '../domain/webhooks/worker.ts';
import type { Handler } from '../platform/job.ts';

/** Every handler: the jobs on one page, for the world outside that they are to act on. */
export function allHandlers({ exchange, conversions, receiver }: Outside): ReadonlyMap<string, Handler> {
  const handlers: readonly Handler[] = [
    ...paymentHandlers(conversions),
    ...webhookHandlers(exchange, receiver),
    ...receiptHandlers,
    ...sandboxHandlers,
    ...idempotencyHandlers,
    ...opsHandlers,
  ];
  return new Map(handlers.map((handler) => [handler.job.name, handler]));
}
