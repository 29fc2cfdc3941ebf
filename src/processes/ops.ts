import type { Environment } from '../platform/config/config.ts';
import type { Context } from '../platform/context.ts';
import { openEmbeddedDatabase } from './setup/embedded.ts';
import { runMain, type Lifetime } from './setup/lifetime.ts';
import { OPS_USAGE, parseOpsCommand } from './setup/ops-commands.ts';
import { assertReleased, configFrom, createContext, WORKER_DB } from './setup/context.ts';

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const command = parseOpsCommand(process.argv.slice(2));
  if (command === null) return console.log(OPS_USAGE);
  const ctx = await openContext(lifetime, process.env);
  const { facts, text } = await command.run(ctx);
  console.log(command.json ? JSON.stringify(facts) : text);
}

async function openContext(lifetime: Lifetime, env: Environment): Promise<Context> {
  const url = env.DATABASE_URL || (await openEmbeddedDatabase(lifetime, { borrow: true }));
  // Standard output is for the result alone.
  const config = { ...configFrom({ ...env, DATABASE_URL: url }), logLevel: 'error' as const };
  const ctx = createContext(lifetime, 'ops', config, WORKER_DB);
  await assertReleased(ctx, false);
  return ctx;
}
