import { parseArgs } from 'node:util';
import { PARTS, type Part } from './parts.ts';

/** What a run was asked for. */
export interface Asked {
  readonly parts: readonly Part[];
  /** The size that was given for a part, or for all; null: it has its own. */
  readonly sizeOf: (part: Part) => number | null;
  readonly isQuick: boolean;
  readonly rounds: number;
  /** Where docs/performance.md gets the table: for all, or below, for named parts; null: nowhere. */
  readonly write: 'all' | 'below' | null;
  /** Whether the statements that took the most time are printed after each part. */
  readonly statements: boolean;
}

export const USAGE = `npm run bench [-- [SIZE] [PART[=SIZE][,PART[=SIZE]]] [--rounds N] [--quick] [--write] [--statements]]

--rounds N  measures each side N times; default 5
--quick     tiny counts, one round: shows that every part runs, judges nothing
--write     writes the table to docs/performance.md; the table of named parts below those that are there
--statements prints the statements that took the most time in each part

Parts, each with its default SIZE:
${Object.entries(PARTS)
  .map(([name, { about, size, onlyNamed }]) => {
    const named = onlyNamed === true ? '; runs only when it is named' : '';
    return `  ${name.padEnd(12)}${about} (${size.toLocaleString('en-US')}${named})`;
  })
  .join('\n')}`;

/** Reads the command line. Throws Error with a sentence for what it cannot mean. */
export function readArguments(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      statements: { type: 'boolean', default: false },
    },
  });
  const isNumber = (word: string) => /^[\d_]+$/.test(word);
  const toNumber = (word: string) => Number(word.replaceAll('_', ''));
  const sizes = positionals.filter(isNumber).map(toNumber);
  const asked = positionals.filter((word) => !isNumber(word)).flatMap((word) => word.split(','));
  const own = asked.map((word) => word.split('='));
  const wrong = asked.filter((_, place) => !own[place]?.slice(1).every(isNumber));
  if (wrong.length > 0) throw new Error(`A size is a whole number: ${wrong.join(', ')}.\n\n${USAGE}`);
  const names = own.map(([name = '']) => name);
  const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}.\n\n${USAGE}`);
  if (sizes.length > 1) throw new Error(`One size at most: ${sizes.join(', ')} were given.`);
  const rounds = values.quick ? 1 : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1 on');
  return {
    parts: Object.entries(PARTS)
      .filter(([name, { onlyNamed }]) =>
        names.length === 0 ? onlyNamed !== true || values.quick : names.includes(name),
      )
      .map(([, part]) => part),
    sizeOf: (part) => {
      const size = own.find(([name = '']) => PARTS[name] === part)?.[1];
      return size === undefined ? (sizes[0] ?? null) : toNumber(size);
    },
    isQuick: values.quick,
    rounds,
    write: !values.write ? null : names.length > 0 ? 'below' : 'all',
    statements: values.statements,
  };
}
