import { allHandlers } from '../../src/background/workers.ts';
import { realOutside } from '../../src/domain/adapters.ts';
import { createWebhookClient } from '../../src/domain/webhooks/client/client.ts';
import { createEndpoints } from '../../src/http/routes.ts';

const webhookClient = createWebhookClient({ allowPrivate: false, timeoutMs: 1, userAgent: 'nobody' });

/** Every endpoint that a process can have, for tests that read the list; nothing calls the handlers. */
export const ENDPOINTS = createEndpoints({
  exchange: webhookClient,
  sandbox: { outside: realOutside(webhookClient), handlersFor: allHandlers },
});
