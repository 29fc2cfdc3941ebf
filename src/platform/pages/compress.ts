import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** A page takes some 2 ms; the next levels save a tenth of it in several times the time. */
const BROTLI_QUALITY = 6;

/** Compresses a page. */
export function compressed(page: string, encoding: Encoding): Promise<Buffer> {
  const text = Buffer.from(page);
  if (encoding === 'gzip') return deflate(text, { level: 9 });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  return brotli(text, { params });
}

export type Encoding = 'br' | 'gzip';

/** The smaller of those that the header names; null: none, so the page is sent as it is. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | null {
  // Without patterns of blanks: on a header full of them these take its length squared.
  const named = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, quality = 'q=1']) => Number(quality.replace('q=', '')) > 0)
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((encoding) => named.includes(encoding)) ?? null;
}
