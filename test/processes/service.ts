import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../src/platform/config/config.ts';
import { messageOf } from '../../src/platform/log.ts';
import * as client from '../../src/sdk/client/index.ts';
import * as edge from '../../src/sdk/edge/index.ts';
import * as webhooks from '../../src/sdk/index.ts';
import { until } from '../support/until.ts';

export { freePort } from '../support/free-port.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Starting through tsx takes a second of CPU, and other tests may be at work. */
const PATIENCE_MS = 30_000;

/** TEST_BUILD names a project that `npm run build` has just built, as a step of CI has. */
let buildFolder: string | undefined = process.env.TEST_BUILD;

/**
 * Builds the service as `npm run build` does, into a temporary folder beside links to what it reads, once per
 * process: what these tests start is what production starts, and is never out of date. Returns the folder
 * above `dist`.
 */
export function build(): string {
  if (buildFolder !== undefined) return buildFolder;
  const folder = mkdtempSync(join(tmpdir(), 'test-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['package.json', 'node_modules', 'migrations', 'assets', 'dist-sdk'])
    symlinkSync(join(ROOT, name), join(folder, name));
  run([join(ROOT, 'build.mjs'), join(folder, 'dist')]);
  run(['--import', 'tsx', join(ROOT, 'docs-site/build.ts'), join(folder, 'dist/docs')]);
  buildFolder = folder;
  return folder;
}

/** Puts the SDK into `folder`'s node_modules, for ES modules. (How it is packed is tested elsewhere.) */
export function installHelpers(folder: string): void {
  const target = join(folder, 'node_modules/payment-checkout');
  cpSync(join(ROOT, 'package.json'), join(target, 'package.json'));
  const built = join(target, 'dist-sdk');
  compile('tsconfig.sdk.json', built, ['--module', 'commonjs']);
  writeFileSync(join(built, 'package.json'), '{ "type": "commonjs" }');
  for (const [entry, names] of [
    ['index', Object.keys(webhooks)],
    ['client/index', Object.keys(client)],
    ['edge/index', Object.keys(edge)],
  ] as const)
    writeFileSync(join(built, `${entry}.mjs`), `export { ${names.join()} } from './index.js';`);
}

/** Types are checked elsewhere. */
function compile(project: string, outDir: string, flags: readonly string[]): void {
  run([join(ROOT, 'node_modules/.bin/tsc'), '-p', project, '--noCheck', '--outDir', outDir, ...flags]);
}

function run(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
}

export type ProcessName =
  | 'web'
  | 'worker'
  | 'watcher'
  | 'signer'
  | 'release'
  | 'worker-health'
  | 'merchants'
  | 'ops';

/** A child process, its output and its end. */
export interface Service {
  readonly pid: number;
  /** Standard output and error so far, in the order in which they came. */
  output(): string;
  /** Standard output alone. */
  printed(): string;
  /**
   * Resolves when the output holds `text` (again, after `from` characters); rejects when the process ends
   * before, or in time.
   */
  says(text: string | RegExp): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  isOver(): boolean;
  /** Closes our end of its output, as a terminal does that is closed. */
  hangUp(): void;
  /** The exit code, or the name of the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
}

const running = new Set<ChildProcess>();
/** The log entries of errors that nothing handled. */
const unhandled: string[] = [];
process.once('exit', () => killAll());

/**
 * Ends what a test left running, and throws when a process had an error that nothing handled: call it after
 * each.
 */
export async function endAll(): Promise<void> {
  const ends = [...running].map((child) => once(child, 'close'));
  killAll();
  await Promise.all(ends);
  const faults = unhandled.splice(0);
  if (faults.length > 0) throw new Error(`nothing handled an error:\n${faults.join('\n')}`);
}

function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts a process of the build as the Procfile does, with these variables and no others of ours. `build`
 * must have been called.
 */
export function startProcess(
  name: ProcessName,
  env: Environment,
  args: string[] = [],
  options: { mayFail?: boolean; input?: string } = {},
): Service {
  if (buildFolder === undefined) throw new Error('not built');
  return startNode([join(buildFolder, `dist/processes/${name}.js`), ...args], env, options);
}

/**
 * Starts node in the project's folder, or in another one. `mayFail`: the test expects errors that nothing
 * handles. `input`: its standard input, none without.
 */
export function startNode(
  args: readonly string[],
  env: Environment,
  options: { cwd?: string; mayFail?: boolean; input?: string } = {},
): Service {
  return startProgram([process.execPath, ...args], env, options);
}

/** The same with any program: its path, or a name that PATH finds, and its arguments. */
export function startProgram(
  [program = '', ...args]: readonly string[],
  env: Environment,
  { cwd = ROOT, mayFail = false, input }: { cwd?: string; mayFail?: boolean; input?: string } = {},
): Service {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // It may end before it has read all of it.
  child.stdin?.on('error', () => undefined).end(input);
  running.add(child);
  child.once('close', () => running.delete(child));
  const service = watch(child);
  child.once('close', () => {
    const lines = service.output().split('\n');
    if (!mayFail) unhandled.push(...lines.filter((line) => line.includes('unhandled error')));
  });
  return service;
}

/** Follows a child whose standard output and error are pipes. */
export function watch(child: ChildProcess): Service {
  let output = '';
  let printed = '';
  let isOver = false;
  const end = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      resolve(code ?? signal);
    });
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdout?.on('data', (text: string) => (printed += text));
  const untilIts = (what: string, condition: () => boolean) =>
    until(`it ${what}`, condition, PATIENCE_MS).catch((error: unknown) => {
      throw new Error(`${messageOf(error)}; its output:\n${output}`);
    });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    printed: () => printed,
    says: (text) =>
      untilIts(`says ${String(text)}`, () => {
        if (typeof text === 'string' ? output.includes(text) : text.test(output)) return true;
        if (isOver) throw new Error('it ended before');
        return false;
      }),
    signal: (signal) => void child.kill(signal),
    isOver: () => isOver,
    hangUp() {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    async ended() {
      await untilIts('ends', () => isOver);
      return end;
    },
  };
}
