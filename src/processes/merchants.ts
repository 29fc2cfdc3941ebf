import { parseArgs } from 'node:util';
import { addApiKey, createMerchant, listMerchants, revokeApiKey } from '../domain/merchants/store.ts';
import type { Context } from '../platform/context.ts';
import { PERMISSIONS, type Permission } from '../platform/endpoint.ts';
import { openDevelopmentDatabase } from './embedded.ts';
import { configOrExit, createContext, WORKER_DB } from './setup.ts';

const USAGE = `Usage: npm run merchants -- COMMAND [options]

  create      --name NAME --currency COIN --network NETWORK [--permissions a,b]   a merchant, its first API key and its webhook secret
  list                                                                            every merchant with its keys
  add-key     --merchant ID [--permissions a,b]                                   one more API key
  revoke-key  --merchant ID --key KEY_OR_PREFIX                                   ends a key within 10 s

  --json         one JSON object instead of text
  --permissions  default: all of ${PERMISSIONS.join(',')}

Works on DATABASE_URL, or on the embedded database of npm run dev.`;

/** What the person at the keyboard got wrong; said in one line. */
class UsageError extends Error {}

const OPTIONS = {
  name: { type: 'string' },
  currency: { type: 'string' },
  network: { type: 'string' },
  permissions: { type: 'string' },
  merchant: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;
type Values = { [name in Exclude<keyof typeof OPTIONS, 'json' | 'help'>]?: string };

const COMMANDS: Record<string, (ctx: Context, values: Values) => Promise<Record<string, unknown>>> = {
  async create(ctx, values) {
    const merchant = {
      name: needed(values, 'name'),
      currency: needed(values, 'currency'),
      network: needed(values, 'network'),
      permissions: permissionsOf(values),
    };
    const { merchantId, apiKey, webhookSecret } = await createMerchant(ctx, merchant);
    return { merchant_id: merchantId, api_key: apiKey, webhook_secret: webhookSecret };
  },
  list: async (ctx) => ({ merchants: await listMerchants(ctx.db) }),
  async 'add-key'(ctx, values) {
    const merchantId = needed(values, 'merchant');
    await assertMerchant(ctx, merchantId);
    return {
      merchant_id: merchantId,
      api_key: await addApiKey(ctx.db, merchantId, permissionsOf(values), ctx.now()),
    };
  },
  async 'revoke-key'(ctx, values) {
    const [merchantId, key] = [needed(values, 'merchant'), needed(values, 'key')];
    const revoked = await ctx.db.transaction((tx) => revokeApiKey(tx, merchantId, key, ctx.now()));
    if (revoked === 0) throw new UsageError(`${merchantId} has no such key in force`);
    return { merchant_id: merchantId, revoked };
  },
};

try {
  await main();
} catch (error) {
  console.error(error instanceof UsageError || error instanceof RangeError ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parse();
  const [name = ''] = positionals;
  const command = COMMANDS[name];
  if (values.help || command === undefined) {
    if (!values.help && name !== '') throw new UsageError(`There is no command ${name}.\n\n${USAGE}`);
    return console.log(USAGE);
  }
  const database = await openDevelopmentDatabase(process.env.DATABASE_URL);
  try {
    process.env.DATABASE_URL = database.url;
    const ctx = createContext('merchants', configOrExit(), WORKER_DB);
    try {
      print(await command(ctx, values), values.json);
    } finally {
      await ctx.db.destroy();
    }
  } finally {
    // The server of a running `npm run dev` is not ours to end.
    if (!database.adopted) await database.stop();
  }
}

function parse() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function needed(values: Values, name: keyof Values): string {
  const value = values[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing.\n\n${USAGE}`);
  return value;
}

function permissionsOf({ permissions }: Values): Permission[] {
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

function print(result: Record<string, unknown>, asJson: boolean): void {
  if (asJson) return console.log(JSON.stringify(result));
  for (const [name, value] of Object.entries(result))
    console.log(
      typeof value === 'string' || typeof value === 'number'
        ? `${name.padEnd(15)} ${value}`
        : JSON.stringify(value, null, 2),
    );
}
