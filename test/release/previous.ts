import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../processes/service.ts';
import { migrationsByTheRules } from '../support/migrations.ts';

/** A commit, or why there is none to compare with. */
export type Previous = { readonly commit: string } | { readonly missing: string };

/**
 * The previous release: PREVIOUS_RELEASE (a tag or a commit), or the newest version tag below this commit.
 * While there is none: the newest commit that each migration written by the rules comes after, whatever the
 * order in which their branches were merged. All of those migrations must let its processes serve.
 */
export function findPrevious(): Previous {
  const given = process.env['PREVIOUS_RELEASE'];
  if (given !== undefined && given !== '')
    return { commit: git('rev-parse', '--verify', `${given}^{commit}`) };
  if (tryGit('rev-parse', '--git-dir') === null) return { missing: 'this is no clone with a history' };
  const tag = tryGit('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  if (tag !== null) return { commit: git('rev-parse', '--verify', `${tag}^{commit}`) };
  const files = migrationsByTheRules().map((name) => `migrations/${name}.sql`);
  const added = git('log', '--no-renames', '--diff-filter=A', '--format=%H', '--', ...files).split('\n');
  const before = tryGit('merge-base', '--octopus', ...added.map((commit) => `${commit}^`));
  return before === null
    ? { missing: 'the history of this clone does not reach back to before the newest migrations' }
    : { commit: before };
}

/** Builds a commit in a temporary folder, with the packages of its own, and returns the folder. */
export function buildCommit(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'previous-release-'));
  mkdirSync(folder, { recursive: true });
  const archive = spawnSync('git', ['-c', 'safe.directory=*', 'archive', '--format=tar', commit], {
    cwd: ROOT,
    maxBuffer: 2 ** 28,
  });
  if (archive.status !== 0) throw new Error(`git archive ${commit} failed: ${archive.stderr.toString()}`);
  const tar = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (tar.status !== 0) throw new Error(`tar failed: ${tar.stderr.toString()}`);
  install(folder);
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--noCheck'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the build of ${commit} failed:\n${stdout}`);
  return folder;
}

/** Installs what the commit is built and runs with: this one may have dropped a package since. */
function install(folder: string): void {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const { status, stderr } = spawnSync('npm', ['ci', ...options], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ci of the previous release failed:\n${stderr}`);
}

/** A clone may belong to another user than the one who runs the checks: git reads it all the same. */
function runGit(args: readonly string[]) {
  return spawnSync('git', ['-c', 'safe.directory=*', ...args], { cwd: ROOT, encoding: 'utf8' });
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = runGit(args);
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout.trim();
}

/** Null where git finds nothing. */
function tryGit(...args: string[]): string | null {
  const { status, stdout } = runGit(args);
  return status === 0 ? stdout.trim() : null;
}

/** Prints what the modules of a build declare with sql(), in the folder of the build. */
export const PRINT_STATEMENTS = `
  import { readdirSync } from 'node:fs';
  import { pathToFileURL } from 'node:url';
  for (const room of ['platform', 'domain', 'http', 'background'])
    for (const file of readdirSync('dist/' + room, { recursive: true }))
      if (file.endsWith('.js')) await import(pathToFileURL('dist/' + room + '/' + file).href);
  const { declaredStatements } = await import(pathToFileURL('dist/platform/postgres/sql.js').href);
  console.log(JSON.stringify([...declaredStatements.values()].map(({ name, text }) => ({ name, text }))));
  process.exit(0);`;
