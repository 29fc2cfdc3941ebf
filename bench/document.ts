import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { cellsOf, type Row } from './table.ts';

const FILE = new URL('../docs/performance.md', import.meta.url);
const BEGIN = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';
const HEAD = ['work', 'measured (min..max)', 'target', 'verdict', 'figures, and the floor', 'limited by'];

/** Writes the results, with machine and date, into docs/performance.md: in place of all, or below them. */
export function writeResults(rows: readonly Row[], place: 'all' | 'below'): void {
  const text = readFileSync(FILE, 'utf8');
  const [from, until] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from === -1 || until === -1) throw new Error('docs/performance.md has no place for results');
  const kept = place === 'all' ? from + BEGIN.length : until;
  writeFileSync(FILE, text.slice(0, kept).trimEnd() + resultsOf(rows) + text.slice(until));
}

function resultsOf(rows: readonly Row[]): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory} GB of memory`;
  const date = new Date().toISOString().slice(0, 10);
  return [
    `\n\nMeasured on ${date} with Node ${process.versions.node}:\n${machine}.\n`,
    ...tableOf([HEAD, HEAD.map(() => '---'), ...rows.map(cellsOf)]),
    '\n',
  ].join('\n');
}

/** A Markdown table as the formatter aligns it. */
function tableOf(lines: readonly (readonly string[])[]): string[] {
  const cells = lines.map((line) => line.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')));
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const fill = (cell: string, column: number) =>
    cell === '---' ? '-'.repeat(widths[column] ?? 3) : cell.padEnd(widths[column] ?? 0);
  return cells.map((line) => `| ${line.map(fill).join(' | ')} |`);
}
