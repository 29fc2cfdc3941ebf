import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { PAGE_HEADERS, type RenderedPage } from './page.ts';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** A page takes some 2 ms; the next levels save a tenth of it in several times the time. */
const BROTLI_QUALITY = 6;

/**
 * Sends a page, compressed as the browser accepts it, so that one round trip shows it. No cookie or secret of
 * another page is compressed with what a request says, so its length tells nothing (BREACH).
 */
export async function sendPage(
  request: Request,
  response: Response,
  { html: page, policy }: RenderedPage,
): Promise<void> {
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  const etag = createHash('sha256').update(page).digest('base64url').slice(0, 22);
  response.set({ ...PAGE_HEADERS, 'Content-Security-Policy': policy }).set('ETag', `W/"${etag}"`);
  if (encoding === null) {
    response.send(page);
    return;
  }
  const body = await compressed(page, encoding);
  // The client may have left meanwhile.
  if (!response.destroyed) response.set('Content-Encoding', encoding).send(body);
}

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
