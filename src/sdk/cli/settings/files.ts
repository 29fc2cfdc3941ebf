import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError } from '../command/command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const FOLDER = 'payment-checkout';

type Environment = Terminal['env'];

/** Where settings are: logins, and the secret of `listen` (XDG Base Directory Specification). */
export function settingsPath(env: Environment, file: string): string {
  return pathBelow(env, env.XDG_CONFIG_HOME, '.config', file);
}

/** Where the program keeps what it needs to go on after its end. */
export function statePath(env: Environment, file: string): string {
  return pathBelow(env, env.XDG_STATE_HOME, '.local/state', file);
}

// The specification has relative paths ignored.
function pathBelow(env: Environment, base: string | undefined, usual: string, file: string): string {
  const folder = base !== undefined && isAbsolute(base) ? base : join(env.HOME ?? homedir(), usual);
  return join(folder, FOLDER, file);
}

/** The text of a file; null where there is none. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new CommandError(`${path} cannot be read (${codeOf(error)}): repair it, or remove it`, {
      cause: error,
    });
  }
}

/**
 * Replaces a file at once, so that a program that is killed leaves the old or the new text. Nobody but its
 * owner can read it.
 */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, text, { mode: 0o600 });
    // A draft that a killed program left keeps its mode.
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${codeOf(error)}): check its folder`, {
      cause: error,
    });
  }
}

/** Whether others than the owner may read the file. Windows has no such modes. */
export function isExposed(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
}

/**
 * The code of an error of the system, such as ENOENT, else its message; of errors with a cause, the cause's.
 */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return codeOf(error.cause);
  return 'code' in error ? String(error.code) : error.message;
}
