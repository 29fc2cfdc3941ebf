import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from './account.ts';
import { type ReadyServer, readyServer } from './find.ts';
import { findServer } from './pid-file.ts';

const POLL_MS = 20;

/** Lines of Postgres's output that a failed start quotes. */
const KEPT_LINES = 20;

/** A child that became a server, or ended and left its last output. */
export type Launched = { server: ReadyServer } | { lastLines: string[] };

/**
 * Starts one server process and waits until it accepts connections or ends. The process leads a session of
 * its own, so that Ctrl-C in the terminal reaches this process only, which decides when the database ends. It
 * neither keeps this process alive nor ends with it.
 *
 * @param dataDir real path
 * @param deadline on the scale of `performance.now()`; a server not ready by then is ended
 * @param log gets each line that Postgres writes, as long as this process lives
 */
export async function launch(
  { file, args, options }: Command,
  dataDir: string,
  deadline: number,
  log: (line: string) => void,
): Promise<Launched> {
  const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const life = watch(child, log);
  while (!life.ended) {
    const server = await findServer(dataDir);
    const ready = server && server.pid === child.pid && (await readyServer(dataDir, server));
    if (ready) return { server: ready };
    if (performance.now() > deadline) {
      child.kill('SIGQUIT');
      return { lastLines: [...life.lastLines, 'not ready in time'] };
    }
    await sleep(POLL_MS);
  }
  return { lastLines: life.lastLines };
}

function watch(child: ChildProcess, log: (line: string) => void): { ended: boolean; lastLines: string[] } {
  const life: { ended: boolean; lastLines: string[] } = { ended: false, lastLines: [] };
  child.once('close', () => (life.ended = true));
  child.once('error', (error) => {
    life.ended = true;
    life.lastLines.push(error.message);
  });
  child.unref();
  if (child.stderr instanceof Socket) {
    child.stderr.unref();
    createInterface(child.stderr).on('line', (line) => {
      life.lastLines = [...life.lastLines, line].slice(-KEPT_LINES);
      log(line);
    });
  }
  return life;
}
