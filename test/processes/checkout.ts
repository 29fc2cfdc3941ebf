import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevInfo } from '../../dev/demo.ts';
import { ROOT, watch, type Service } from './service.ts';

/**
 * The project as in a fresh clone, in a folder of its own, so that a `npm run dev` of the real one is not
 * disturbed.
 */
export interface Checkout {
  readonly folder: string;
  /** What `.data/dev.json` holds. */
  facts(): DevInfo;
  /** Starts an npm script as a terminal does: signals reach npm and all its children. */
  npm(args: string[], env?: Record<string, string>): Terminal;
  remove(): Promise<void>;
}

export interface Terminal extends Service {
  /** What Ctrl-C does: SIGINT to everything that runs in the terminal. */
  pressCtrlC(): void;
  killAll(): void;
}

const open = new Set<Terminal>();
// A run that is broken off leaves nothing running: told by a signal, each ends its database, too.
process.once('exit', () => open.forEach((terminal) => terminal.pressCtrlC()));

export async function createCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'test-checkout-'));
  // As `mktemp -d` makes it, closed to other users: as root, Postgres must get into it all the same.
  await chmod(folder, 0o700);
  for (const name of [
    'package.json',
    'tsconfig.json',
    'src',
    'dev',
    'docs-site',
    'migrations',
    'assets',
    'docs',
    'dist-sdk',
  ])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    facts: () => JSON.parse(readFileSync(join(folder, '.data/dev.json'), 'utf8')) as DevInfo,
    npm(args, env = {}) {
      const { PATH = '', HOME = '' } = process.env;
      const child = spawn('npm', args, {
        cwd: folder,
        env: { PATH, HOME, NO_UPDATE_NOTIFIER: '1', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const { pid } = child;
      if (pid === undefined) throw new Error('npm does not start');
      const group = (signal: NodeJS.Signals) => void process.kill(-pid, signal);
      const terminal = {
        ...watch(child),
        pressCtrlC: () => group('SIGINT'),
        killAll: () => group('SIGKILL'),
      };
      open.add(terminal);
      child.once('close', () => open.delete(terminal));
      return terminal;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
