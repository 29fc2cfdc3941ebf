import { readFileSync } from 'node:fs';
import { ApiError, PaymentCheckoutError } from '../client/index.ts';
import { CommandError, UsageError, type Command } from './command/command.ts';
import { complete } from './command/completion.ts';
import { helpOf, overview, PROGRAM } from './command/help.ts';
import { findCommand, groupOf, parseCall } from './command/parse.ts';
import { COMMANDS } from './commands.ts';
import { codeOf } from './settings/files.ts';
import { paintFor } from './terminal/colours.ts';
import { Output, printable } from './terminal/output.ts';
import type { Terminal } from './terminal/terminal.ts';

const FAILED = 1;
const CALLED_WRONGLY = 2;
/** As shells report a program that Ctrl-C ended. */
const INTERRUPTED = 130;
/** Where the terminal does not say. */
const USUAL_WIDTH = 80;

/**
 * Runs one call of the program and returns its exit code. Errors are on standard error, as JSON with --json.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first, second] = args;
  if (first === 'complete' && second === '--') {
    terminal.stdout.write(
      complete(COMMANDS, args.slice(2))
        .map((word) => `${word}\n`)
        .join(''),
    );
    return 0;
  }
  let command: Command | null = null;
  try {
    if (first === '--version') {
      terminal.stdout.write(`${PROGRAM} ${version()}\n`);
      return 0;
    }
    const asked = askedFor(args);
    if (asked !== null) {
      terminal.stdout.write(`${helpFor(asked, terminal.stdout.columns ?? USUAL_WIDTH)}\n`);
      return 0;
    }
    const found = findCommand(COMMANDS, args);
    command = found.command;
    const { words, values } = parseCall(command, found.rest);
    const output = new Output(terminal, { isJson: values.has('json'), isPlain: values.has('no-color') });
    const code = await command.run({ terminal, output, words, values });
    return terminal.signal.aborted ? INTERRUPTED : code;
  } catch (error) {
    if (terminal.signal.aborted) return INTERRUPTED;
    return report(error, terminal, { isJson: args.includes('--json'), command });
  }
}

/** The words that help is wanted for, whatever else is missing; null: none is. */
function askedFor(args: readonly string[]): readonly string[] | null {
  const [first] = args;
  if (first === undefined) return [];
  if (first === 'help') return args.slice(1).filter((word) => !word.startsWith('-'));
  // Behind "--" there are no options.
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  return options.includes('--help') ? args.slice(0, args.indexOf('--help')) : null;
}

function helpFor(words: readonly string[], width: number): string {
  const [first] = words;
  if (first === undefined) return overview(COMMANDS, width);
  const group = groupOf(COMMANDS, first);
  if (group.length > 0 && words.length === 1) return overview(group, width);
  return helpOf(findCommand(COMMANDS, words).command, width);
}

/** Of the package; from source, that of the service beside it. */
function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

interface Failed {
  readonly isJson: boolean;
  readonly command: Command | null;
}

/** Reports an error and returns the exit code. What is no error of a call or of the service is thrown on. */
function report(error: unknown, terminal: Terminal, { isJson, command }: Failed): number {
  const facts = factsOf(error);
  if (facts === null) throw error;
  if (isJson) terminal.stderr.write(`${JSON.stringify({ error: facts })}\n`);
  else {
    const { code, message, status, field, request_id: request } = facts;
    const about = [status, code, field].filter((one) => one !== undefined && one !== null).join(' ');
    const end = request === null || request === undefined ? '' : ` (request ${request})`;
    const paint = paintFor(terminal.stderr, terminal.env);
    terminal.stderr.write(`${paint('red', `${PROGRAM}: ${about}`)}: ${printable(message)}${end}\n`);
  }
  if (facts.code !== 'usage') return FAILED;
  if (!isJson) terminal.stderr.write(`See ${PROGRAM}${command === null ? '' : ` ${command.name}`} --help\n`);
  return CALLED_WRONGLY;
}

interface Facts {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly field?: string | null;
  readonly request_id?: string | null;
}

/** What to say of an error; null: it is a fault of the program. None of them holds a key. */
function factsOf(error: unknown): Facts | null {
  if (error instanceof UsageError) return { code: 'usage', message: error.message };
  if (error instanceof CommandError) return { code: 'failed', message: error.message };
  if (error instanceof ApiError) {
    const { code, message, status, requestId, details } = error;
    return { code, message, status, field: details?.field ?? null, request_id: requestId };
  }
  if (error instanceof PaymentCheckoutError)
    return { code: 'unreachable', message: `${error.message} (${codeOf(error)}): see ${PROGRAM} doctor` };
  // An id that the client refuses, before anything is sent.
  if (error instanceof TypeError && error.message.startsWith('an id '))
    return { code: 'usage', message: error.message };
  return null;
}
