import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Account, type Command, commandAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { processExists } from './pid-file.ts';
import { hasCode } from './binaries.ts';

/** Name of the superuser of every cluster created here. */
export const SUPERUSER = 'postgres';

const PASSWORD_FILE = 'embedded-password';

/**
 * Creates a Postgres data folder at `dataDir` unless it exists: UTF8, sorted by code point, UTC, and a
 * random superuser password in a file of mode 0600 within. All or nothing: it is built beside and then
 * renamed, so a process that dies half-way leaves no broken folder, and of two at once one wins and the other
 * uses its result.
 *
 * @param dataDir absolute; its parent exists and `account` can enter it
 * @throws Error with the last output of initdb, or when the folder holds something that is no Postgres data
 */
export async function initialise(
  dataDir: string,
  account: Account,
  binaries: Binaries,
  flags: string[],
): Promise<void> {
  await removeAbandoned(dataDir);
  if (await isInitialised(dataDir)) return;

  const staging = `${dataDir}.init-${process.pid}-${randomBytes(4).toString('hex')}`;
  const cluster = join(staging, 'cluster');
  const password = join(staging, 'password');
  try {
    for (const folder of [staging, cluster]) await mkdir(folder, { mode: 0o700 });
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    if (account) for (const path of [staging, cluster, password]) await chown(path, account.uid, account.gid);
    await runInitdb(dataDir, commandAs(account, binaries.initdb, initdbArgs(cluster, password, flags)));
    await rename(password, join(cluster, PASSWORD_FILE));
    await rename(cluster, dataDir);
  } catch (error) {
    const otherWon = hasCode(error, 'ENOTEMPTY', 'EEXIST') && (await isInitialised(dataDir));
    if (!otherWon) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The superuser's password of a data folder that `initialise` created. */
export async function readPassword(dataDir: string): Promise<string> {
  return readFile(join(dataDir, PASSWORD_FILE), 'utf8');
}

async function isInitialised(dataDir: string): Promise<boolean> {
  const names = await readdir(dataDir).catch((error: unknown): string[] => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  if (names.length === 0) return false;
  if (names.includes(PASSWORD_FILE)) return true;
  throw new Error(`${dataDir} is not empty and was not made by the embedded Postgres: move it away.`);
}

/** The builtin locale C.UTF-8 sorts like C, and knows upper and lower case beyond ASCII on every system. */
function initdbArgs(cluster: string, passwordFile: string, flags: string[]): string[] {
  const access = ['-U', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const text = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  return ['-D', cluster, ...access, ...text, '--no-instructions', ...flags];
}

async function runInitdb(dataDir: string, { file, args, options }: Command): Promise<void> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const outcome = await new Promise<string | number | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  if (outcome === 0) return;
  const hint = output.includes('error while loading shared libraries')
    ? ' Its npm package was installed without its install script: run "npm rebuild".'
    : '';
  throw new Error(`Postgres could not make ${dataDir} (initdb: ${outcome}).${hint}\n${output.trim()}`);
}

/**
 * Removes the folders of killed `initialise` runs, which have process ids in their names, as far as
 * permitted.
 */
async function removeAbandoned(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.init-`;
  for (const name of await readdir(dirname(dataDir))) {
    const suffix = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    const [, maker] = /^(\d+)-[0-9a-f]{8}$/.exec(suffix) ?? [];
    if (maker === undefined || processExists(Number(maker))) continue;
    // Its initdb may outlive the killed process for a moment and still be writing.
    const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
    await rm(join(dirname(dataDir), name), options).catch(() => {});
  }
}
