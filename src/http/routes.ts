import { eventEndpoints } from '../domain/events/routes.ts';
import { statusEndpoints } from '../domain/ops/routes.ts';
import { paymentEndpoints } from '../domain/payments/routes.ts';
import type { Sandbox } from '../domain/sandbox/outside.ts';
import { sandboxEndpoints, storyEndpoints } from '../domain/sandbox/routes.ts';
import { webhookEndpoints } from '../domain/webhooks/routes.ts';
import type { Endpoint } from '../platform/endpoint.ts';

/** The API on one page: what every merchant uses, */
export const merchantEndpoints: readonly Endpoint[] = [
  ...statusEndpoints,
  ...paymentEndpoints,
  ...webhookEndpoints,
  ...eventEndpoints,
];

/** and what test merchants play with. Stories need hands that do due work within a request. */
export const endpoints: readonly Endpoint[] = [...merchantEndpoints, ...sandboxEndpoints];

/** The endpoints of a process; `sandbox` is null where the sandbox is switched off. */
export function endpointsWith(sandbox: Sandbox | null): readonly Endpoint[] {
  return sandbox === null ? merchantEndpoints : [...endpoints, ...storyEndpoints(sandbox)];
}
