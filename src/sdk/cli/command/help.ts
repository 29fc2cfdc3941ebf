import { columns } from '../terminal/output.ts';
import type { Command, Option } from './command.ts';
import { COMMON } from './parse.ts';

export const PROGRAM = 'payment-checkout';

/** What the program can do, one command a line. */
export function overview(commands: readonly Command[]): string {
  return [
    `Usage: ${PROGRAM} COMMAND [OPTIONS]`,
    '',
    ...aligned(commands.map(({ name, summary }) => [name, summary])),
    '',
    `${PROGRAM} COMMAND --help shows the options of a command, and an example.`,
    'Begin with: login. Exit codes: 0 done, 1 failed or refused, 2 called wrongly.',
  ].join('\n');
}

/** How a command is called, with one example. */
export function helpOf({ name, summary, parameters = [], options = [], example }: Command): string {
  const words = parameters.map((one) => (one.isOptional ? ` [${one.name}]` : ` ${one.name}`)).join('');
  const choices = parameters.flatMap((one) =>
    one.choices === undefined
      ? []
      : ['', `${one.name} is one of:`, ...one.choices.map((name) => `  ${name}`)],
  );
  return [
    summary,
    '',
    `Usage: ${PROGRAM} ${name}${words} [OPTIONS]`,
    ...choices,
    '',
    ...aligned([...options, ...COMMON].map((option) => [callOf(option), textOf(option)])),
    '',
    `Example: ${PROGRAM} ${example}`,
  ].join('\n');
}

function callOf({ name, value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function textOf({ text, choices, isNeeded, isList }: Option): string {
  return [
    text,
    ...(choices === undefined ? [] : [`: ${choices.join(', ')}`]),
    ...(isNeeded ? [' (needed)'] : []),
    ...(isList ? [' (may be repeated)'] : []),
  ].join('');
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  return columns(rows).map((row) => `  ${row}`);
}
