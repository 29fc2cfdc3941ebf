import { paintFor, plain, type Paint } from './colours.ts';
import type { Terminal } from './terminal.ts';

/** Writes what a command found: for people, or with --json for programs. */
export class Output {
  readonly isJson: boolean;
  readonly paint: Paint;
  readonly #terminal: Terminal;

  constructor(terminal: Terminal, { isJson, isPlain }: { isJson: boolean; isPlain: boolean }) {
    this.#terminal = terminal;
    this.isJson = isJson;
    this.paint = isPlain || isJson ? plain : paintFor(terminal.stdout, terminal.env);
  }

  /**
   * Shows one result: with --json the value, as one line of JSON, otherwise `text`, or else the value's
   * fields and the rows of its list.
   */
  show(value: object, text?: () => string): void {
    const shown = this.isJson ? JSON.stringify(value) : (text?.() ?? this.#sheet(value));
    this.#terminal.stdout.write(`${shown}\n`);
  }

  /** Says something beside the result, on standard error. */
  note(text: string): void {
    this.#terminal.stderr.write(`${text}\n`);
  }

  /** Fields one below the other; then a table for each list of objects, with the fields of its first. */
  #sheet(value: object): string {
    const all: [string, unknown][] = Object.entries(value);
    const lists = all.filter((entry): entry is [string, object[]] => isList(entry[1]));
    const fields = all.filter(([, one]) => !isList(one));
    const parts = lists.map(([name, rows]) => this.#table(rows) || `no ${name}`);
    return [...(fields.length === 0 ? [] : [columns(fields).join('\n')]), ...parts].join('\n\n');
  }

  #table(rows: readonly object[]): string {
    const [head = '', ...lines] = columns([
      Object.keys(rows[0] ?? {}),
      ...rows.map((row): unknown[] => Object.values(row)),
    ]);
    return [this.paint('bold', head), ...lines].join('\n');
  }
}

function isList(value: unknown): value is object[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'object');
}

/** Rows with their cells below each other, two spaces apart. */
export function columns(rows: readonly (readonly unknown[])[]): string[] {
  const texts = rows.map((row) => row.map(textOf));
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => (row[column] ?? '').length)),
  );
  return texts.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Texts of others, such as an order id, may hold what a terminal would obey. */
function textOf(cell: unknown): string {
  if (Array.isArray(cell)) return textOf(cell.join(', '));
  if (cell === null || cell === undefined || cell === '') return '-';
  return printable(typeof cell === 'string' ? cell : JSON.stringify(cell));
}

/** Without control characters. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}
