/**
 * An unknown variable with one of these prefixes is a misspelling of ours. WEBHOOK_ alone would be too wide:
 * WEBHOOK_URL and WEBHOOK_SECRET belong to receivers of webhooks.
 */
const OWN_PREFIXES = [
  'WEBHOOK_ALLOW',
  'WEBHOOK_RETR',
  'WEBHOOK_TIMEOUT',
  'SIMULATOR_',
  'SIMULATE_',
  'RATE_LIMIT_SCALE',
  'TRUSTED_PROX',
];

/**
 * A sentence for each of `names` that is a misspelling of a known variable, with the one that was probably
 * meant.
 */
export function misspelledVariables(names: readonly string[], known: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = known.find((candidate) => isTypoOf(name, candidate));
    if (meant !== undefined) return [`${name} is not a variable of this service: did you mean ${meant}?`];
    if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
      return [`${name} is not a variable of this service`];
    return [];
  });
}

/**
 * Short names resemble too many others; long ones may have two typos. A prefix is no typo: EMAIL_FROM is
 * another program's.
 */
function isTypoOf(name: string, variable: string): boolean {
  if (variable.length < 7 || name.endsWith(variable)) return false;
  const typos = distance(name.toUpperCase(), variable);
  return typos <= (variable.length < 14 ? 1 : 2);
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
 * alignment), at most 3.
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
