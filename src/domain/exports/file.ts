export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface FileOptions {
  readonly format: ExportFormat;
  /** It goes on behind a row of another file, and has no header: both are one file behind one another. */
  readonly isContinued: boolean;
}

/**
 * Returns pages of rows, each JSON, as the text of a file, whose last line says that it is whole: a file that
 * ends without it was cut.
 */
export async function* fileOf(
  pages: AsyncIterable<readonly string[]>,
  { format, isContinued }: FileOptions,
): AsyncGenerator<string> {
  let [rows, columns] = [0, 0];
  for await (const page of pages) {
    const [first] = page;
    if (first === undefined) continue;
    if (format === 'csv' && rows === 0) {
      const names = Object.keys(JSON.parse(first) as object);
      columns = names.length;
      if (!isContinued) yield csvLine(names);
    }
    rows += page.length;
    yield* piecesOf(page, format);
  }
  yield format === 'csv' ? csvEnd(rows, columns) : `${JSON.stringify({ end: true, rows })}\n`;
}

/** What a socket takes at once: other requests are served before the next piece is made. */
const PIECE_LENGTH = 65_536;

function* piecesOf(page: readonly string[], format: ExportFormat): Generator<string> {
  let piece = '';
  for (const row of page) {
    piece += lineOf(row, format);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** A row, given as JSON, as a line. */
function lineOf(row: string, format: ExportFormat): string {
  return format === 'csv' ? csvLine(Object.values(JSON.parse(row) as object)) : `${row}\n`;
}

/** As many cells as every other line. */
function csvEnd(rows: number, columns: number): string {
  return csvLine(['end', rows, ...Array.from({ length: Math.max(0, columns - 2) }, () => null)]);
}

/**
 * A row as a line of CSV (RFC 4180), or the header for the names of the columns. Text that a spreadsheet
 * would run has an apostrophe before it.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Some spreadsheets take the wide forms as well. */
const FORMULA = '[=@+\\-＝＠＋－]';
/**
 * What a spreadsheet would run: customers and merchants write some of the text. Numbers are none. Where its
 * language separates cells by semicolons, one within a text begins a cell too, which may be quoted: what is
 * behind the quotes is its text. Source: OWASP, CSV Injection.
 */
const IS_FORMULA = new RegExp(`^(?![+-]?\\d+(?:\\.\\d+)?$)(?:${FORMULA}|[\\t\\r\\n])`);
const INNER_FORMULA = new RegExp(`([;\\t\\r\\n]"*)(?=${FORMULA})`, 'g');

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const given = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = given.replace(INNER_FORMULA, "$1'");
  const text = IS_FORMULA.test(safe) ? `'${safe}` : safe;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
