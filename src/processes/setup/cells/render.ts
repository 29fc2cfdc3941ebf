import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readCells, type Cells } from '../../../platform/cells/file.ts';
import { dropMoved, movedText, readMoved, takeMap, type MovedMap } from '../../../platform/cells/moved.ts';
import { StartError } from '../../../platform/config/start-error.ts';
import { OpsUsageError, type FileCommand } from '../shared/command.ts';
import { renderEnvoy } from './render/envoy.ts';
import { renderHaproxy } from './render/haproxy.ts';
import { renderNginx } from './render/nginx.ts';
import type { Rendered, Routing } from './render/routing.ts';

const PROXIES: Readonly<Record<string, (routing: Routing) => Rendered>> = {
  haproxy: renderHaproxy,
  nginx: renderNginx,
  envoy: renderEnvoy,
};

export const FILE = {
  type: 'string',
  value: 'FILE',
  meaning: 'the file of cells, as deploy/cells/cells.json',
  isNeeded: true,
} as const;

/** Writes the configuration of a proxy in front of the cells. */
export const renderCommand: FileCommand = {
  summary: 'writes the configuration of a proxy in front of the cells',
  description:
    'HAProxy reads the map of moved keys itself, the others what is written of it: for them, and with --at, ' +
    'render again after each move.',
  options: {
    file: FILE,
    for: { type: 'string', value: 'PROXY', meaning: Object.keys(PROXIES).join(', '), isNeeded: true },
    out: { type: 'string', value: 'DIR', meaning: "where to; default: the file's own folder" },
    at: { type: 'string', value: 'DIR', meaning: 'where the proxy will read them; default: --out' },
    gone: { type: 'string', value: 'CELL', meaning: 'drops from the map what leads to a cell that is gone' },
  },
  changes: () => false,
  async runOnFiles(values) {
    const [file, proxy] = [values.text('file') ?? '', values.text('for') ?? ''];
    const render = Object.hasOwn(PROXIES, proxy) ? PROXIES[proxy] : undefined;
    if (render === undefined)
      throw new OpsUsageError(`--for ${proxy} is none of ${Object.keys(PROXIES).join(', ')}.`);
    const cells = await readCells(file);
    const gone = values.text('gone');
    const dropped = gone === null ? 0 : await dropGone(cells, gone, file);
    const keysAndTokens = await readMap(cells, file);
    const at = values.text('at');
    const out = resolve(values.text('out') ?? dirname(file));
    const moved = at === null ? cells.moved : join(at, basename(cells.moved));
    const rendered = render({ ...cells, moved, keysAndTokens, folder: at ?? out });
    await mkdir(out, { recursive: true });
    for (const [name, text] of Object.entries(rendered)) await writeFile(join(out, name), text);
    // HAProxy reads the map itself: where it is, or its copy, and refuses to start without.
    if (at === null) await writeFile(cells.moved, '', { flag: 'a' });
    else await writeFile(join(out, basename(cells.moved)), movedText(keysAndTokens));
    const files = Object.keys(rendered).map((name) => join(out, name));
    const notes = gone === null ? [] : [`${cells.moved}: ${dropped} lines that led to ${gone} are dropped`];
    return { facts: { files, dropped }, text: [...notes, ...files].join('\n') };
  },
};

const hasCell = ({ cells }: Cells, cell: string) => cells.some(({ name }) => name === cell);

async function dropGone(cells: Cells, gone: string, file: string): Promise<number> {
  if (hasCell(cells, gone))
    throw new OpsUsageError(`${file} has the cell ${gone}: take it out first, when no merchant is there.`);
  const lock = await takeMap(cells.moved);
  try {
    return await dropMoved(cells.moved, gone);
  } finally {
    lock.close();
  }
}

/** A line that leads nowhere may be a typing error in the file of cells: their merchants would be refused. */
async function readMap(cells: Cells, file: string): Promise<MovedMap> {
  const moved = await readMoved(cells.moved);
  const unknown = [...new Set(moved.values())].filter((cell) => !hasCell(cells, cell));
  if (unknown.length > 0)
    throw new StartError(
      `${cells.moved} names cells that ${file} does not: ${unknown.join(', ')}. ` +
        'Of one that is gone, with no merchant left in it, --gone drops the lines.',
    );
  return moved;
}
