import { parseArgs } from 'node:util';
import { messageOf } from '../../platform/log.ts';
import { COMMANDS, USAGE, UsageError, type Command, type Values } from './merchant-commands.ts';

/**
 * Returns the command that the arguments name, with the values of its options; null where they ask for help.
 * Throws UsageError for an unknown command, and for a missing or unknown option.
 */
export function parseCommand(
  args: readonly string[],
): { name: string; command: Command; values: Values; json: boolean } | null {
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
  // Lists of merchants are read line by line, and mails name the shop.
  if (/\p{Cc}/u.test(String(values.name ?? '')))
    throw new UsageError(`--name must be one line without control characters.\n\n${USAGE}`);
  return { name, command, values, json: json === true };
}

function parseOptions(args: string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\n\n${USAGE}`);
  }
}
