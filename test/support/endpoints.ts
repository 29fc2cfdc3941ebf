import { createHandlers } from '../../src/background/workers.ts';
import { createAdapters } from '../../src/domain/adapters.ts';
import { createEndpoints } from '../../src/http/routes.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { WELL } from './health.ts';

const adapters = createAdapters(readConfig({ NODE_ENV: 'test', DATABASE_URL: 'postgres://nowhere/' }));

/** What the sandbox's endpoints reach, for tests that read the list of endpoints. */
export const SANDBOX = { adapters, handlersFor: createHandlers };

/** Every endpoint that a process can have, for tests that read the list; nothing calls the handlers. */
export const ENDPOINTS = createEndpoints({ adapters, sandbox: SANDBOX, health: WELL });
