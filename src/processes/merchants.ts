import { parseArgs } from 'node:util';
import {
  addApiKey,
  createMerchant,
  listMerchants,
  revokeApiKey,
  type MerchantSummary,
} from '../domain/merchants/store.ts';
import { getWebhookSecrets } from '../domain/webhooks/settings.ts';
import { isProduction, StartError, type Environment } from '../platform/config.ts';
import type { Context } from '../platform/context.ts';
import { PERMISSIONS, type Permission } from '../platform/endpoint.ts';
import { messageOf } from '../platform/log.ts';
import { missingMigrations } from '../platform/migrate.ts';
import { bringUpToDate, NOT_YET, openEmbeddedDatabase } from './embedded.ts';
import { runMain, type Lifetime } from './lifetime.ts';
import { assertReleased, configFrom, createContext, WORKER_DB } from './setup.ts';

const USAGE = `Usage: npm run merchants -- COMMAND [options]

  create      --name NAME --currency COIN --network NETWORK [--permissions a,b]   a merchant, its first API key and its webhook secret
  list                                                                            every merchant with its keys
  add-key     --merchant ID [--permissions a,b]                                   one more API key
  revoke-key  --merchant ID --key KEY_OR_PREFIX                                   ends a key within 10 s

  --json         one JSON object instead of text
  --permissions  default: all of ${PERMISSIONS.join(',')}

Works on DATABASE_URL, or on the embedded database of npm run dev.`;

/** What the person at the keyboard got wrong. */
class UsageError extends StartError {}

type Option = 'name' | 'currency' | 'network' | 'permissions' | 'merchant' | 'key';
type Values = { readonly [name in Option]?: string };

interface Command {
  readonly needs: readonly Option[];
  readonly takes?: readonly Option[];
  /** Answers what `--json` prints; the text is made of the same. */
  run(ctx: Context, values: Values): Promise<Record<string, unknown>>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    needs: ['name', 'currency', 'network'],
    takes: ['permissions'],
    async run(ctx, { name = '', currency = '', network = '', permissions }) {
      await assertSecretsKeyFits(ctx);
      const merchant = { name, currency, network, permissions: permissionsOf(permissions) };
      const { merchantId, apiKey, webhookSecret } = await createMerchant(ctx, merchant).catch(asUsageError);
      return { merchant_id: merchantId, api_key: apiKey, webhook_secret: webhookSecret };
    },
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
};

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const asked = parse(process.argv.slice(2));
  if (asked === null) return console.log(USAGE);
  const { command, values, json } = asked;
  const ctx = await openContext(lifetime, process.env);
  const result = await command.run(ctx, values);
  console.log(json ? JSON.stringify(result) : textOf(result));
}

/** Null: help is wanted. Throws UsageError unless there is a command with all that it needs and nothing that it does not take. */
function parse(args: string[]): { command: Command; values: Values; json: boolean } | null {
  if (args.includes('--help') || args.includes('-h')) return null;
  const name = args[0] ?? '';
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new UsageError(
      `${name === '' ? 'A command is missing' : `There is no command ${name}`}.\n\n${USAGE}`,
    );
  const taken = [...command.needs, ...(command.takes ?? [])];
  const options = Object.fromEntries(taken.map((option) => [option, { type: 'string' as const }]));
  const { json, ...values } = parseOptions(args.slice(1), { ...options, json: { type: 'boolean' } });
  const missing = command.needs.filter((option) => !values[option]?.toString().trim());
  if (missing.length > 0)
    throw new UsageError(
      `${name} needs ${missing.map((option) => `--${option}`).join(' and ')}.\n\n${USAGE}`,
    );
  return { command, values, json: json === true };
}

function parseOptions(args: string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\n\n${USAGE}`);
  }
}

/** The embedded database is brought up to date, like an empty one of development; any other is its release's business. */
async function openContext(lifetime: Lifetime, env: Environment): Promise<Context> {
  const embedded = !env.DATABASE_URL && !isProduction(env);
  // Before the database is started: a faulty variable leaves nothing half-started.
  if (embedded) configFrom({ ...env, DATABASE_URL: NOT_YET });
  const database = embedded ? { DATABASE_URL: await openEmbeddedDatabase(lifetime, { borrow: true }) } : {};
  // The result is all that belongs on standard output.
  const config = { ...configFrom({ ...env, ...database }), logLevel: 'error' as const };
  const ctx = createContext(lifetime, 'merchants', config, WORKER_DB);
  if (!config.production && (await missingMigrations(ctx.db)).isEmpty)
    await bringUpToDate(config.databaseUrl);
  await assertReleased(ctx, false);
  return ctx;
}

/** A secret sealed with another key than web and worker have would fail each webhook of the merchant. */
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

function permissionsOf(permissions: string | undefined): Permission[] {
  if (permissions === undefined) return [...PERMISSIONS];
  return permissions.split(',').map((name) => {
    const known = PERMISSIONS.find((permission) => permission === name.trim());
    if (known === undefined)
      throw new UsageError(`There is no permission ${name}. Choose from ${PERMISSIONS.join(', ')}`);
    return known;
  });
}

async function assertMerchant(ctx: Context, id: string): Promise<void> {
  const merchants = await listMerchants(ctx.db);
  if (!merchants.some(({ merchant_id }) => merchant_id === id))
    throw new UsageError(`There is no merchant ${id}`);
}

function textOf(result: Record<string, unknown>): string {
  if (Array.isArray(result.merchants)) return (result.merchants as MerchantSummary[]).map(summary).join('\n');
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(15)} ${String(value)}`)
    .join('\n');
}

function summary({ merchant_id, name, currency, network, keys }: MerchantSummary): string {
  const lines = keys.map(
    ({ prefix, permissions, revoked }) => `  ${prefix}...  ${revoked ? 'revoked' : permissions.join(',')}`,
  );
  return [`${merchant_id}  ${name}  ${currency} on ${network}`, ...lines].join('\n');
}
