import { setTimeout as sleep } from 'node:timers/promises';
import { isServerOf } from './pid-file.ts';
import { hasCode } from './binaries.ts';

const POLL_MS = 20;

/**
 * Postgres's own meanings: SIGINT ends clients and writes everything out, SIGQUIT ends at once and recovers
 * later.
 */
const STEPS = [
  { signal: 'SIGINT', patienceMs: 10_000 },
  { signal: 'SIGQUIT', patienceMs: 8_000 },
] as const;

/**
 * Ends the server of a data folder and returns when its process is gone; does nothing when it is gone
 * already. The server need not be a child of this process.
 *
 * @param dataDir real path
 * @throws Error when it outlives every signal
 */
export async function stopServer(dataDir: string, pid: number): Promise<void> {
  for (const { signal, patienceMs } of STEPS) {
    if (!(await isServerOf(dataDir, pid))) return;
    send(pid, signal);
    if (await hasEnded(dataDir, pid, performance.now() + patienceMs)) return;
  }
  throw new Error(`The Postgres of ${dataDir} (process ${pid}) does not end.`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function hasEnded(dataDir: string, pid: number, deadline: number): Promise<boolean> {
  while (await isServerOf(dataDir, pid)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
