import { parseArgs } from 'node:util';
import { messageOf } from '../../../platform/log.ts';
import { recordCommand } from '../actor.ts';
import { releaseCommand } from '../cells/release.ts';
import { renderCommand } from '../cells/render.ts';
import { OpsUsageError, type AskedCommand, type FileCommand, type OpsCommand } from '../shared/command.ts';
import { chainForgetCommand, chainRescanCommand, chainResumeCommand, chainStatusCommand } from './chain.ts';
import { connectionsCommand, preflightCommand } from './before-start.ts';
import { eraseCommand, exportCommand } from './export.ts';
import { flushCommand } from './flush.ts';
import { drainCommand, restoredCommand } from './maintenance.ts';
import { reconcileCommand, requeueCommand, SALE_COMMANDS, stuckCommand } from './stuck.ts';
import { PAYOUT_COMMANDS } from './payouts.ts';
import { keysCommand, suspendCommand } from './merchants.ts';
import { moveCommand } from './move.ts';
import { statusCommand, verifyCommand } from './status.ts';

/** The commands of `npm run ops`. */
export const OPS_COMMANDS: Readonly<Record<string, OpsCommand | FileCommand>> = {
  status: statusCommand,
  stuck: stuckCommand,
  requeue: requeueCommand,
  verify: verifyCommand,
  preflight: preflightCommand,
  drain: drainCommand,
  reconcile: reconcileCommand,
  restored: restoredCommand,
  connections: connectionsCommand,
  'chain status': chainStatusCommand,
  'chain resume': chainResumeCommand,
  'chain rescan': chainRescanCommand,
  'chain forget': chainForgetCommand,
  'wallet flush': flushCommand,
  ...PAYOUT_COMMANDS,
  ...SALE_COMMANDS,
  export: exportCommand,
  'merchant move': moveCommand,
  'suspend-merchant': suspendCommand,
  keys: keysCommand,
  erase: eraseCommand,
  'cells render': renderCommand,
  'cells release': releaseCommand,
};

type Known = OpsCommand | FileCommand;

const OPS_USAGE = `Usage: npm run ops -- COMMAND [options]

${Object.entries(OPS_COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(24)} ${summary}`)
  .join('\n')}

  --json            one JSON object instead of text
  --help            after a command: its options
  --cells FILE      before status, verify or stuck: on each cell of a file, in one table

Exit codes: 0, 1 when something is wrong, 2 for a mistake in the command line.
Works on DATABASE_URL, or on the embedded database of npm run dev.`;

/**
 * Returns the command that the arguments name, or the help that they ask for. Throws OpsUsageError, which
 * says what to write, for an unknown command and for a missing or unknown option.
 */
export function parseOpsCommand(args: readonly string[]): AskedCommand | { readonly help: string } {
  const { name, command, rest } = commandOf(args);
  if (args.includes('--help') || args.includes('-h'))
    return { help: command === undefined ? OPS_USAGE : helpOf(name, command) };
  if (command === undefined)
    throw new OpsUsageError(
      `${name === '' ? 'A command is missing' : `There is no command ${name}`}.\n\n${OPS_USAGE}`,
    );
  const given = parseOptions(name, command, rest);
  const text = (option: string) => (typeof given[option] === 'string' ? given[option] : null);
  // Status and the audit log are read line by line, on terminals.
  const unreadable = Object.keys(command.options).find((option) => /\p{Cc}/u.test(text(option) ?? ''));
  if (unreadable !== undefined)
    throw usageError(name, command, `--${unreadable} must be one line without control characters`);
  const missing = Object.entries(command.options).filter(
    ([option, { isNeeded }]) => isNeeded === true && !text(option)?.trim(),
  );
  if (missing.length > 0)
    throw usageError(name, command, `${name} needs ${missing.map(([one]) => `--${one}`).join(' and ')}`);
  const values = { text, has: (option: string) => given[option] === true };
  const shared = { name, json: given.json === true, changes: command.changes(values) };
  if ('runOnFiles' in command)
    return {
      ...shared,
      isPreflight: false,
      readsChains: false,
      runOnFiles: (output) => command.runOnFiles(values, output),
      run: () => Promise.reject(new Error(`${name} works on files`)),
    };
  return {
    ...shared,
    isPreflight: command.isPreflight === true,
    readsChains: command.readsChains === true,
    runOnFiles: null,
    async run(ctx, output) {
      const result = await command.run(ctx, values, output);
      if (result.changed !== undefined) await recordCommand(ctx, name, result.changed);
      return { ...result, text: result.text.replaceAll(NO_TEXT, '\uFFFD') };
    },
  };
}

/** What a terminal obeys: rows may have it, and an operator believes what the screen shows. */
const NO_TEXT = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

/** A name may be of two words. */
function commandOf(args: readonly string[]) {
  const words = [2, 1].find((count) => Object.hasOwn(OPS_COMMANDS, args.slice(0, count).join(' '))) ?? 1;
  const name = args.slice(0, words).join(' ');
  const command = Object.hasOwn(OPS_COMMANDS, name) ? OPS_COMMANDS[name] : undefined;
  return { name, command, rest: args.slice(words) };
}

function parseOptions(name: string, command: Known, args: string[]): Record<string, unknown> {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([option, { type }]) => [option, { type }]),
  );
  try {
    return parseArgs({ args, options: { ...options, json: { type: 'boolean' } } }).values;
  } catch (error) {
    throw usageError(name, command, messageOf(error).replace(/\.$/, ''));
  }
}

function usageError(name: string, command: Known, fault: string): OpsUsageError {
  return new OpsUsageError(`${fault}.\n\n${helpOf(name, command)}`);
}

function helpOf(name: string, { summary, description, options }: Known): string {
  const written = (option: string, { value }: { value?: string }) =>
    value === undefined ? `--${option}` : `--${option} ${value}`;
  const synopsis = Object.entries(options).map(([option, one]) =>
    one.isNeeded === true ? written(option, one) : `[${written(option, one)}]`,
  );
  const lines = Object.entries(options).map(
    ([option, one]) => `  ${written(option, one).padEnd(24)} ${one.meaning}`,
  );
  return [
    `Usage: npm run ops -- ${[name, ...synopsis, '[--json]'].join(' ')}`,
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.${description === undefined ? '' : ` ${description}`}`,
    [...lines, `  ${'--json'.padEnd(24)} one JSON object instead of text`].join('\n'),
  ].join('\n\n');
}
