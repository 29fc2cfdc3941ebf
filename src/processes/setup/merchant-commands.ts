import { LIVE_NETWORKS } from '../../domain/adapters.ts';
import { addApiKey, revokeApiKey } from '../../domain/merchants/api-keys.ts';
import { createMerchant, listMerchants, setEmail, setPolicy } from '../../domain/merchants/store.ts';
import { Type } from 'typebox';
import { PolicyChoice } from '../../domain/payments/lifecycle/policy.ts';
import { reEncryptSecrets } from '../../domain/webhooks/secrets/re-encrypt.ts';
import { SecretBoxError } from '../../domain/webhooks/secrets/secret-box.ts';
import { getWebhookSecrets } from '../../domain/webhooks/secrets/read.ts';
import { StartError } from '../../platform/config/config.ts';
import type { Context } from '../../platform/context.ts';
import { PERMISSIONS, type Mode, type Permission } from '../../domain/api/endpoint.ts';
import { messageOf } from '../../platform/log.ts';
import { getValidator } from '../../domain/api/validator.ts';

export const USAGE = `Usage: npm run merchants -- COMMAND [options]

  create      --name NAME --currency COIN --network NETWORK [--mode M] [--permissions a,b] [--policy P] [--email E]
              a merchant, its first API key and its webhook secret
  list        every merchant with its keys
  add-key     --merchant ID [--permissions a,b]
              one more API key
  revoke-key  --merchant ID --key KEY_OR_PREFIX
              ends a key within 10 s
  set-policy  --merchant ID --policy P
              what new payments do with too little, late or too much money, from 10 s later at the latest
  reseal-secrets
              encrypts with the first key of SECRETS_KEY every webhook secret that another key holds
  set-email   --merchant ID --email E
              where the merchant is notified when the webhook endpoint is disabled

  --json         one JSON object instead of text
  --mode         test (default): may use the sandbox; live: may not. A merchant is of one mode for good
  --policy       JSON, for example '{"underpaid":"accept","underpaid_tolerance_percent":1}'; what is left out is the service's default
  --permissions  default: all of ${PERMISSIONS.join(',')}

Works on DATABASE_URL, or on the embedded database of npm run dev.`;

/** A mistake in the command line. */
export class UsageError extends StartError {}

type Option =
  | 'name'
  | 'currency'
  | 'network'
  | 'permissions'
  | 'merchant'
  | 'key'
  | 'mode'
  | 'policy'
  | 'email';
export type Values = { readonly [name in Option]?: string };

export interface Command {
  readonly needs: readonly Option[];
  readonly takes?: readonly Option[];
  /** Returns what `--json` prints; the text is made of the same. */
  run(ctx: Context, values: Values): Promise<Record<string, unknown>>;
  /** What the operator must know about the result; null: nothing. */
  notice?(values: Values): string | null;
}

/** The commands of `npm run merchants`. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    needs: ['name', 'currency', 'network'],
    takes: ['permissions', 'mode', 'policy', 'email'],
    async run(ctx, { name = '', currency = '', network = '', permissions, mode, policy = '{}', email }) {
      const choices = {
        permissions: permissionsOf(permissions),
        mode: modeOf(mode),
        policy: policyOf(policy),
        ...(email === undefined ? {} : { email: emailOf(email) }),
      };
      await assertSecretsKeyFits(ctx);
      const merchant = { name, currency, network, ...choices };
      const { merchantId, apiKey, webhookSecret } = await createMerchant(ctx, merchant).catch(asUsageError);
      return { merchant_id: merchantId, api_key: apiKey, webhook_secret: webhookSecret };
    },
    notice: ({ mode, network = '' }) => (modeOf(mode) === 'live' ? liveNotice(network) : null),
  },
  list: {
    needs: [],
    run: async (ctx) => ({ merchants: await listMerchants(ctx.db) }),
  },
  'add-key': {
    needs: ['merchant'],
    takes: ['permissions'],
    async run(ctx, { merchant = '', permissions }) {
      const granted = permissionsOf(permissions);
      await assertMerchant(ctx, merchant);
      return { merchant_id: merchant, api_key: await addApiKey(ctx.db, merchant, granted, ctx.now()) };
    },
  },
  'revoke-key': {
    needs: ['merchant', 'key'],
    async run(ctx, { merchant = '', key = '' }) {
      const revoked = await ctx.db.transaction((tx) => revokeApiKey(tx, merchant, key, ctx.now()));
      if (revoked === 0) throw new UsageError(`${merchant} has no such key in force`);
      return { merchant_id: merchant, revoked };
    },
  },
  'set-email': {
    needs: ['merchant', 'email'],
    async run(ctx, { merchant = '', email = '' }) {
      await setEmail(ctx.db, merchant, emailOf(email)).catch(asUsageError);
      return { merchant_id: merchant, email };
    },
  },
  'set-policy': {
    needs: ['merchant', 'policy'],
    async run(ctx, { merchant = '', policy = '' }) {
      const choice = policyOf(policy);
      await setPolicy(ctx.db, merchant, choice).catch(asUsageError);
      return { merchant_id: merchant, policy: choice };
    },
  },
  'reseal-secrets': {
    needs: [],
    async run(ctx) {
      const { secrets, answers } = await reEncryptSecrets(ctx).catch((error: unknown) => {
        throw error instanceof SecretBoxError
          ? new StartError(
              `${error.message}. Put every key that was in use into SECRETS_KEY, the new one first.`,
            )
          : error;
      });
      return { resealed: secrets, answers };
    },
  },
};

/**
 * Throws StartError unless SECRETS_KEY is that of web and worker: with another key, every webhook of the
 * merchant would fail.
 */
async function assertSecretsKeyFits(ctx: Context): Promise<void> {
  const newest = (await listMerchants(ctx.db)).at(-1);
  if (newest === undefined) return;
  await getWebhookSecrets(ctx, newest.merchant_id).catch((error: unknown) => {
    throw new StartError(
      `The secrets in this database were sealed with another SECRETS_KEY than the one set here (${messageOf(error)}). Set the one of web and worker.`,
    );
  });
}

function asUsageError(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(error.message) : error;
}

export function permissionsOf(permissions: string | undefined): Permission[] {
  if (permissions === undefined) return [...PERMISSIONS];
  return permissions.split(',').map((name) => {
    const known = PERMISSIONS.find((permission) => permission === name.trim());
    if (known === undefined)
      throw new UsageError(`There is no permission ${name}. Choose from ${PERMISSIONS.join(', ')}`);
    return known;
  });
}

function modeOf(mode = 'test'): Mode {
  if (mode === 'test' || mode === 'live') return mode;
  throw new UsageError(`There is no mode ${mode}. Choose test or live`);
}

/** A network without a real client takes no live payments. */
function liveNotice(network: string): string | null {
  if (LIVE_NETWORKS.some((served) => served === network)) return null;
  const fact =
    LIVE_NETWORKS.length === 0 ? 'No network has a real client yet' : `${network} has no real client`;
  return `${fact}: POST /v1/payment with this live key returns 503 network_unavailable for ${network}, unless web and worker run with SIMULATE_LIVE=true, which simulates live payments too.`;
}

function emailOf(text: string): string {
  const check = getValidator({ allowPrivate: false }).compile(Type.String({ format: 'idn-email' }), 'email');
  try {
    return check(text);
  } catch {
    throw new UsageError(`--email ${text} is no mail address`);
  }
}

function policyOf(text: string): PolicyChoice {
  const check = getValidator({ allowPrivate: false }).compile(PolicyChoice, 'policy');
  try {
    return check(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`--policy ${text} is no policy: ${messageOf(error)}`);
  }
}

export async function assertMerchant(ctx: Context, id: string): Promise<void> {
  const merchants = await listMerchants(ctx.db);
  if (!merchants.some(({ merchant_id }) => merchant_id === id))
    throw new UsageError(`There is no merchant ${id}`);
}
