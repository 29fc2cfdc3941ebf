import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { acceptedEncoding, compressed, type Encoding } from '../../platform/pages/compress.ts';

/** Browsers and proxies may keep for good what has another path when it changes. */
export const FOR_GOOD = 'public, max-age=31536000, immutable';

/** By content, of which there are a few, each compressed once a process, when it is first asked for. */
const kept: Readonly<Record<Encoding, Map<string, Promise<Buffer>>>> = { br: new Map(), gzip: new Map() };

/**
 * Sends `content`, compressed as the client accepts it; 304 where the client has the same. `isKept`: the
 * content is one of those that stay as they are, so its compressed form is kept.
 */
export async function sendCompressed(
  request: Request,
  response: Response,
  { content, isKept }: { content: string; isKept: boolean },
): Promise<void> {
  response.vary('Accept-Encoding');
  if (response.get('ETag') === undefined) response.set('ETag', weakETag(content));
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null || request.fresh) {
    response.send(content);
    return;
  }
  const body = isKept ? await keptBody(encoding, content) : await compressed(content, encoding);
  // The client may have left meanwhile.
  if (!response.destroyed) response.set('Content-Encoding', encoding).send(body);
}

/** Weak: one for all encodings (RFC 9110, 8.8.1). */
function weakETag(content: string): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

function keptBody(encoding: Encoding, content: string): Promise<Buffer> {
  const body = kept[encoding].get(content) ?? compressed(content, encoding);
  kept[encoding].set(content, body);
  return body;
}
