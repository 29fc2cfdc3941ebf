import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installHelpers, ROOT, watch, type Service } from '../processes/service.ts';

/** How the samples of a language are run, as a reader runs them. */
export interface Language {
  readonly folder: string;
  readonly extension: string;
  /** What says whether the language is there. */
  readonly probe: readonly string[];
  /** The command that runs a file; where it `listens`, on that port. */
  command(file: string, listens: number | null): readonly string[];
}

const work = mkdtempSync(join(tmpdir(), 'test-samples-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

export const LANGUAGES: readonly Language[] = [
  { folder: 'curl', extension: 'sh', probe: ['curl', '--version'], command: (file) => ['sh', file] },
  {
    folder: 'typescript',
    extension: 'ts',
    probe: [process.execPath, '--version'],
    command: (file) => [process.execPath, '--import', TSX, inProject(file)],
  },
  {
    folder: 'python',
    extension: 'py',
    probe: ['python3', '--version'],
    command: (file) => ['python3', file],
  },
  {
    folder: 'php',
    extension: 'php',
    probe: ['php', '--version'],
    command: (file, listens) => ['php', ...(listens === null ? [] : ['-S', `127.0.0.1:${listens}`]), file],
  },
  { folder: 'go', extension: 'go', probe: ['go', 'version'], command: (file) => [built(file)] },
];

/** Whether the machine has what the language needs. */
export function isThere({ probe: [program = '', ...args] }: Language): boolean {
  return spawnSync(program, args, { env: environment() }).status === 0;
}

/** Starts a program with the variables of samples, and no others of ours. */
export function startProgram(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
): Service & { end(): Promise<void> } {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: work,
    env: { ...environment(), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // With a group of its own, in which what it starts ends with it.
    detached: true,
  });
  const service = watch(child);
  return {
    ...service,
    async end() {
      if (!service.isOver()) process.kill(-service.pid, 'SIGKILL');
      await service.ended();
    },
  };
}

function environment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH: `${PATH}:/usr/local/go/bin`, HOME };
}

let project: string | undefined;

/** A copy of the file in a project that has installed the SDK. */
function inProject(file: string): string {
  if (project === undefined) {
    project = mkdtempSync(join(work, 'project-'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    installHelpers(project);
  }
  const copy = join(project, file.slice(file.lastIndexOf('/') + 1));
  copyFileSync(file, copy);
  return copy;
}

/** `go run` would leave its program running when it is ended. */
function built(file: string): string {
  const program = join(work, file.slice(file.lastIndexOf('/') + 1).replace('.go', ''));
  const { status, stderr } = spawnSync('go', ['build', '-o', program, file], {
    cwd: ROOT,
    env: environment(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} does not compile:\n${stderr}`);
  return program;
}
