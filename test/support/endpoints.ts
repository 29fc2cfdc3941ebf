import { allHandlers } from '../../src/background/workers.ts';
import { realOutside } from '../../src/domain/adapters.ts';
import { createWebhookClient } from '../../src/domain/webhooks/client/client.ts';
import { createEndpoints } from '../../src/http/routes.ts';

const exchange = createWebhookClient({ allowPrivate: false, timeoutMs: 1, userAgent: 'nobody' });

/** Every endpoint that a process can have, for tests that are made from the list: to be read, not to be handled. */
export const ENDPOINTS = createEndpoints({
  exchange,
  sandbox: { outside: realOutside(exchange), handlersFor: allHandlers },
});
