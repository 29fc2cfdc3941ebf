import { isCoin } from '../../chain/coins.ts';
import { isNetwork, type NetworkId } from '../../chain/networks.ts';
import { realChains } from '../../chain/profile.ts';
import { checkReceiver } from '../../webhooks/receiver-check/check.ts';
import type { ReceiverCheck } from '../../webhooks/receiver-check/schemas.ts';
import { createWebhookClient } from '../../webhooks/client/client.ts';
import { getWebhookConfig } from '../../webhooks/endpoints/settings.ts';
import { SILENT } from '../../../platform/log.ts';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql } from '../../../platform/postgres/db.ts';
import { VERSION } from '../../../platform/root.ts';
import type { Mode } from '../../api/endpoint.ts';
import type { AcceptedMethod } from '../../merchants/accepted-methods.ts';
import { broken, missing, ok, type Check, type Verdict } from './finding.ts';

/** A merchant whose first live payment is to come. */
export interface Merchant {
  readonly id: string;
  readonly mode: Mode;
  readonly coin: string;
  readonly network: string;
  readonly is_suspended: boolean;
  readonly accepted_methods: readonly AcceptedMethod[];
  readonly policy: unknown;
}

const merchantById = sql<Merchant, { id: string }>(
  'preflight_merchant',
  (p) => `
    SELECT id, mode, settlement_currency AS coin, settlement_network AS network, accepted_methods, policy,
      suspended_at IS NOT NULL AS is_suspended
    FROM merchants WHERE id = ${p.id}`,
);

/** Returns a merchant; null: there is none. */
export async function findMerchant({ db }: Context, id: string): Promise<Merchant | null> {
  return runOne(db, merchantById, { id });
}

/** The networks that a merchant's live payments are on. */
export function networksOf({ network, accepted_methods }: Merchant): NetworkId[] {
  const named = [network, ...accepted_methods.map((method) => method.network)];
  return [...new Set(named)].filter(isNetwork);
}

/** What one merchant needs beside a wallet: to be live, a coin that exists, and a receiver that answers. */
export function merchantChecks(ctx: Context, merchant: Merchant): Check[] {
  const { id: subject } = merchant;
  return [
    { name: 'merchant', subject, look: () => Promise.resolve(merchantVerdict(ctx, merchant)) },
    { name: 'webhook', subject, look: () => webhook(ctx, merchant) },
  ];
}

function merchantVerdict({ config }: Context, { id, mode, coin, network, is_suspended }: Merchant): Verdict {
  if (mode !== 'live')
    return broken(
      'it is a test merchant, whose payments are simulated',
      'npm run merchants -- create --mode live --name NAME --currency COIN --network NETWORK',
    );
  if (is_suspended)
    return broken('it is suspended', `npm run ops -- suspend-merchant --resume --merchant ${id}`);
  const { contractOf, nameOf } = realChains(config);
  if (!isCoin(coin) || !isNetwork(network) || contractOf(coin, network) === undefined)
    return broken(
      `${coin} has no contract on ${isNetwork(network) ? nameOf(network) : network}`,
      `TESTNET_TOKENS=${coin}/${network}=0x... on every process, or a merchant with another settlement coin`,
    );
  return ok(`it settles in ${coin} on ${nameOf(network)}`);
}

const enabledEndpoints = sql<{ id: string }, { merchantId: string }>(
  'preflight_endpoints',
  (p) => `
    SELECT id FROM endpoint_registrations
    WHERE merchant_id = ${p.merchantId} AND is_enabled AND deleted_at IS NULL ORDER BY id LIMIT 3`,
);

/** A person waits: receivers have 15 s for a delivery. */
const RECEIVER_SECONDS = 5;

/** Sends the receiver check to the receivers of the merchant: signed test events, of no payment. */
async function webhook(ctx: Context, merchant: Merchant): ReturnType<Check['look']> {
  const { id: merchantId } = merchant;
  const { webhookUrl, enabled } = await getWebhookConfig(ctx.db, merchantId, ctx.now());
  const endpoints = await run(ctx.db, enabledEndpoints, { merchantId });
  if (!(enabled && webhookUrl !== null) && endpoints.length === 0)
    return missing(
      webhookUrl === null ? 'no receiver is set' : 'its receiver is set, and disabled',
      'the merchant: PUT /v1/webhooks/config {"webhookUrl":"https://...","enabled":true}',
    );
  const targets = [
    ...(enabled && webhookUrl !== null ? [{}] : []),
    ...endpoints.map(({ id }) => ({ endpoint_id: id })),
  ];
  const timeoutSeconds = Math.min(RECEIVER_SECONDS, ctx.config.webhookTimeoutSeconds);
  const client = createWebhookClient({
    allowPrivate: ctx.config.allowPrivateNetworks,
    timeoutMs: timeoutSeconds * 1_000,
    userAgent: `payment-checkout/${VERSION}`,
  });
  const quick = { ...ctx, config: { ...ctx.config, webhookTimeoutSeconds: timeoutSeconds }, log: SILENT };
  const { mode, policy, coin: settlementCurrency, network: settlementNetwork } = merchant;
  const caller = { merchantId, mode, policy, settlementCurrency, settlementNetwork, permissions: [] };
  try {
    return await Promise.all(
      targets.map(async (body) => {
        const { text } = await checkReceiver(quick, caller, { body, claim: null, client });
        return verdictOf(JSON.parse(text) as ReceiverCheck);
      }),
    );
  } finally {
    await client.close();
  }
}

function verdictOf({ url, passed, summary, cases }: ReceiverCheck): Verdict {
  // Who has the URL may be its only guard: as much of it as logs show.
  const { host } = new URL(url);
  if (passed) return ok(`${host}: ${summary}`);
  const failed = cases.find((one) => !one.passed);
  return broken(`${host}: ${summary}`, failed?.advice ?? 'POST /v1/webhooks/examine says what each case got');
}
