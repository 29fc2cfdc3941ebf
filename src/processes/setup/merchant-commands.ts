import { LIVE_NETWORKS } from '../../domain/adapters.ts';
import { acceptedMethodsOf, setAcceptedMethods } from '../../domain/merchants/accepted-methods.ts';
import { addApiKey, revokeApiKey } from '../../domain/merchants/api-keys.ts';
import {
  createMerchant,
  listMerchants,
  readSettings,
  setEmail,
  setPolicy,
  setSpread,
  type MerchantSummary,
} from '../../domain/merchants/store.ts';
import { Type } from 'typebox';
import { PolicyChoice } from '../../domain/payments/lifecycle/policy.ts';
import { reEncryptSecrets } from '../../domain/ops/re-encrypt.ts';
import { reSignWallets } from '../../domain/wallets/re-sign.ts';
import { SecretBoxError } from '../../platform/secret-box.ts';
import { StartError } from '../../platform/config/config.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/postgres/db.ts';
import { PERMISSIONS, type Mode, type Permission } from '../../domain/api/endpoint.ts';
import { messageOf } from '../../platform/log.ts';
import { getValidator } from '../../domain/api/validator.ts';
import { assertSecretsKeyFits } from './shared/secrets-key.ts';

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
  | 'email'
  | 'role'
  | 'wallet'
  | 'kind'
  | 'value'
  | 'address'
  | 'format'
  | 'out'
  | 'bps'
  | 'methods'
  | 'zone'
  | 'slippage-percent';
export type Values = { readonly [name in Option]?: string };

export interface Command {
  readonly needs: readonly Option[];
  readonly takes?: readonly Option[];
  /** Returns what `--json` prints; the text is made of the same. */
  run(ctx: Context, values: Values, isJson?: boolean): Promise<Record<string, unknown>>;
  /** The text, where it is not a line for each fact. */
  text?(result: Readonly<Record<string, unknown>>): string;
  /** What the operator must know about the result; null: nothing. */
  notice?(values: Values, result: Readonly<Record<string, unknown>>): string | null;
}

/** The commands of `npm run merchants` on merchants and their keys. */
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
    notice: ({ mode, network = '' }, { merchant_id }) =>
      modeOf(mode) === 'live' ? liveNotice(network, merchant_id) : null,
  },
  list: { needs: [], run: async (ctx) => ({ merchants: await listMerchants(ctx.db) }) },
  'add-key': {
    needs: ['merchant'],
    takes: ['permissions'],
    async run(ctx, { merchant = '', permissions }) {
      const granted = permissionsOf(permissions);
      const { merchant_id } = await assertMerchant(ctx, merchant);
      return { merchant_id, api_key: await addApiKey(ctx.config, ctx.db, merchant, granted, ctx.now()) };
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
  'set-email': setting('email', emailOf, setEmail),
  'set-policy': setting('policy', policyOf, setPolicy),
  'set-spread': setting('bps', (bps) => (/^\d{1,5}$/.test(bps) ? Number(bps) : -1), setSpread, 'spread_bps'),
  'set-accepted-methods': setting('methods', acceptedMethodsOf, setAcceptedMethods, 'accepted_methods'),
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
      return { resealed: secrets, answers, wallets: await reSignWallets(ctx) };
    },
  },
};

/** A command that sets one thing of a merchant; its result names it as the option does, or by `name`. */
export function setting<Value>(
  option: Option,
  read: (text: string) => Value,
  store: (connection: Connection, merchantId: string, value: Value) => Promise<void>,
  name: string = option,
): Command {
  return {
    needs: ['merchant', option],
    async run({ db }, { merchant = '', [option]: text = '' }) {
      const value = await Promise.resolve(text).then(read).catch(asUsageError);
      const before: Readonly<Record<string, unknown>> = { ...(await readSettings(db, merchant)) };
      await store(db, merchant, value).catch(asUsageError);
      return { merchant_id: merchant, [name]: value, ...(name in before ? { before: before[name] } : {}) };
    },
  };
}

export function asUsageError(error: unknown): never {
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
function liveNotice(network: string, merchantId: unknown): string {
  if (LIVE_NETWORKS.some((served) => served === network))
    return `Its live payments need a watcher that reads ${network}, and a wallet, or the default of the installation: npm run merchants -- wallet set --merchant ${String(merchantId)}`;
  return `${network} has no real client: POST /v1/payment with this live key returns 503 network_unavailable for ${network}, unless web and worker run with SIMULATE_LIVE=true, which simulates live payments too.`;
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

export async function assertMerchant(ctx: Context, id: string): Promise<MerchantSummary> {
  const found = (await listMerchants(ctx.db)).find(({ merchant_id }) => merchant_id === id);
  if (found === undefined) throw new UsageError(`There is no merchant ${id}`);
  return found;
}
