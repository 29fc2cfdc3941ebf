import { createHash } from 'node:crypto';
import { open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../config/start-error.ts';
import { exclusive } from '../exclusive.ts';

/**
 * The map file: where the keys and tokens of merchants are that were moved. A line is a lookup, a blank and
 * the name of a cell (`deploy/cells`).
 */
export type MovedMap = ReadonlyMap<string, string>;

const LINE = /^([0-9a-f]{64}) ([a-z0-9]{1,8})$/;

/**
 * The lookup of a key, of the token of a page, or of the token in the cookie of a till, as clients send it:
 * its SHA-256 in hex. Keys and tokens have 192 random bits, so nobody finds one by its lookup.
 */
export function lookupOf(sent: string): string {
  return createHash('sha256').update(sent).digest('hex');
}

/** Reads the text of a map; `file` is its name in errors. Throws StartError for a line that is none. */
export function parseMoved(text: string, file: string): MovedMap {
  const moved = new Map<string, string>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const [, lookup, cell] = LINE.exec(line) ?? [];
    // The line itself may be a key that somebody has pasted.
    if (lookup === undefined || cell === undefined)
      throw new StartError(`${file}: line ${at + 1} is no SHA-256 in hex, a blank and a cell.`);
    moved.set(lookup, cell);
  }
  return moved;
}

/** Reads a map file; one that does not exist is empty. */
export async function readMoved(file: string): Promise<MovedMap> {
  try {
    return parseMoved(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
}

/** The text of a map: each lookup once, because HAProxy takes the first of several. */
export function movedText(moved: MovedMap): string {
  const lines = [...moved].map(([lookup, cell]) => `${lookup} ${cell}\n`);
  return `# A lookup, a blank, a cell: deploy/cells says of what.\n${lines.join('')}`;
}

/**
 * Lets one command of a machine write the map file: of two at once, each of which writes the whole map, one
 * would lose what the other has noted. Throws StartError where another one has it.
 */
export async function takeMap(map: string): Promise<{ close(): void }> {
  try {
    return await exclusive(map, { file: 'map', holder: 'command' });
  } catch (error) {
    throw error instanceof RangeError ? new StartError(`${error.message}.`) : error;
  }
}

/**
 * Notes in a map file that these lookups are in `cell` from now on; what it said of them before is replaced.
 * It is on the disk when this returns; a file that says so already is left as it is. Whoever calls it lets
 * nobody else write the file meanwhile.
 */
export async function recordMoved(file: string, lookups: Iterable<string>, cell: string): Promise<void> {
  const moved = new Map(await readMoved(file));
  const others = [...lookups].filter((lookup) => moved.get(lookup) !== cell);
  for (const lookup of others) moved.set(lookup, cell);
  if (others.length > 0) await replaceFile(file, movedText(moved));
  // A name is its folder's; who wrote it may have been killed before this.
  await withFile(dirname(file), 'r', (folder) => folder.sync());
}

/**
 * Drops what leads to a cell that is gone: its keys and tokens go where they say themselves, and are refused
 * there. Returns how many there were. Whoever calls it lets nobody else write the file meanwhile.
 */
export async function dropMoved(file: string, cell: string): Promise<number> {
  const moved = await readMoved(file);
  const kept = new Map([...moved].filter(([, there]) => there !== cell));
  if (kept.size < moved.size) await replaceFile(file, movedText(kept));
  return moved.size - kept.size;
}

/** Whoever reads the file meanwhile, also behind a loss of power, finds the old one or the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  await withFile(next, 'w', async (handle) => {
    await handle.writeFile(text);
    await handle.sync();
  });
  await rename(next, file);
}

async function withFile(
  path: string,
  flags: 'r' | 'w',
  work: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(path, flags);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
