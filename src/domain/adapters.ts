import type { TestChain, ChainOf } from './chain/port.ts';
import { simulatedChain, simulatedPayouts, simulatedRates } from './chain/simulator/simulated.ts';
import type { CurrencyExchange, PaymentAdapters } from './payments/lifecycle/ports.ts';
import { webhookClientOf, type WebhookClient } from './webhooks/client/client.ts';
import type { Config } from '../platform/config/config.ts';
import { createMailer, type Mailer } from '../platform/mail.ts';

/** Every adapter: what the service uses beyond its own database and queues. */
export interface Adapters extends PaymentAdapters {
  /** The chain that the sandbox controls for test merchants. */
  readonly testChain: ChainOf<TestChain>;
  readonly webhooks: WebhookClient;
  /** The URL that receives every event, overriding the merchant's endpoints; null: no override. */
  readonly receiver: string | null;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
}

/** Converts everything at once, at the locked rate. */
export const simulatedExchange: CurrencyExchange = { convert: () => Promise.resolve('converted') };

/**
 * Creates the adapters: the one place that selects their implementations. Chains, market, payouts and
 * conversions are simulated for every merchant until there is a real client;
 * docs/how-to/add-a-chain-client.md explains how to replace the simulator per network here. The caller must
 * close adapters with `closeAdapters`.
 */
export function createAdapters(
  config: Pick<
    Config,
    'allowPrivateNetworks' | 'webhookTimeoutSeconds' | 'smtpUrl' | 'mailFrom' | 'publicUrl'
  >,
): Adapters {
  return {
    chain: simulatedChain,
    testChain: simulatedChain,
    rates: simulatedRates,
    payouts: simulatedPayouts,
    exchange: simulatedExchange,
    webhooks: webhookClientOf(config),
    receiver: null,
    mailer: createMailer(config),
  };
}

/** Accepts no more requests, and closes connections when the requests in flight have ended. */
export async function closeAdapters({ webhooks }: Adapters): Promise<void> {
  await webhooks.close();
}
