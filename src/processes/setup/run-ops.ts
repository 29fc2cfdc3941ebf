import { assertActor } from './actor.ts';
import type { OpenCommand } from './command-context.ts';
import type { Lifetime } from './lifetime.ts';
import { runOnCells } from './cells/each.ts';
import { OpsUsageError, type AskedCommand, type OpsOutput, type OpsResult } from './shared/command.ts';
import { standardOutput } from './shared/output.ts';
import { parseOpsCommand } from './ops/commands.ts';

/** Runs one command of operators: `ops status`, `ops --cells FILE status`. */
export async function runOps(lifetime: Lifetime, open: OpenCommand): Promise<void> {
  const { file, rest } = cellsOf(process.argv.slice(2));
  const command = parseOpsCommand(rest);
  if ('help' in command) return console.log(command.help);
  const { facts, text, isBad = false } = await run(lifetime, open, command, file);
  if (command.json) console.log(JSON.stringify(facts));
  else if (text !== '') console.log(text);
  if (isBad) process.exitCode = 1;
}

/** `--cells FILE` stands in front of the command: it says where that runs. */
function cellsOf(args: string[]): { readonly file: string | null; readonly rest: string[] } {
  const [option, file, ...rest] = args;
  if (option !== '--cells') return { file: null, rest: args };
  if (file === undefined || file.startsWith('-')) throw new OpsUsageError('--cells needs a file of cells.');
  return { file, rest };
}

async function run(
  lifetime: Lifetime,
  open: OpenCommand,
  command: AskedCommand,
  file: string | null,
): Promise<OpsResult> {
  const out = output();
  if (file !== null) return runOnCells(lifetime, open, { file, command, output: out });
  if (command.runOnFiles !== null) return command.runOnFiles(out);
  const { isPreflight, readsChains } = command;
  const ctx = await open(lifetime, 'ops', process.env, { isPreflight, readsChains });
  if (command.changes) assertActor(ctx.config, process.stdin.isTTY);
  return command.run(ctx, out);
}

/** Progress is for a person at a terminal: a log would be full of it. */
function output(): OpsOutput {
  const { stderr } = process;
  return {
    progress: (line) => void (stderr.isTTY && stderr.write(`\r${line.padEnd(60)}\r`)),
    ...standardOutput,
  };
}
