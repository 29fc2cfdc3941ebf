import type { Adapters } from '../domain/adapters.ts';
import { eventHandlers } from '../domain/events/worker.ts';
import { idempotencyHandlers } from '../domain/idempotency/worker.ts';
import { opsHandlers } from '../domain/ops/worker.ts';
import { paymentHandlers } from '../domain/payments/worker.ts';
import { receiptHandlers } from '../domain/receipts/worker.ts';
import { sandboxHandlers } from '../domain/sandbox/worker.ts';
import { walletHandlers } from '../domain/wallets/worker.ts';
import { webhookHandlers } from '../domain/webhooks/worker.ts';
import type { Handlers } from '../domain/schedule/job.ts';

/** Every handler, with the adapters that it uses: the jobs on one page. */
export function createHandlers(adapters: Adapters): Handlers {
  const handlers = [
    ...paymentHandlers(adapters),
    ...eventHandlers(adapters.receiver),
    ...webhookHandlers(adapters),
    ...walletHandlers(adapters),
    ...receiptHandlers(adapters),
    ...sandboxHandlers(adapters),
    ...idempotencyHandlers,
    ...opsHandlers,
  ];
  return new Map(handlers.map((handler) => [handler.job.name, handler]));
}
