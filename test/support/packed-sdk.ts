import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './documents.ts';

export const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** A project that has installed the SDK from its tarball, and nothing else. */
export interface SdkApp {
  readonly folder: string;
  readonly packed: Packed;
  /** Runs a file of the project in a separate process, and returns its output. */
  print(file: string, code: string): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Packs a copy of the project as it is on the disk, as `npm pack` in a clone does after `npm ci`, and
 * installs it.
 */
export async function installPackedSdk(): Promise<SdkApp> {
  const outer = await mkdtemp(join(tmpdir(), 'test-package-'));
  const packed = await pack(outer);
  const folder = join(outer, 'app');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  // It needs no other package: nothing is fetched.
  const npm = ['install', '--offline', '--no-audit', '--no-fund', join(outer, packed.filename)];
  await run('npm', npm, { cwd: folder });
  return {
    folder,
    packed,
    async print(file, code) {
      await writeFile(join(folder, file), code);
      const { stdout } = await run(process.execPath, [file], { cwd: folder });
      return stdout.trim();
    },
    remove: () => rm(outer, { recursive: true }),
  };
}

async function pack(folder: string): Promise<Packed> {
  const copy = join(folder, 'clone');
  await mkdir(copy);
  const configurations = readdirSync(ROOT).filter((name) => /^tsconfig.*\.json$/.test(name));
  for (const name of ['package.json', 'README.md', 'build-sdk.mjs', 'src', ...configurations])
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: copy });
  const [packed] = JSON.parse(stdout) as Packed[];
  if (packed === undefined) throw new Error('nothing was packed');
  return packed;
}
