import { readFileSync } from 'node:fs';

/**
 * The package's version: the API's version in /v1/status, and the version in User-Agent. src/ and dist/ lie
 * at the same depth.
 */
export const VERSION: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('package.json has no version');
}
