import { allHandlers } from '../../background/workers.ts';
import { realOutside, type Sandbox } from '../../domain/adapters.ts';
import { webhookClientOf } from '../../domain/webhooks/client/client.ts';
import type { Reach } from '../../http/routes.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Lifetime } from './lifetime.ts';

/** What the endpoints of a web process reach beyond the database; closed with the process, so open it before what serves. */
export function openReach(config: Config, lifetime: Lifetime): Reach {
  const exchange = webhookClientOf(config);
  lifetime.own(() => exchange.close());
  const sandbox: Sandbox = { outside: realOutside(exchange), handlersFor: allHandlers };
  return { exchange, sandbox: config.sandbox ? sandbox : null };
}
