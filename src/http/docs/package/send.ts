import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ROOT } from '../../../platform/root.ts';
import { noteFacts } from '../../logging/access-log.ts';

/** Where npm installs the SDK from. */
export const PACKAGE_PATH = '/docs/payment-checkout.tgz';

const FOLDER = new URL('dist-sdk/', ROOT);

/** What of the manifest is about the SDK; the rest is about the repository. */
const FIELDS = ['name', 'version', 'description', 'type', 'main', 'types', 'exports', 'typesVersions'];
FIELDS.push('bin', 'engines');

/** Sends the SDK as a package that npm installs, made once a process; 404 where it was not built. */
export function sendPackage(): RequestHandler {
  let made: { bytes: Buffer; etag: string } | null = null;
  return (_request, response, next) => {
    try {
      made ??= makePackage();
    } catch (error) {
      // `npm run build:sdk` may make it for the next reader.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      noteFacts(response, { reason: 'the SDK is not built here: npm run build:sdk' });
      return next();
    }
    response
      .set({ 'Content-Type': 'application/gzip', 'Cache-Control': 'no-cache', ETag: `"${made.etag}"` })
      .set('X-Content-Type-Options', 'nosniff')
      .send(made.bytes);
  };
}

/** The same bytes for the same files: lockfiles hold their hash. */
function makePackage(): { bytes: Buffer; etag: string } {
  const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as Record<string, unknown>;
  const own = Object.fromEntries(
    FIELDS.flatMap((field) => (field in manifest ? [[field, manifest[field]]] : [])),
  );
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.'))
    .toSorted();
  const files = names.map((name) => entryOf(`dist-sdk/${name}`, readFileSync(new URL(name, FOLDER))));
  const manifestText = Buffer.from(`${JSON.stringify(own, null, 2)}\n`);
  // Two empty blocks end an archive.
  const archive = Buffer.concat([entryOf('package.json', manifestText), ...files, Buffer.alloc(2 * BLOCK)]);
  const bytes = gzipSync(archive, { level: 9 });
  return { bytes, etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
}

const BLOCK = 512;
const EXECUTABLE = /\/cli\//;

/** A file of a tar archive (POSIX ustar): a block about it, and its bytes in whole blocks. */
function entryOf(name: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0');
  header.write(`package/${name}`, 0, 100);
  header.write(octal(EXECUTABLE.test(name) ? 0o755 : 0o644, 8), 100);
  header.write(octal(bytes.length, 12), 124);
  // npm's own archives have this time as well.
  header.write(octal(Date.UTC(1985, 9, 26, 8, 15) / 1000, 12), 136);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    ),
    148,
  );
  return Buffer.concat([header, bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))]);
}
