import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, type Log } from '../../platform/log.ts';

/** One worker runs in a container; its health check finds it by this file, which holds its process id. Others need a TMPDIR each. */
const FILE = join(tmpdir(), 'payment-checkout-worker.beat');
const EVERY_MS = 5_000;
/** A relay that waits for Postgres makes no round; half a minute of that is no hiccup any more. */
const SILENCE_MS = 30_000;

export interface Heartbeat {
  /** Notes that the worker moves work: called by the relay after each round that reached Postgres and the queue. */
  beat(): void;
  end(): void;
}

/** The heartbeat of this process. A file that cannot be written is no reason to stop working: the log says it once. */
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
        if (!isWarned) log.warn('the health check cannot be told', { error: messageOf(error) });
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

/** True when the worker on this machine lives and has moved work lately. */
export function isBeating(): boolean {
  const pid = ownerOfFile();
  if (pid === null) return false;
  try {
    return Date.now() - statSync(FILE).mtimeMs < SILENCE_MS && process.kill(pid, 0);
  } catch {
    // Removed in between, or the process is gone. (The check runs as the worker's user, so EPERM means another process, too.)
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
