import { readFileSync } from 'node:fs';

/**
 * The project's folder, which holds package.json, migrations/, assets/ and docs/. It lies two folders above
 * this file, and above each file of the build, which bundles this one into a folder of dist/.
 */
export const ROOT = new URL('../../', import.meta.url);

/** The package's version: the API's version in /v1/status, and the version in User-Agent. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('package.json has no version');
}
