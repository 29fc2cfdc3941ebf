import type { MerchantSummary } from '../domain/merchants/store.ts';
import type { Environment } from '../platform/config/config.ts';
import { isProduction } from '../platform/config/production.ts';
import type { Context } from '../platform/context.ts';
import { missingMigrations } from '../platform/postgres/migrate.ts';
import { migrateDatabase, PLACEHOLDER_URL, openEmbeddedDatabase } from './setup/embedded.ts';
import { readDevInfo } from './setup/demo.ts';
import { parseCommand } from './setup/command-line.ts';
import { runMain, type Lifetime } from './setup/lifetime.ts';
import { USAGE } from './setup/merchant-commands.ts';
import { assertReleased, configFrom, createContext, WORKER_DB } from './setup/context.ts';

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const asked = parseCommand(process.argv.slice(2));
  if (asked === null) return console.log(USAGE);
  const { command, values, json } = asked;
  const ctx = await openContext(lifetime, environment(process.env));
  const result = await command.run(ctx, values);
  console.log(json ? JSON.stringify(result) : textOf(result));
  const notice = command.notice?.(values) ?? null;
  if (notice === null) return;
  // With --json, standard output is for programs: it holds the one object.
  if (json) console.error(notice);
  else console.log(`\n${notice}`);
}

/** The database of `npm run dev` is one of development, unless NODE_ENV says otherwise. */
function environment(env: Environment): Environment {
  const isOfDevelopment = !env.DATABASE_URL || env.DATABASE_URL === readDevInfo().database_url;
  return { ...env, NODE_ENV: env.NODE_ENV || (isOfDevelopment ? 'development' : undefined) };
}

/** Migrates the embedded database, and an empty one of development; any other needs its release. */
async function openContext(lifetime: Lifetime, env: Environment): Promise<Context> {
  const embedded = !env.DATABASE_URL && !isProduction(env);
  // Before the database starts: a faulty variable must leave nothing running.
  if (embedded) configFrom({ ...env, DATABASE_URL: PLACEHOLDER_URL }, { showsLinks: false });
  const database = embedded ? { DATABASE_URL: await openEmbeddedDatabase(lifetime, { borrow: true }) } : {};
  // Standard output is for the result alone.
  const config = {
    ...configFrom({ ...env, ...database }, { showsLinks: false }),
    logLevel: 'error' as const,
  };
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
