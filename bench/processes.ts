import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export { cpuSeconds, residentMegabytes } from './watch.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 20_000;

/** A process of this run. */
export interface Service {
  readonly pid: number;
  /** The file that has its output. */
  readonly log: string;
  /** Sends SIGTERM, and returns when it has ended. */
  stop(): Promise<void>;
}

/** What runs now, and the names of their logs' files. */
const running = new Map<ChildProcess, string>();
const stopped = new WeakSet<ChildProcess>();
const nobody: (error: Error) => void = () => undefined;
const run = { folder: '', count: 0, isEnding: false, onDeath: nobody };

/** Where logs go, and who hears of a process that ends before it is stopped. */
export function openProcesses(folder: string, onDeath: (error: Error) => void): void {
  Object.assign(run, { folder, onDeath });
}

/** Starts `node dist/processes/NAME.js` and waits for the log line that says it is ready. */
export function startService(name: 'web' | 'worker' | 'watcher', env: NodeJS.ProcessEnv): Promise<Service> {
  return ready(start(name, [`dist/processes/${name}.js`], env));
}

/**
 * Starts one of bench/floors, or another program of the bench, and waits until `processes` of it are ready.
 */
export function startOwn(file: string, env: NodeJS.ProcessEnv, processes = 1): Promise<Service> {
  return ready(start(file, ['--import', 'tsx', `bench/${file}.ts`], env), processes);
}

/** Starts a program without waiting for more than its process. */
export function start(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  program = process.execPath,
): Service {
  if (run.isEnding) throw new Error('the run ends');
  run.count += 1;
  const log = join(run.folder, `${run.count}-${name.replaceAll('/', '-')}.log`);
  const file = openSync(log, 'w');
  // Logs go to a file, as an operator would have them; a group of its own, so that Ctrl-C reaches the bench
  // alone, which then stops the rest in order.
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', file, file],
    detached: true,
  });
  closeSync(file);
  running.set(child, log);
  const end = (how: string) => {
    running.delete(child);
    if (!stopped.has(child)) run.onDeath(new Error(`${name} ended by itself (${how})${lastLines(log)}`));
  };
  child.once('error', (error) => end(error.message));
  child.once('exit', (code, signal) => end(String(code ?? signal)));
  return { pid: child.pid ?? 0, log, stop: () => stop(child) };
}

/**
 * Runs a process of the build to its end, and returns its output; throws when its exit code is not 0. `watch`
 * runs meanwhile.
 */
export async function runToEnd(
  name: string,
  env: NodeJS.ProcessEnv,
  { args = [], watch }: { args?: readonly string[]; watch?: (pid: number) => NodeJS.Timeout } = {},
): Promise<string> {
  const child = spawn(process.execPath, [`dist/processes/${name}.js`, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  stopped.add(child);
  running.set(child, '');
  let output = '';
  let errors = '';
  const watching = watch?.(child.pid ?? 0);
  child.once('exit', () => clearInterval(watching));
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${errors}${output}`);
  return output;
}

/** Stops all that still runs; `last`: nothing can be started any more. */
export async function stopAll({ last }: { last: boolean }): Promise<void> {
  run.isEnding = last;
  await Promise.all([...running.keys()].map(stop));
}

async function stop(child: ChildProcess): Promise<void> {
  stopped.add(child);
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  await ended;
  clearTimeout(killing);
}

async function ready(service: Service, processes = 1): Promise<Service> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  while (
    (readFileSync(service.log, 'utf8').match(/"(listening|working|watching)"/g)?.length ?? 0) < processes
  ) {
    if (performance.now() > giveUpAt) throw new Error(`not ready after 60 s${lastLines(service.log)}`);
    if (![...running.values()].includes(service.log))
      throw new Error(`ended before it was ready${lastLines(service.log)}`);
    await sleep(5);
  }
  return service;
}

function lastLines(log: string): string {
  const lines = log === '' ? [] : readFileSync(log, 'utf8').trim().split('\n').slice(-5);
  return lines.length === 0 ? '' : `; its last lines:\n${lines.join('\n')}`;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
