import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** A process of the build, started as the Procfile does. */
export interface Service {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts `node dist/processes/NAME.js` and waits for the log line that says it is ready. */
export function startService(name: 'web' | 'worker', env: NodeJS.ProcessEnv): Promise<Service> {
  return start(name, [`dist/processes/${name}.js`], env);
}

/** Starts the floor that deliveries are compared with. */
export function startFloor(env: NodeJS.ProcessEnv): Promise<Service> {
  return start('floor', ['--import', 'tsx', 'bench/floor.ts'], env);
}

async function start(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<Service> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await saidReady(child, name);
  return {
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function saidReady(child: ChildProcess, name: string): Promise<void> {
  const lines = child.stdout;
  if (lines === null) throw new Error('no output to read');
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${name} ended before it was ready`);
  });
  const ready = new Promise<void>((resolve) => {
    lines.on('data', (chunk: Buffer) => {
      if (/"(listening|working)"/.test(chunk.toString())) resolve();
    });
  });
  await Promise.race([ready, ended]);
  ended.catch(() => undefined);
}

/** Runs a process of the build to its end. */
export function runToEnd(name: string, env: NodeJS.ProcessEnv): void {
  const { status } = spawnSync(process.execPath, [`dist/processes/${name}.js`], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds of a process so far, with all its children, running and ended (Linux). */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  const own = (fields[11] ?? 0) + (fields[12] ?? 0) + (fields[13] ?? 0) + (fields[14] ?? 0);
  return own / TICKS_PER_SECOND + childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), 0);
}

/** Memory in use, in MB (Linux). */
export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Returns the fields of /proc/PID/stat from the state on: 1 is the parent, 11 to 14 are the CPU times. */
function statOf(pid: number): number[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    // It ended between being listed and being read.
    return [];
  }
}

function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return all.filter((candidate) => statOf(candidate)[1] === pid);
}
