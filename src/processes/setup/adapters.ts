import { createHandlers } from '../../background/workers.ts';
import { closeAdapters, createAdapters } from '../../domain/adapters.ts';
import type { Reach } from '../../http/routes.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Lifetime } from './lifetime.ts';

/** What the endpoints of a web process reach beyond the database; closed with the process, so open it before what serves. */
export function openReach(config: Config, lifetime: Lifetime): Reach {
  const adapters = createAdapters(config);
  lifetime.own(() => closeAdapters(adapters));
  return { adapters, sandbox: config.sandbox ? { adapters, handlersFor: createHandlers } : null };
}
