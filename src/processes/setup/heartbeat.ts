import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, type Log } from '../../platform/log.ts';

const EVERY_MS = 5_000;
/** A relay without Postgres makes no pass; half a minute of that is an outage. */
const SILENCE_MS = 30_000;

/**
 * One file for each worker, by host and process id: workers that share a TMPDIR, also containers that mount
 * one folder and number their processes alike, do not mix their health.
 */
const PREFIX = `payment-checkout-worker.${hostname()}.`;
const SUFFIX = '.beat';

export interface Heartbeat {
  /**
   * Records that the worker is alive: the relay calls it after each pass that reached Postgres and the queue.
   */
  beat(): void;
  /** Records what the worker leaves undone in its queues; nothing: all is well. */
  report(reasons: readonly string[]): void;
  end(): void;
}

/**
 * The heartbeat of this process. When its file cannot be written, it logs that once and the worker goes on.
 */
export function startHeartbeat(log: Log): Heartbeat {
  const file = fileOf(process.pid);
  let last = -Infinity;
  let isWarned = false;
  let text = '';
  const write = () => {
    try {
      writeFileSync(file, text);
    } catch (error) {
      if (!isWarned)
        log.warn('heartbeat file cannot be written; the health check will fail', {
          error: messageOf(error),
        });
      isWarned = true;
    }
  };
  removeFilesOfTheDead();
  return {
    beat() {
      const now = performance.now();
      if (now - last < EVERY_MS) return;
      last = now;
      write();
    },
    report(reasons) {
      const before = text;
      text = reasons.join('\n');
      // Writing would also be a sign of life, which only the relay's passes are.
      if (text !== before && last > -Infinity) {
        last = -Infinity;
        if (text !== '') log.error('this worker finishes nothing of what is due', { reasons });
      }
    },
    end: () => rmSync(file, { force: true }),
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
    if (silentMs >= SILENCE_MS) return [`it has moved nothing for ${Math.floor(silentMs / 1000)} s`];
    return readFileSync(fileOf(pid), 'utf8')
      .split('\n')
      .filter((reason) => reason !== '');
  } catch {
    return ['it gives no sign of life'];
  }
}

function fileOf(pid: number): string {
  return join(tmpdir(), `${PREFIX}${pid}${SUFFIX}`);
}

function pidsWithFile(): number[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX))
    .map((name) => Number(name.slice(PREFIX.length, -SUFFIX.length)))
    .filter((pid) => Number.isInteger(pid) && pid > 0);
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
