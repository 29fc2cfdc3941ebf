import { allHandlers } from '../background/workers.ts';
import { realOutside, type Sandbox } from '../domain/sandbox/outside.ts';
import { openExchange } from '../domain/webhooks/open-exchange.ts';
import type { Context } from '../platform/context.ts';
import type { Lifetime } from './lifetime.ts';

/** What a web process needs to wind the time of test payments; null where SANDBOX is off. */
export function openSandbox({ config }: Context, lifetime: Lifetime): Sandbox | null {
  if (!config.sandbox) return null;
  const exchange = openExchange(config);
  lifetime.own(() => exchange.close());
  return { outside: realOutside(exchange), handlersFor: allHandlers };
}
