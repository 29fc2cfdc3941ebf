/**
 * What an unknown variable that begins so can only be a misspelling of. WEBHOOK_ alone would be too wide: WEBHOOK_URL and
 * WEBHOOK_SECRET belong to those who receive webhooks.
 */
const OWN_PREFIXES = ['WEBHOOK_ALLOW', 'WEBHOOK_RETR', 'WEBHOOK_TIMEOUT', 'SIMULATOR_', 'RATE_LIMIT_SCALE'];

/** Says of each of the variables `names` that can only be a misspelling of a known one what was probably meant. */
export function misspelt(names: readonly string[], known: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = known.find((candidate) => isNearly(name, candidate));
    if (meant !== undefined) return [`${name} is not a variable of this service: did you mean ${meant}?`];
    if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
      return [`${name} is not a variable of this service`];
    return [];
  });
}

/** Short names resemble too many others; long ones may hold two slips. A prefix is no slip: EMAIL_FROM is somebody else's. */
function isNearly(name: string, variable: string): boolean {
  if (variable.length < 7 || name.endsWith(variable)) return false;
  const slips = distance(name.toUpperCase(), variable);
  return slips <= (variable.length < 14 ? 1 : 2);
}

/**
 * How many insertions, deletions, replacements and swaps of neighbours turn one text into the other (optimal string alignment);
 * 3 stands for any more.
 */
function distance(a: string, b: string): number {
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
