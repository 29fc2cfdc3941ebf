import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** How a receiver that is not of Node is run. */
export interface Language {
  /** Why it cannot be run here; null: it can. */
  readonly missing: string | null;
  /** Makes the program in a copy of its folder. */
  prepare(folder: string): void;
  command(port: number): readonly string[];
  /** Those beside WEBHOOK_SECRET. */
  env(folder: string): Record<string, string>;
  /** What it prints once it listens. */
  readonly listening: RegExp;
}

/** `EXAMPLES_PYTHON` names a Python that has examples/receiver-fastapi/requirements.txt. */
const PYTHON = process.env.EXAMPLES_PYTHON ?? 'python3';
const GO = runs('go', ['version']) ? 'go' : '/usr/local/go/bin/go';

export const LANGUAGES: Readonly<Record<string, Language>> = {
  'receiver-fastapi': {
    missing: runs(PYTHON, ['-c', 'import fastapi, uvicorn'])
      ? null
      : 'there is no Python with FastAPI and uvicorn: EXAMPLES_PYTHON names one',
    prepare: () => undefined,
    command: (port) => [PYTHON, '-m', 'uvicorn', 'receiver:app', '--port', String(port)],
    env: (folder) => ({ DATABASE: join(folder, 'shop.sqlite') }),
    listening: /Uvicorn running on/,
  },
  'receiver-go': {
    missing: runs(GO, ['version']) ? null : 'there is no Go',
    prepare: (folder) => {
      const { status, stderr } = spawnSync(GO, ['build', '-o', 'receiver', '.'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', CGO_ENABLED: '0' },
      });
      if (status !== 0) throw new Error(`the receiver does not compile:\n${stderr}`);
    },
    command: () => ['./receiver'],
    env: (folder) => ({ JOURNAL: join(folder, 'handled.jsonl') }),
    listening: /listening on port/,
  },
  'receiver-php': {
    missing: runs('php', ['-r', 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);'])
      ? null
      : 'there is no PHP with SQLite',
    prepare: () => undefined,
    command: (port) => ['php', '-S', `127.0.0.1:${port}`, 'hooks.php'],
    env: (folder) => ({ DATABASE: join(folder, 'shop.sqlite') }),
    listening: /Development Server/,
  },
};

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}
