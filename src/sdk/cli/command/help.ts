import type { Command, Option } from './command.ts';
import { COMMON } from './parse.ts';

export const PROGRAM = 'payment-checkout';

/** What the program, or a group of its commands, can do, one a line; `width` is that of the terminal. */
export function overview(commands: readonly Command[], width: number): string {
  return [
    `Usage: ${PROGRAM} COMMAND [OPTIONS]`,
    '',
    ...aligned(
      commands.map(({ name, summary }): Row => [name, summary]),
      width,
    ),
    '',
    ...wrapped(`${PROGRAM} help COMMAND shows the options of a command, and an example.`, width),
    ...wrapped('Begin with: login. Exit codes: 0 done, 1 failed or refused, 2 called wrongly.', width),
  ].join('\n');
}

/** How a command is called, with one example; `width` is that of the terminal. */
export function helpOf(command: Command, width: number): string {
  const { name, summary, parameters = [], options = [], example } = command;
  const words = parameters.map((one) => (one.isOptional ? ` [${one.name}]` : ` ${one.name}`)).join('');
  const choices = parameters.flatMap((one) =>
    one.choices === undefined
      ? []
      : ['', `${one.name} is one of:`, ...one.choices.map((name) => `  ${name}`)],
  );
  return [
    ...wrapped(summary, width),
    '',
    ...wrapped(`Usage: ${PROGRAM} ${name}${words} [OPTIONS]`, width),
    ...choices,
    '',
    ...aligned(
      [...options, ...COMMON].map((option): Row => [callOf(option), textOf(option)]),
      width,
    ),
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

type Row = readonly [string, string];

/** Two columns; the second is wrapped within itself. */
function aligned(rows: readonly Row[], width: number): string[] {
  const indent = 2 + Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.flatMap(([name, text]) =>
    wrapped(text, Math.max(width - indent, MIN_WIDTH)).map(
      (line, i) => `${(i === 0 ? `  ${name}` : '').padEnd(indent)}${line}`,
    ),
  );
}

/** Narrower than this, lines are as long as they have to be. */
const MIN_WIDTH = 20;

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
