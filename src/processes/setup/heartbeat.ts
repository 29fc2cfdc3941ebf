import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, type Log } from '../../platform/log.ts';

/**
 * Holds the worker's process id, for the health check of its container. Several workers on one machine need a
 * TMPDIR each.
 */
const FILE = join(tmpdir(), 'payment-checkout-worker.beat');
const EVERY_MS = 5_000;
/** A relay without Postgres makes no pass; half a minute of that is an outage. */
const SILENCE_MS = 30_000;

export interface Heartbeat {
  /**
   * Records that the worker is alive: the relay calls it after each pass that reached Postgres and the queue.
   */
  beat(): void;
  end(): void;
}

/**
 * The heartbeat of this process. When its file cannot be written, it logs that once and the worker goes on.
 */
export function startHeartbeat(log: Log): Heartbeat {
  let last = 0;
  let isWarned = false;
  return {
    beat() {
      const now = Date.now();
      if (now - last < EVERY_MS) return;
      last = now;
      try {
        touch(now);
      } catch (error) {
        if (!isWarned)
          log.warn('heartbeat file cannot be written; the health check will fail', {
            error: messageOf(error),
          });
        isWarned = true;
      }
    },
    end: () => rmSync(FILE, { force: true }),
  };
}

function touch(now: number): void {
  if (ownerOfFile() === process.pid) utimesSync(FILE, now / 1000, now / 1000);
  else writeFileSync(FILE, String(process.pid));
}

/** True when the worker on this machine is alive and its relay made a pass within 30 s. */
export function isBeating(): boolean {
  const pid = ownerOfFile();
  if (pid === null) return false;
  try {
    return Date.now() - statSync(FILE).mtimeMs < SILENCE_MS && process.kill(pid, 0);
  } catch {
    // The file or the process is gone. (The check runs as the worker's user, so EPERM means another process.)
    return false;
  }
}

function ownerOfFile(): number | null {
  try {
    const pid = Number(readFileSync(FILE, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}
