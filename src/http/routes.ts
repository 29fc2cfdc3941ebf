import { eventEndpoints } from '../domain/events/routes.ts';
import { statusEndpoints } from '../domain/ops/routes.ts';
import { paymentEndpoints } from '../domain/payments/routes.ts';
import type { Sandbox } from '../domain/adapters.ts';
import { sandboxEndpoints, testClockEndpoints } from '../domain/sandbox/routes.ts';
import { deliveryEndpoints } from '../domain/webhooks/delivery-routes.ts';
import type { WebhookClient } from '../domain/webhooks/client/client.ts';
import { receiverCheckEndpoints, webhookEndpoints } from '../domain/webhooks/routes.ts';
import type { Endpoint } from '../platform/endpoint.ts';

/** What endpoints reach beyond the database. */
export interface Reach {
  /** The way out to the merchants' receivers. */
  readonly exchange: WebhookClient;
  /** What does due work within a request, for test payments whose time is wound; null: no sandbox. */
  readonly sandbox: Sandbox | null;
}

/** The API on one page: what every merchant uses, and what test merchants play with. */
export function createEndpoints({ exchange, sandbox }: Reach): readonly Endpoint[] {
  return [
    ...statusEndpoints,
    ...paymentEndpoints,
    ...webhookEndpoints,
    ...deliveryEndpoints,
    ...receiverCheckEndpoints(exchange),
    ...eventEndpoints,
    ...(sandbox === null ? [] : [...sandboxEndpoints, ...testClockEndpoints(sandbox)]),
  ];
}
