import type { Transform } from 'node:stream';
import { constants, createGunzip, createInflate } from 'node:zlib';

/** How much of a body an excerpt covers, compressed or not. */
export const EXCERPT_BYTES = 1024;

/** Decodes what is there of a body that was cut, in pieces at most as long as an excerpt. */
const CUT = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: EXCERPT_BYTES } as const;
/** Without Brotli, which keeps up to 16 MB of what it unfolds. The service asks for no encoding. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(CUT),
  'x-gzip': () => createGunzip(CUT),
  deflate: () => createInflate(CUT),
};

/**
 * The beginning of a response body, decompressed: no more than one piece of it, so that a small body that
 * unfolds to gigabytes costs as little as another. Returns the bytes themselves where the header names no
 * encoding that it knows, or the wrong one.
 */
export async function decompressed(bytes: Buffer, encoding: string): Promise<Buffer> {
  const decoder = DECODERS[encoding.trim().toLowerCase()]?.();
  if (decoder === undefined) return bytes;
  decoder.end(bytes);
  try {
    for await (const piece of decoder) return piece as Buffer;
  } catch {
    // Not compressed after all.
  }
  return bytes;
}

/** Byte order marks, which decide before the header does (WHATWG, Encoding, "decode"). */
const MARKS: readonly (readonly [mark: string, charset: string])[] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

/**
 * Bytes as text, by their byte order mark, the charset of Content-Type, or as UTF-8; where they are none, as
 * Latin-1. A character that the cut has split is left out; Postgres takes no NUL in text.
 */
export function textOf(bytes: Buffer, contentType: string): string {
  const start = bytes.toString('hex', 0, 3);
  const marked = MARKS.find(([mark]) => start.startsWith(mark))?.[1];
  const named = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
  const text =
    decode(bytes, marked ?? named ?? 'utf-8', marked === undefined && named === undefined) ??
    decode(bytes, 'utf-8', true) ??
    decode(bytes, 'latin1', false);
  return (text ?? '').replaceAll('\0', '\uFFFD');
}

/** Null: the charset has no decoder, or, where it must be right, the bytes are none of it. */
function decode(bytes: Buffer, charset: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}
