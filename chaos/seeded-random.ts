import { createHash } from 'node:crypto';

/** A number from [0, 1) that follows from the words alone: the same seed makes the same run. */
export function seededRandom(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;
}
