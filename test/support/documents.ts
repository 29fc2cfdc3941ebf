import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The project's own documents, as paths from its root. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...filesBelow('integrations').filter((file) => file.endsWith('README.md')),
  ...filesBelow('docs').filter((file) => file.endsWith('.md')),
];

/** Every file below a folder of the project, as paths from its root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .sort();
}

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The rows of the first table of a document whose head begins with `first`, cells trimmed. */
export function tableOf(file: string, first: string): string[][] {
  const lines = read(file).split('\n');
  const head = lines.findIndex((line) => new RegExp(`^\\| ${first} +\\|`).test(line));
  if (head === -1) throw new Error(`${file} has no table that begins with ${first}`);
  const rows = lines.slice(head + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end === -1 ? rows.length : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The contract's table of endpoints, which states them independently of the code. */
export const CONTRACT_ENDPOINTS = tableOf('docs/contract.md', 'endpoint').map(
  ([endpoint = '', needed = '', perMinute = '']) => {
    const [method = '', path = ''] = endpoint.split(' ');
    return {
      method,
      path,
      permissions: needed.startsWith('none') ? [] : needed.split(', '),
      perMinute: Number(perMinute),
      needsKey: !needed.startsWith('none'),
    };
  },
);

/** A document without its fenced blocks, which contain no real headings or links. */
export const proseOf = (file: string): string => read(file).replaceAll(/^```.*?^```$/gms, '');

/** The text of every heading of a document, without its marks. */
export const headingsOf = (file: string): string[] =>
  [...proseOf(file).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.replaceAll('`', ''));

/** Returns the anchors of a document's headings, as GitHub does: the second of the same text gets `-1`. */
export function anchorsOf(file: string): Set<string> {
  const seen = new Map<string, number>();
  return new Set(
    headingsOf(file).map((heading) => {
      const slug = heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-');
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      return before === 0 ? slug : `${slug}-${before}`;
    }),
  );
}
