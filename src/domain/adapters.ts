import type { TestChain, ChainOf } from './chain/port.ts';
import { simulatedChain, simulatedPayouts, simulatedRates } from './chain/simulator/simulated.ts';
import type { CurrencyExchange, PaymentAdapters } from './payments/lifecycle/ports.ts';
import { webhookClientOf, type WebhookClient } from './webhooks/client/client.ts';
import type { Config } from '../platform/config/config.ts';
import { createMailer, type Mailer } from '../platform/mail.ts';

/** The outside world: everything that the service reaches beyond its own database and queues. */
export interface Adapters extends PaymentAdapters {
  /** The chain of test merchants, which the sandbox controls. */
  readonly testChain: ChainOf<TestChain>;
  readonly webhooks: WebhookClient;
  /** Where every event goes, whatever the merchant has set; null: where the merchant says. */
  readonly receiver: string | null;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
}

/** Converts everything at the locked rate, at once. */
export const simulatedExchange: CurrencyExchange = { convert: () => Promise.resolve('converted') };

/**
 * Chooses who answers for the outside world: the one place that names an adapter. Chains, market, payouts and conversions are simulated
 * for every merchant until there is a real client; docs/how-to/add-a-chain-client.md says how one takes its networks over here.
 * Whoever creates adapters closes them with `closeAdapters`.
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

/** Takes nothing more, and closes connections when what is under way has ended. */
export async function closeAdapters({ webhooks }: Adapters): Promise<void> {
  await webhooks.close();
}
