import { statusEndpoints } from '../domain/ops/routes.ts';
import { paymentEndpoints } from '../domain/payments/routes.ts';
import { sandboxEndpoints } from '../domain/sandbox/routes.ts';
import { webhookEndpoints } from '../domain/webhooks/routes.ts';
import type { Endpoint } from '../platform/endpoint.ts';

/** The API on one page. */
export const endpoints: readonly Endpoint[] = [
  ...statusEndpoints,
  ...paymentEndpoints,
  ...webhookEndpoints,
  ...sandboxEndpoints,
];
