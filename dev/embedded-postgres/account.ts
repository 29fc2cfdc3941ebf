import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Binaries } from './binaries.ts';
import { hasCode } from './binaries.ts';

/** The system user that the Postgres programs run as; `null` is the user of this process. */
export type Account = { uid: number; gid: number; viaSetpriv: boolean } | null;

/** A program, its arguments and the options of `child_process.spawn` that start it as an account. */
export interface Command {
  file: string;
  args: string[];
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
}

/**
 * Decides who runs Postgres. Ordinary users do it themselves. Postgres refuses root, so root hands over to
 * the owner of an existing data folder, else to the system user `postgres`, else to `nobody`; no user is
 * added.
 *
 * @param dataDir absolute; its parent exists
 * @throws Error that says what to do when no account can use the data folder and the programs
 */
export async function chooseAccount(dataDir: string, binaries: Binaries): Promise<Account> {
  const self = process.getuid?.();
  const owner = await ownerOfContent(dataDir);
  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new Error(
        `${dataDir} belongs to another user (uid ${owner.uid}): start as that user, or remove it.`,
      );
    }
    return null;
  }
  if (owner?.uid === 0) {
    throw new Error(`${dataDir} belongs to root, and Postgres refuses root: move it away, or "chown -R" it.`);
  }
  const ids = owner ?? systemUser('postgres') ?? systemUser('nobody');
  if (!ids) throw new Error('Postgres refuses root, and here is neither a user "postgres" nor "nobody".');

  const plain = { ...ids, viaSetpriv: false };
  if (reaches(plain, dataDir, binaries).status === 0) return plain;
  const withCapability = { ...ids, viaSetpriv: true };
  const attempt = reaches(withCapability, dataDir, binaries);
  if (attempt.status === 0) return withCapability;
  throw new Error(
    `Postgres refuses root, and uid ${ids.uid} cannot reach ${binaries.postgres} or ${dirname(dataDir)} ` +
      `(a folder on the way is closed to other users; setpriv did not help: ${reasonOf(attempt)}). ` +
      'Start as an ordinary user, or "chmod o+x" the closed folders, or set DATABASE_URL.',
  );
}

/**
 * The command that runs a program as the account, away from the caller's folder (which the account may not
 * enter) and with an environment that holds nothing of ours.
 *
 * With `viaSetpriv` the account keeps one capability of root, CAP_DAC_OVERRIDE, so that it can walk through
 * folders such as /root or those of `mktemp -d` whose modes are left alone. no_setuid_fixup is needed as
 * well: initdb and postgres test their own path with access(2), which drops the capabilities of every user
 * but root otherwise.
 */
export function commandAs(account: Account, file: string, args: string[]): Command {
  const { PATH = '/usr/bin:/bin', LD_LIBRARY_PATH } = process.env;
  // LC_ALL: messages are matched in English. TZ: initdb writes it into the configuration.
  const env = { PATH, LC_ALL: 'C', TZ: 'UTC', ...(LD_LIBRARY_PATH ? { LD_LIBRARY_PATH } : {}) };
  if (!account) return { file, args, options: { cwd: '/', env } };

  const { uid, gid, viaSetpriv } = account;
  if (!viaSetpriv) return { file, args, options: { cwd: '/', env, uid, gid } };
  const become = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup'];
  const keep = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return { file: 'setpriv', args: [...become, ...keep, file, ...args], options: { cwd: '/', env } };
}

/** Owner of a data folder; null when it is missing or empty, since an empty one is replaced. */
async function ownerOfContent(dataDir: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const { uid, gid } = await stat(dataDir);
    if (uid === process.getuid?.() && (await readdir(dataDir)).length === 0) return null;
    return { uid, gid };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function systemUser(name: string): { uid: number; gid: number } | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : Number.NaN;
  });
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid: Number(uid), gid: Number(gid) } : null;
}

/** Asks the kernel rather than reading modes: access lists and missing capabilities count as well. */
function reaches(account: Account, dataDir: string, { postgres }: Binaries): SpawnSyncReturns<string> {
  const question = ['-c', 'test -r "$1" && test -x "$1" && test -x "$2"', 'sh', postgres, dirname(dataDir)];
  const { file, args, options } = commandAs(account, '/bin/sh', question);
  return spawnSync(file, args, { ...options, encoding: 'utf8' });
}

function reasonOf({ error, stderr }: SpawnSyncReturns<string>): string {
  return error?.message ?? (stderr.trim() || 'still not reachable');
}
