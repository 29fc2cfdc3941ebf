import { parseArgs } from 'node:util';
import { option, UsageError, Values, type Command, type Option } from './command.ts';
import { didYouMean } from './nearest.ts';

/** What every command takes. */
export const COMMON: readonly Option[] = [
  option('profile NAME', 'the login; default: PAYMENT_CHECKOUT_PROFILE, or "default"'),
  option('json', 'print JSON, for programs'),
  option('no-color', 'print without colours, as with NO_COLOR'),
  option('help', 'show this'),
];

type Given = Readonly<Record<string, unknown>>;

/** The command whose words the arguments begin with, and the arguments behind them. Throws UsageError. */
export function findCommand(
  commands: readonly Command[],
  args: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const command = commandOf(commands, args);
  if (command !== undefined) return { command, rest: args.slice(command.name.split(' ').length) };
  const [first = '', second = ''] = args;
  const names = groupOf(commands, first).map(({ name }) => name);
  if (names.length > 0 && second === '')
    throw new UsageError(`"${first}" is the beginning of ${names.join(', ')}`);
  const known =
    names.length > 0 ? names : [...new Set(commands.flatMap(({ name }) => [name, firstOf(name)]))];
  const unknown = names.length > 0 ? `${first} ${second}` : first;
  const near = didYouMean(unknown, known) || didYouMean(`${first} ${second}`, known);
  const all = commands.map(({ name }) => name);
  throw new UsageError(
    `there is no command "${unknown}"${near || `, but ${(names.length > 0 ? names : all).join(', ')}`}`,
  );
}

/** The commands whose first word this is, of several words. */
export function groupOf(commands: readonly Command[], first: string): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${first} `));
}

function firstOf(name: string): string {
  return name.split(' ')[0] ?? name;
}

/** The command whose words `words` begin with. */
export function commandOf(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, i) => word === words[i]));
}

/** The parameters and options of a call. Throws UsageError for what the command does not take. */
export function parseCall(
  command: Command,
  args: readonly string[],
): { readonly words: readonly string[]; readonly values: Values } {
  const options = [...(command.options ?? []), ...COMMON];
  const { words, given } = split(args, options);
  checkWords(command, words);
  for (const one of options) checkOption(one, given[one.name]);
  return { words, values: new Values(given) };
}

function split(args: readonly string[], options: readonly Option[]): { words: string[]; given: Given } {
  const known: Record<string, { type: 'boolean' | 'string'; multiple: boolean }> = {};
  for (const { name, value, isList } of options)
    known[name] = { type: value === undefined ? 'boolean' : 'string', multiple: isList };
  try {
    const config = { args: [...args], allowPositionals: true, options: known };
    const { positionals: words, values: given } = parseArgs(config);
    return { words, given };
  } catch (error) {
    // Its first sentence names the option; the next is about arguments that begin with a dash.
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    const [, unknown] = /^Unknown option '(.*)'/.exec(message) ?? [];
    const names = options.map(({ name }) => `--${name}`);
    throw new UsageError(message + (unknown === undefined ? '' : didYouMean(unknown, names)));
  }
}

function checkWords({ parameters = [] }: Command, words: readonly string[]): void {
  const extra = words[parameters.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many`);
  for (const [i, { name, choices, isOptional }] of parameters.entries()) {
    const word = words[i];
    if (word === undefined && !isOptional) throw new UsageError(`${name} is missing`);
    if (word !== undefined) checkChoice(name, word, choices);
  }
}

function checkOption({ name, value, choices, isNeeded }: Option, given: unknown): void {
  if (isNeeded && given === undefined) throw new UsageError(`--${name} is missing`);
  if (typeof given !== 'string') return;
  if (value === 'N' && !/^\d{1,9}$/.test(given)) throw new UsageError(`--${name} must be a whole number`);
  for (const part of given.split(',')) checkChoice(`--${name}`, part, choices);
}

function checkChoice(name: string, word: string, choices: readonly string[] | undefined): void {
  if (choices?.includes(word) === false)
    throw new UsageError(
      `${name} must be ${choices.join(' or ')}, not "${word}"${didYouMean(word, choices)}`,
    );
}
