import type { Handler } from '../platform/job.ts';
import {
  simulatedCurrencyExchange,
  type CurrencyExchange as Conversions,
} from './payments/processing/currency-exchange.ts';
import type { WebhookClient } from './webhooks/client/client.ts';

/** What handlers reach outside the service: receivers of webhooks, and the venue that converts. A scenario plays both. */
export interface Outside {
  readonly exchange: WebhookClient;
  readonly conversions: Conversions;
  /** Where every event goes, whatever the merchant has set; null: where the merchant says. */
  readonly receiver: string | null;
}

/** Handlers by the name of their job. */
export type Handlers = ReadonlyMap<string, Handler>;
export type HandlersFor = (outside: Outside) => Handlers;

/** The real outside: `exchange` posts to the merchants' own receivers. */
export function realOutside(exchange: WebhookClient): Outside {
  return { exchange, conversions: simulatedCurrencyExchange, receiver: null };
}

/** What the sandbox's endpoints need to do due work within a request. */
export interface Sandbox {
  readonly outside: Outside;
  readonly handlersFor: HandlersFor;
}
