import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';

/** What a section of the status shows. */
export interface SectionReport {
  /** What `--json` prints. */
  readonly facts: unknown;
  /** A few lines: all sections fit on one screen. */
  readonly lines: readonly string[];
  /** An operator must act. */
  readonly isBad: boolean;
}

/** A part of `npm run ops -- status`. */
export interface Section {
  readonly name: string;
  read(ctx: Context): Promise<SectionReport>;
}

export interface NamedReport extends SectionReport {
  readonly name: string;
}

/** Reads all sections; one that cannot be read is bad, and says why. Bad ones come first. */
export async function readStatus(ctx: Context, sections: readonly Section[]): Promise<NamedReport[]> {
  const reports = await Promise.all(
    sections.map(async (section): Promise<NamedReport> => {
      const { name } = section;
      try {
        return { name, ...(await section.read(ctx)) };
      } catch (error) {
        const fault = `it could not be read: ${messageOf(error)}`;
        return { name, facts: { error: fault }, lines: [fault], isBad: true };
      }
    }),
  );
  return [...reports.filter(({ isBad }) => isBad), ...reports.filter(({ isBad }) => !isBad)];
}

/**
 * The status for operators, what is wrong first. The last line is what a table of cells shows of each: the
 * verdict, and how large the cell is.
 */
export function statusText(reports: readonly NamedReport[]): string {
  const lines = reports.flatMap(({ name, lines, isBad }) =>
    lines.map(
      (line, i) =>
        `${i === 0 ? (isBad ? 'WRONG' : 'ok').padEnd(6) + name.padEnd(11) : ''.padEnd(17)} ${line}`,
    ),
  );
  const bad = reports.filter(({ isBad }) => isBad).map(({ name }) => name);
  const verdict = bad.length === 0 ? 'Nothing is wrong.' : `Wrong: ${bad.join(', ')}.`;
  const size = reports.find(({ name, isBad }) => name === 'payments' && !isBad)?.lines[0];
  return [...lines, size === undefined ? verdict : `${verdict} Payments: ${size}.`].join('\n');
}

/** The first of many lines, and how many more there are. */
export function firstOf(lines: readonly string[], most: number): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), `... and ${lines.length - most} more`];
}

/** A duration as people say it: 5 s, 12 min, 3.5 h, 2 d. */
export function durationText(seconds: number): string {
  const rounded = (value: number) => String(Math.round(value * 10) / 10);
  if (seconds < 90) return `${rounded(seconds)} s`;
  if (seconds < 5_400) return `${rounded(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${rounded(seconds / 3_600)} h` : `${rounded(seconds / 86_400)} d`;
}
