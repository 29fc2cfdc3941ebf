/** What a row must reach. */
export type Target = { readonly unit?: string } & (
  | { readonly atLeast: number }
  | { readonly atMost: number }
  | { readonly none: true }
);

/** A row of the table: a figure that was measured in rounds, and what it must reach. */
export interface Row {
  /** The work. */
  readonly title: string;
  /** What it is compared with; empty: with nothing, the figure is absolute. */
  readonly floor: string;
  readonly target: Target;
  /** The figure of each round. */
  readonly rounds: readonly number[];
  /** What stands behind the figure: ours and the floor's, in their own units. */
  readonly figures: string;
  /** Which resource was full. */
  readonly limit: string;
  /** Why this run cannot judge the row. */
  readonly unjudged?: string | undefined;
}

export type Verdict = 'pass' | 'miss' | 'not judged';

/** The median of the rounds decides. */
export function verdictOf({ target, rounds, unjudged }: Row): Verdict {
  const value = median(rounds);
  if ('none' in target || (unjudged !== undefined && Number.isFinite(value))) return 'not judged';
  const isReached = 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
  return isReached ? 'pass' : 'miss';
}

/** The cells of a row: work, median with its spread, target, verdict, figures, limit. */
export function cellsOf(row: Row): string[] {
  const { unit = '' } = row.target;
  const value = `${number(median(row.rounds))}${unit}`;
  const spread = `${number(Math.min(...row.rounds))}..${number(Math.max(...row.rounds))}`;
  const unjudged = row.unjudged === undefined ? '' : `: ${row.unjudged}`;
  return [
    row.title,
    row.rounds.length > 1 ? `${value} (${spread})` : value,
    targetOf(row.target),
    `${verdictOf(row)}${unjudged}`,
    row.floor === '' ? row.figures : `${row.figures}; floor: ${row.floor}`,
    row.limit,
  ];
}

/**
 * Prints a row as soon as it is measured: three lines that fit a terminal, unless the verdict explains
 * itself.
 */
export function print(row: Row): void {
  const [title = '', value = '', target = '', verdict = '', figures = '', limit = ''] = cellsOf(row);
  console.log(`${title.padEnd(76)} ${value.padStart(24)}  ${target.padEnd(10)} ${verdict}`);
  console.log(`    ${figures}`);
  console.log(`    limited by ${limit}`);
}

function targetOf(target: Target): string {
  if ('none' in target) return '-';
  const { unit = '' } = target;
  return 'atLeast' in target ? `>= ${target.atLeast}${unit}` : `<= ${target.atMost}${unit}`;
}

/** Three digits are what a run on a shared machine can mean. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
