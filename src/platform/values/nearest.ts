/** Longer names are compared with nothing: the work grows with the product of both lengths. */
const MAX_LENGTH = 100;

/** The candidate that differs from `name` by the fewest typos, at most by two; null: none does. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let least = 3;
  if (name.length > MAX_LENGTH) return null;
  for (const candidate of candidates) {
    const typos = distance(name.toLowerCase(), candidate.toLowerCase());
    if (typos < least) [best, least] = [candidate, typos];
  }
  return best;
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
 * alignment), at most 3.
 */
export function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + same,
        swapped ? at(beforeLast, j - 2) + 1 : 3,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return Math.min(3, at(last, b.length));
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 3;
}
