import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/documents.ts';

/** How the package of a language is tested and used. */
export interface Language {
  /** Why it cannot be run here; null: it can. */
  readonly missing: string | null;
  /** The commands of its own tests, each below its folder. */
  readonly tests: readonly { readonly folder: string; readonly command: readonly string[] }[];
  /** The first block of code of integrations/<name>/README.md, as a program in `folder`. */
  program(code: string, folder: string): readonly string[];
  receiver(port: number): readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the receiver prints once it listens. */
  readonly listening: RegExp;
}

const PYTHON_FOLDER = join(ROOT, 'integrations/python');
const PHP_FOLDER = join(ROOT, 'integrations/php');

export const LANGUAGES: Readonly<Record<string, Language>> = {
  python: {
    missing: runs('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])
      ? null
      : 'there is no Python 3.9 or newer',
    tests: [
      {
        folder: PYTHON_FOLDER,
        command: ['python3', '-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'],
      },
    ],
    program(code, folder) {
      writeFileSync(join(folder, 'program.py'), code);
      return ['python3', join(folder, 'program.py')];
    },
    receiver: () => ['python3', join(PYTHON_FOLDER, 'examples/receiver.py')],
    env: { PYTHONPATH: PYTHON_FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
    listening: /listening on port/,
  },
  php: {
    missing: runs('php', ['-r', 'exit(PHP_VERSION_ID >= 80100 && extension_loaded("pdo_sqlite") ? 0 : 1);'])
      ? null
      : 'there is no PHP 8.1 or newer with SQLite',
    tests: [PHP_FOLDER, join(ROOT, 'integrations/woocommerce')].map((folder) => ({
      folder,
      command: ['php', ...strict(), join(PHP_FOLDER, 'tests/run.php'), join(folder, 'tests')],
    })),
    program(code, folder) {
      // Composer would have made it.
      mkdirSync(join(folder, 'vendor'));
      writeFileSync(join(folder, 'vendor/autoload.php'), `<?php require '${PHP_FOLDER}/autoload.php';`);
      writeFileSync(join(folder, 'program.php'), code.startsWith('<?php') ? code : `<?php\n${code}`);
      return ['php', ...strict(), join(folder, 'program.php')];
    },
    receiver: (port) => ['php', '-S', `127.0.0.1:${port}`, join(PHP_FOLDER, 'examples/receiver.php')],
    env: {},
    listening: /Development Server/,
  },
};

/** Notices and deprecations are said, and shown to the test. */
function strict(): string[] {
  return ['-d', 'error_reporting=-1', '-d', 'display_errors=stderr'];
}

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}
