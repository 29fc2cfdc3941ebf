import { createHandlers } from '../../src/background/workers.ts';
import { createAdapters } from '../../src/domain/adapters.ts';
import { createEndpoints } from '../../src/http/routes.ts';

const adapters = createAdapters({ allowPrivateNetworks: false, webhookTimeoutSeconds: 1 });

/** Every endpoint that a process can have, for tests that are made from the list: to be read, not to be handled. */
export const ENDPOINTS = createEndpoints({ adapters, sandbox: { adapters, handlersFor: createHandlers } });
