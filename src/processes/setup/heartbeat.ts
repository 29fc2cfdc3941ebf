import { lstatSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, type Log } from '../../platform/log.ts';

const EVERY_MS = 5_000;
/** A process whose loop has not turned for half a minute does not come back. */
const SILENCE_MS = 30_000;

/**
 * One file for each worker, by host and process id: workers that share a TMPDIR, also containers that mount
 * one folder and number their processes alike, do not mix their health.
 */
const PREFIX = `payment-checkout-worker.${hostname()}.`;
const SUFFIX = '.beat';

/**
 * Writes this process's file again and again, which says that its own loop moves and nothing else: a restart
 * helps neither Postgres nor Redis nor a queue that is paused, and it ends what is under way. When the file
 * cannot be written, it logs that once and the worker goes on. Returns what ends it.
 */
export function startHeartbeat(log: Log): () => void {
  const file = fileOf(process.pid);
  let isWarned = false;
  const attempt = (change: () => void) => {
    try {
      change();
    } catch (error) {
      if (!isWarned)
        log.warn('heartbeat file cannot be written; the health check will fail', {
          error: messageOf(error),
        });
      isWarned = true;
    }
  };
  const write = () => writeFileSync(file, '');
  attempt(removeFilesOfTheDead);
  attempt(write);
  const beating = setInterval(() => attempt(write), EVERY_MS);
  return () => {
    clearInterval(beating);
    rmSync(file, { force: true });
  };
}

/**
 * What is wrong with the workers of this host, or with the one that has this process id; nothing: all is
 * well.
 */
export function findFaults(pid: number | null): string[] {
  const pids = pid === null ? pidsWithFile() : [pid];
  if (pids.length === 0) return ['no worker runs here'];
  return pids.flatMap((one) => faultsOf(one).map((fault) => `worker ${one}: ${fault}`));
}

function faultsOf(pid: number): string[] {
  try {
    const silentMs = Date.now() - statSync(fileOf(pid)).mtimeMs;
    if (!isAlive(pid)) return ['it ended without draining'];
    return silentMs < SILENCE_MS ? [] : [`its loop has not turned for ${Math.floor(silentMs / 1000)} s`];
  } catch {
    return ['it gives no sign of life'];
  }
}

function fileOf(pid: number): string {
  return join(tmpdir(), `${PREFIX}${pid}${SUFFIX}`);
}

function pidsWithFile(): number[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX) && isOwn(join(tmpdir(), name)))
    .map((name) => Number(name.slice(PREFIX.length, -SUFFIX.length)))
    .filter((pid) => Number.isInteger(pid) && pid > 0);
}

/**
 * Another user may share the folder: with a service of theirs, whose processes and files this user may
 * neither signal nor remove, or to be a nuisance.
 */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isFile() && found.uid === (process.getuid?.() ?? found.uid);
}

/** Before a worker writes its own: those that were killed have left theirs. */
function removeFilesOfTheDead(): void {
  for (const pid of pidsWithFile()) if (!isAlive(pid)) rmSync(fileOf(pid), { force: true });
}

/** The check runs as the worker's user, so EPERM means another process. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
