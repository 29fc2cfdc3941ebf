import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasCode } from './binaries.ts';

/** Far longer than a starting Postgres needs from creating the file to writing it. */
const SETTLE_MS = 250;

/** What a live server says about itself in `postmaster.pid`. */
export interface Server {
  pid: number;
  port: number;
  /** 'starting', 'stopping' or 'ready'; '' before the first word of it is written */
  status: string;
}

/**
 * The server that is alive on a data folder, or null. A `postmaster.pid` alone proves nothing: its process
 * may be dead and its number in use by another.
 *
 * @param dataDir real path (no symbolic links): the server is recognised by it
 */
export async function findServer(dataDir: string): Promise<Server | null> {
  const server = parse(await read(dataDir));
  return server && (await isServerOf(dataDir, server.pid)) ? server : null;
}

/**
 * Removes a `postmaster.pid` at which Postgres would fail to start: broken by a crash, or with a process
 * number that another program of the same user has now. Postgres itself removes one whose process is gone.
 * If a server is alive after all, Postgres still refuses to start a second one: it also checks shared
 * memory.
 */
export async function removeMisleadingPidFile(dataDir: string): Promise<void> {
  const content = await read(dataDir);
  if (!(await isMisleading(dataDir, content))) return;
  await sleep(SETTLE_MS);
  if ((await read(dataDir)) === content) await rm(pathOf(dataDir), { force: true });
}

async function isMisleading(dataDir: string, content: string | null): Promise<boolean> {
  if (content === null) return false;
  const server = parse(content);
  return !server || (processExists(server.pid) && !(await isServerOf(dataDir, server.pid)));
}

/** Whether this process is the postmaster of this data folder. A zombie is not: its command line is empty. */
export async function isServerOf(dataDir: string, pid: number): Promise<boolean> {
  // The command line, since /proc/<pid>/cwd of another user is closed even to root in a container.
  if (process.platform === 'linux') {
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    return args[0]?.endsWith('/postgres') === true && args[args.indexOf('-D') + 1] === dataDir;
  }
  const ps = promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  const { stdout } = await ps.catch(() => ({ stdout: '' }));
  return stdout.includes(`/postgres -D ${dataDir} `);
}

/** Whether a process of any user has this number. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'postmaster.pid');
}

async function read(dataDir: string): Promise<string | null> {
  return readFile(pathOf(dataDir), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
}

/** Lines: pid, data folder, start time, port, socket folder, address, shared memory, status (pidfile.h). */
function parse(content: string | null): Server | null {
  const lines = (content ?? '').split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!Number.isInteger(pid) || pid <= 1 || !Number.isInteger(port) || port <= 0) return null;
  return { pid, port, status: lines[7]?.trim() ?? '' };
}
