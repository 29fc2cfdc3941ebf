import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { acceptedEncoding, compressed, type Encoding } from '../../platform/pages/compress.ts';

/** Nothing is inline, and nothing comes from another origin. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding',
};

/** Copies are compared with the service's own before they are used again: a release may have changed them. */
const COMPARED = 'no-cache';
const FOR_GOOD = 'public, max-age=31536000, immutable';

interface Sent {
  readonly content: string;
  /** Default: a page. */
  readonly type?: string | undefined;
  /** The content is one of those that stay as they are: its compressed form is kept. */
  readonly isKept: boolean;
  /** Browsers may keep it without asking again. */
  readonly isForGood?: boolean;
}

/** Compressed once a process, when it is first asked for. */
const kept: Readonly<Record<Encoding, Map<string, Promise<Buffer>>>> = { br: new Map(), gzip: new Map() };

/** Sends a page or what pages load, compressed as the browser accepts it; 304 where it has the same. */
export async function send(
  request: Request,
  response: Response,
  { content, type = 'text/html; charset=utf-8', isKept, isForGood = false }: Sent,
): Promise<void> {
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  response
    .set({ ...HEADERS, 'Content-Type': type, 'Cache-Control': isForGood ? FOR_GOOD : COMPARED })
    .set('ETag', `W/"${etag}"`);
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null || request.fresh) {
    response.send(content);
    return;
  }
  const body = isKept ? await keptBody(encoding, content) : await compressed(content, encoding);
  // The client may have left meanwhile.
  if (!response.destroyed) response.set('Content-Encoding', encoding).send(body);
}

function keptBody(encoding: Encoding, content: string): Promise<Buffer> {
  const body = kept[encoding].get(content) ?? compressed(content, encoding);
  kept[encoding].set(content, body);
  return body;
}
