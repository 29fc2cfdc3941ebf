/** Of known words the one that was probably meant, as the end of a sentence; empty where none is near. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const [best] = known
    .map((word) => ({ word, steps: stepsBetween(typed, word) }))
    .filter(({ word, steps }) => steps <= Math.max(1, Math.floor(word.length / 3)))
    .sort((a, b) => a.steps - b.steps);
  return best === undefined ? '' : `: did you mean "${best.word}"?`;
}

/** How many letters have to be added, removed or exchanged (Levenshtein). */
function stepsBetween(from: string, to: string): number {
  // The first row, then each from the one before; what is longer than any of our words is not near one.
  let row = [...to, ''].map((_, i) => i);
  for (const [i, letter] of Array.from(from.slice(0, 40)).entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries())
      next.push(
        Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
