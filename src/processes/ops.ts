import { once } from 'node:events';
import { assertActor } from './setup/actor.ts';
import { openCommand } from './setup/command-context.ts';
import { runMain, type Lifetime } from './setup/lifetime.ts';
import type { OpsOutput } from './setup/ops/command.ts';
import { parseOpsCommand } from './setup/ops/commands.ts';

runMain(main, { once: true });

async function main(lifetime: Lifetime): Promise<void> {
  const command = parseOpsCommand(process.argv.slice(2));
  if ('help' in command) return console.log(command.help);
  const ctx = await openCommand(lifetime, 'ops', process.env);
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
