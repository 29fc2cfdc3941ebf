import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { acceptedEncoding, compressed } from '../../platform/pages/compress.ts';
import { PAGE_HEADERS, type RenderedPage } from './page.ts';

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
