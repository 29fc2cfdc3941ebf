import { idempotencyHandlers } from '../domain/idempotency/worker.ts';
import { opsHandlers } from '../domain/ops/worker.ts';
import { paymentHandlers } from '../domain/payments/worker.ts';
import { sandboxHandlers } from '../domain/sandbox/worker.ts';
import type { Exchange } from '../domain/webhooks/exchange.ts';
import { webhookHandlers } from '../domain/webhooks/worker.ts';
import type { Handler } from '../platform/job.ts';

/** Every handler: the jobs on one page. */
export function allHandlers(exchange: Exchange): readonly Handler[] {
  return [
    ...paymentHandlers,
    ...webhookHandlers(exchange),
    ...sandboxHandlers,
    ...idempotencyHandlers,
    ...opsHandlers,
  ];
}
