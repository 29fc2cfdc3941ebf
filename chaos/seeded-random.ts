import { createHash } from 'node:crypto';

/** Returns a number in [0, 1) that depends on the words alone: the same seed repeats the run. */
export function seededRandom(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;
}
