import { appearanceEndpoints } from '../domain/checkout/routes.ts';
import { eventEndpoints } from '../domain/events/routes.ts';
import type { HealthSource } from '../domain/ops/health/monitor.ts';
import { statusEndpoints } from '../domain/ops/routes.ts';
import { linkEndpoints } from '../domain/links/routes.ts';
import { paymentEndpoints } from '../domain/payments/routes.ts';
import type { Adapters } from '../domain/adapters.ts';
import { sandboxEndpoints } from '../domain/sandbox/routes.ts';
import type { Sandbox } from '../domain/sandbox/test-clock/sandbox.ts';
import { deliveryEndpoints } from '../domain/webhooks/delivery-routes.ts';
import { registrationEndpoints } from '../domain/webhooks/registration-routes.ts';
import { signingEndpoints } from '../domain/webhooks/signing-routes.ts';
import { webhookEndpointEndpoints } from '../domain/webhooks/endpoint-routes.ts';
import { walletEndpoints } from '../domain/wallets/routes.ts';
import { receiverCheckEndpoints, webhookEndpoints } from '../domain/webhooks/routes.ts';
import type { Endpoint } from '../domain/api/endpoint.ts';

/** What endpoints depend on besides the database. */
export interface Dependencies {
  readonly adapters: Adapters;
  /** What test merchants control; null: the sandbox is off. */
  readonly sandbox: Sandbox | null;
  readonly health: HealthSource;
}

/** The API on one page: what every merchant calls, and what only test merchants can. */
export function createEndpoints({ adapters, sandbox, health }: Dependencies): readonly Endpoint[] {
  return [
    ...statusEndpoints(health),
    ...paymentEndpoints(adapters),
    ...linkEndpoints,
    ...webhookEndpoints,
    ...webhookEndpointEndpoints,
    ...registrationEndpoints,
    ...signingEndpoints,
    ...deliveryEndpoints,
    ...receiverCheckEndpoints(adapters),
    ...eventEndpoints,
    ...walletEndpoints,
    ...appearanceEndpoints(adapters),
    ...(sandbox === null ? [] : sandboxEndpoints(sandbox)),
  ];
}
