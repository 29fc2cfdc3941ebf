import type { Described, Offender } from './invariant.ts';

/** So many offenders of an invariant are named; all are counted. */
const NAMED = 20;

/** What was found about an invariant. */
export interface Result extends Described {
  readonly offenders: number;
  readonly examples: readonly Offender[];
}

/** What `verify` found. */
export interface Report {
  readonly ok: boolean;
  /** Offenders of all invariants. */
  readonly offenders: number;
  /** ISO 8601; null: the whole database was read. */
  readonly since: string | null;
  /** How many rows of each kind were read. */
  readonly checked: Readonly<Record<string, number>>;
  /** Jobs that wait for an operator: no offenders. */
  readonly parked: number;
  /** Broken ones first. */
  readonly invariants: readonly Result[];
}

/** Collects offenders; its size does not depend on how many there are. */
export class Findings {
  parked = 0;
  readonly #results: Map<string, Described & { offenders: number; examples: Offender[] }>;
  readonly #checked = new Map<string, number>();

  constructor(invariants: readonly Described[]) {
    this.#results = new Map(
      invariants.map(({ name, meaning, remedy }) => [
        name,
        { name, meaning, remedy, offenders: 0, examples: [] },
      ]),
    );
  }

  add(name: string, offenders: readonly Offender[]): void {
    const result = this.#results.get(name);
    if (result === undefined) throw new Error(`there is no invariant ${name}`);
    result.offenders += offenders.length;
    result.examples.push(...offenders.slice(0, NAMED - result.examples.length));
  }

  /** Counts rows that were read, and returns their sum. */
  count(of: string, rows: number): number {
    const sum = (this.#checked.get(of) ?? 0) + rows;
    this.#checked.set(of, sum);
    return sum;
  }

  report(since: Date | null): Report {
    const results = [...this.#results.values()];
    const offenders = results.reduce((sum, result) => sum + result.offenders, 0);
    return {
      ok: offenders === 0,
      offenders,
      since: since?.toISOString() ?? null,
      checked: Object.fromEntries(this.#checked),
      parked: this.parked,
      invariants: results.toSorted((a, b) => b.offenders - a.offenders),
    };
  }
}

/** The report for operators: what is broken first, with the offenders and what to do about them. */
export function reportText({ invariants, checked, parked, offenders }: Report): string {
  const lines = invariants.flatMap((result) =>
    result.offenders === 0
      ? [`ok      ${result.name.padEnd(20)} ${result.meaning}`]
      : [
          `BROKEN  ${result.name.padEnd(20)} ${result.offenders} ${plural(result.offenders, 'offender')}: not ` +
            `so, that ${result.meaning}`,
          ...result.examples.map(({ id, detail }) => `          ${id}: ${detail}`),
          ...(result.offenders > result.examples.length
            ? [`          ... and ${result.offenders - result.examples.length} more`]
            : []),
          `          What to do: ${result.remedy}`,
        ],
  );
  const read = Object.entries(checked).map(([of, rows]) => `${rows} ${of}`);
  return [
    ...lines,
    ...(parked > 0
      ? [`${parked} ${plural(parked, 'job')} parked, which wait for an operator: npm run ops -- stuck`]
      : []),
    `${offenders === 0 ? 'All invariants hold' : `${offenders} ${plural(offenders, 'offender')}`}: ${read.join(', ')}.`,
  ].join('\n');
}

function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
