import { once } from 'node:events';
import { assertActor } from './actor.ts';
import type { OpenCommand } from './command-context.ts';
import type { Lifetime } from './lifetime.ts';
import type { OpsOutput } from './ops/command.ts';
import { parseOpsCommand } from './ops/commands.ts';

/** Runs one command of operators: `ops status`. */
export async function runOps(lifetime: Lifetime, open: OpenCommand): Promise<void> {
  const command = parseOpsCommand(process.argv.slice(2));
  if ('help' in command) return console.log(command.help);
  const { isPreflight, readsChains } = command;
  const ctx = await open(lifetime, 'ops', process.env, { isPreflight, readsChains });
  if (command.changes) assertActor(ctx.config, process.stdin.isTTY);
  const { facts, text, isBad = false } = await command.run(ctx, output());
  if (command.json) console.log(JSON.stringify(facts));
  else if (text !== '') console.log(text);
  if (isBad) process.exitCode = 1;
}

/** Progress is for a person at a terminal: a log would be full of it. */
function output(): OpsOutput {
  const { stdout, stderr } = process;
  return {
    progress: (line) => void (stderr.isTTY && stderr.write(`\r${line.padEnd(60)}\r`)),
    async write(text) {
      if (!stdout.write(text)) await once(stdout, 'drain');
    },
    end: () => Promise.resolve(),
  };
}
