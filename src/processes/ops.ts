import { openCommand } from './setup/command-context.ts';
import { runMain, type Lifetime } from './setup/lifetime.ts';
import { OPS_USAGE, parseOpsCommand } from './setup/ops-commands.ts';

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const command = parseOpsCommand(process.argv.slice(2));
  if (command === null) return console.log(OPS_USAGE);
  const ctx = await openCommand(lifetime, 'ops', process.env);
  const { facts, text } = await command.run(ctx);
  console.log(command.json ? JSON.stringify(facts) : text);
}
