import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { FAULTS } from './faults.ts';
import type { Engine } from '../stand/stand.ts';

export interface Options {
  /** The faults that do not fit are left out, by name. */
  readonly minutes: number;
  /** null: all. */
  readonly faults: readonly string[] | null;
  readonly engines: readonly Engine[];
  readonly seed: string;
}

/** Reads the command line. Throws when it has a fault or an engine that does not exist. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      faults: { type: 'string' },
      engine: { type: 'string' },
      seed: { type: 'string' },
    },
  });
  const faults = values.faults?.split(',').map((name) => name.trim()) ?? null;
  const known = FAULTS.map(({ name }) => name);
  for (const name of faults ?? [])
    if (!known.includes(name)) throw new Error(`there is no fault "${name}"; there are: ${known.join(', ')}`);
  const { engine } = values;
  if (engine !== undefined && engine !== 'postgres' && engine !== 'redis')
    throw new Error('--engine is postgres or redis');
  const minutes = Number(values.minutes ?? 60);
  if (!(minutes > 0)) throw new Error('--minutes is a number above 0');
  return {
    minutes,
    faults,
    engines: engine === undefined ? ['redis', 'postgres'] : [engine],
    seed: values.seed ?? process.env['CHAOS_SEED'] ?? randomBytes(4).toString('hex'),
  };
}
