import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The folder above `dist`: another one than the checkout's while a test builds its own. */
const BUILD = process.env['CHAOS_BUILD'] ?? ROOT;
const TAIL_LINES = 15;
const TAIL_COLUMNS = 500;
/** The pause before a process that has ended is started again. */
const RESTART_AFTER_MS = 300;

/** A process of the build that is restarted whenever it ends, until it is stopped. */
export interface Supervised {
  readonly name: string;
  /** Unexpected exits after it began to work. Before that it may exit because Postgres is down. */
  readonly faults: readonly string[];
  /** The log file of each start, oldest first. */
  readonly logs: readonly string[];
  /** Sends SIGKILL; false when it is not running. */
  kill(): boolean;
  /** Sends SIGTERM; it must end with exit code 0, and is started again. */
  terminate(): boolean;
  /** Lets it hang, connections open, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Whether the latest start has logged that it works. */
  isWorking(): boolean;
  /** Sends SIGTERM without a restart, and returns the exit code or signal. */
  stop(): Promise<number | NodeJS.Signals>;
}

/**
 * Starts `node dist/processes/PROGRAM.js` with its own folder for temporary files and logs. Each start calls
 * `env` for its variables.
 */
export function supervise(
  name: string,
  program: 'web' | 'worker',
  env: () => NodeJS.ProcessEnv,
  folder: string,
): Supervised {
  const home = join(folder, name);
  mkdirSync(home);
  const faults: string[] = [];
  const logs: string[] = [];
  let child: ChildProcess | null = null;
  let isTerminated = false;
  const send = (signal: NodeJS.Signals) =>
    child?.exitCode === null && child.signalCode === null && child.kill(signal);
  const stop = new AbortController();
  const live = async () => {
    for (let life = 1; !stop.signal.aborted; life += 1) {
      const log = join(home, `${life}.log`);
      logs.push(log);
      child = startProcess(program, { ...env(), TMPDIR: home }, log);
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      if (stop.signal.aborted) return code ?? signal ?? 0;
      if (signal === 'SIGKILL') continue;
      const isExpected = isTerminated && code === 0;
      isTerminated = false;
      if (saysItWorks(log) && !isExpected)
        faults.push(`${name} ended by itself (${code ?? signal}), see ${log}`);
      await sleep(RESTART_AFTER_MS);
    }
    return 0;
  };
  const ended = live();
  return {
    name,
    faults,
    logs,
    kill: () => send('SIGKILL'),
    terminate: () => (isTerminated = send('SIGTERM')),
    freeze: () => void send('SIGSTOP'),
    thaw: () => void send('SIGCONT'),
    isWorking: () => saysItWorks(logs.at(-1)),
    stop() {
      stop.abort();
      child?.kill('SIGTERM');
      return ended;
    },
  };
}

function saysItWorks(log: string | undefined): boolean {
  return log !== undefined && /"(listening|working)"/.test(readFileSync(log, 'utf8'));
}

/** Runs a process of the build to its end; throws when its exit code is not 0. */
export async function runToEnd(program: string, env: NodeJS.ProcessEnv, log: string): Promise<void> {
  const [code] = (await once(startProcess(program, env, log), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${tailOf(log)}`);
}

/** The last lines of a log. */
export function tailOf(log: string | undefined): string {
  const lines = log === undefined ? [] : readFileSync(log, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES);
  return lines.map((line) => line.slice(0, TAIL_COLUMNS)).join('\n');
}

function startProcess(program: string, env: NodeJS.ProcessEnv, log: string): ChildProcess {
  const { PATH, HOME, TMPDIR } = process.env;
  const file = openSync(log, 'w');
  const child = spawn(process.execPath, [join(BUILD, `dist/processes/${program}.js`)], {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR, ...env },
    // A file keeps the last output of a process, however it ends.
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  return child;
}
