import { parseArgs } from 'node:util';
import type { MerchantSummary } from '../domain/merchants/store.ts';
import { isProduction, type Environment } from '../platform/config/config.ts';
import type { Context } from '../platform/context.ts';
import { messageOf } from '../platform/log.ts';
import { missingMigrations } from '../platform/postgres/migrate.ts';
import { migrateDatabase, PLACEHOLDER_URL, openEmbeddedDatabase } from './setup/embedded.ts';
import { runMain, type Lifetime } from './setup/lifetime.ts';
import { COMMANDS, USAGE, UsageError, type Command, type Values } from './setup/merchant-commands.ts';
import { assertReleased, configFrom, createContext, WORKER_DB } from './setup/context.ts';

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const asked = parse(process.argv.slice(2));
  if (asked === null) return console.log(USAGE);
  const { command, values, json } = asked;
  const ctx = await openContext(lifetime, process.env);
  const result = await command.run(ctx, values);
  console.log(json ? JSON.stringify(result) : textOf(result));
}

/** Null: help is wanted. Throws UsageError for an unknown command, a missing option or an unknown one. */
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

/** Migrates the embedded database, and an empty one of development; any other needs its release. */
async function openContext(lifetime: Lifetime, env: Environment): Promise<Context> {
  const embedded = !env.DATABASE_URL && !isProduction(env);
  // Before the database starts: a faulty variable must leave nothing running.
  if (embedded) configFrom({ ...env, DATABASE_URL: PLACEHOLDER_URL });
  const database = embedded ? { DATABASE_URL: await openEmbeddedDatabase(lifetime, { borrow: true }) } : {};
  // Standard output is for the result alone.
  const config = { ...configFrom({ ...env, ...database }), logLevel: 'error' as const };
  const ctx = createContext(lifetime, 'merchants', config, WORKER_DB);
  if (!config.production && (await missingMigrations(ctx.db)).isEmpty)
    await migrateDatabase(config.databaseUrl);
  await assertReleased(ctx, false);
  return ctx;
}

function textOf(result: Record<string, unknown>): string {
  if (Array.isArray(result.merchants)) return (result.merchants as MerchantSummary[]).map(summary).join('\n');
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(15)} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

function summary({ merchant_id, name, mode, currency, network, keys }: MerchantSummary): string {
  const lines = keys.map(
    ({ prefix, permissions, revoked }) => `  ${prefix}...  ${revoked ? 'revoked' : permissions.join(',')}`,
  );
  return [`${merchant_id}  ${name}  ${mode}  ${currency} on ${network}`, ...lines].join('\n');
}
