import { allHandlers } from '../../src/background/workers.ts';
import { realOutside } from '../../src/domain/sandbox/outside.ts';
import { createExchange } from '../../src/domain/webhooks/exchange.ts';
import { endpointsWith } from '../../src/http/routes.ts';

const exchange = createExchange({ allowPrivate: false, timeoutMs: 1, userAgent: 'nobody' });

/** Every endpoint that a process can have, for tests that are made from the list: to be read, not to be handled. */
export const ENDPOINTS = endpointsWith({
  exchange,
  sandbox: { outside: realOutside(exchange), handlersFor: allHandlers },
});
