import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { acceptedEncoding, compressed, type Encoding } from '../../platform/pages/compress.ts';

/** Browsers and proxies may keep for good what has another path when it changes. */
export const FOR_GOOD = 'public, max-age=31536000, immutable';

interface Sendable {
  /** Weak: one for all encodings (RFC 9110, 8.8.1). */
  readonly etag: string;
  /** Each compressed when it is first asked for. */
  readonly bodies: Map<Encoding, Promise<Buffer>>;
}

/** By content, of which there are a few in a process. */
const kept = new Map<string, Sendable>();

/**
 * Sends `content`, compressed as the client accepts it; 304 where the client has the same. `isKept`: the
 * content is one of those that stay as they are, so what is made of it is kept.
 */
export async function sendCompressed(
  request: Request,
  response: Response,
  { content, isKept }: { content: string; isKept: boolean },
): Promise<void> {
  const { etag, bodies } = isKept ? keptOf(content) : sendableOf(content);
  response.vary('Accept-Encoding').set('ETag', etag);
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null || request.fresh) {
    response.send(content);
    return;
  }
  const compressing = bodies.get(encoding) ?? compressed(content, encoding);
  bodies.set(encoding, compressing);
  const body = await compressing;
  // The client may have left meanwhile.
  if (!response.destroyed) response.set('Content-Encoding', encoding).send(body);
}

function keptOf(content: string): Sendable {
  const sendable = kept.get(content) ?? sendableOf(content);
  kept.set(content, sendable);
  return sendable;
}

function sendableOf(content: string): Sendable {
  const hash = createHash('sha256').update(content).digest('base64url');
  return { etag: `W/"${hash.slice(0, 22)}"`, bodies: new Map() };
}
