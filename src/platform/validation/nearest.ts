/** Longer names are compared with nothing: the work grows with the product of both lengths. */
const MAX_LENGTH = 100;

/**
 * The candidate that differs from `name` by the fewest typed letters, at most by `most`; null: none does.
 */
export function nearest(name: string, candidates: readonly string[], most = 2): string | null {
  let best: string | null = null;
  let least = most + 1;
  if (name.length > MAX_LENGTH) return null;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase());
    if (distance >= least) continue;
    [best, least] = [candidate, distance];
  }
  return best;
}

/** How many letters must be put in, left out or replaced (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
