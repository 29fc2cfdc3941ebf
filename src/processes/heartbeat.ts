import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One worker runs in a container; its health check finds it by this file. */
const FILE = join(tmpdir(), 'payment-checkout-worker.beat');
const EVERY_MS = 5_000;
/** A relay that waits for Postgres makes no round; half a minute of that is no hiccup any more. */
const SILENCE_MS = 30_000;

let last = 0;

/** Notes that the worker moves work: called by the relay after each round that reached Postgres and the queue. */
export function beat(): void {
  const now = Date.now();
  if (now - last < EVERY_MS) return;
  last = now;
  try {
    utimesSync(FILE, now / 1000, now / 1000);
  } catch {
    writeFileSync(FILE, '');
  }
}

/** True when a worker on this machine has moved work lately. */
export function isBeating(): boolean {
  try {
    return Date.now() - statSync(FILE).mtimeMs < SILENCE_MS;
  } catch {
    return false;
  }
}
