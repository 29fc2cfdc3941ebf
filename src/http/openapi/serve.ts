import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';

export const OPENAPI_PATH = '/v1/openapi.json';
/** Where the document was before it had a version. */
export const OLD_OPENAPI_PATH = '/openapi.json';

/** Sends the document, compressed once, for the first client, for all that accept it. */
export function serveDocument(document: () => object): RequestHandler {
  let made: { readonly plain: string; readonly compressed: Buffer } | null = null;
  const make = () => {
    const plain = JSON.stringify(document());
    return { plain, compressed: gzipSync(plain) };
  };
  return (request, response) => {
    const { plain, compressed } = (made ??= make());
    response.type('application/json').vary('Accept-Encoding');
    if (request.acceptsEncodings('gzip') === false) response.send(plain);
    else response.set('Content-Encoding', 'gzip').send(compressed);
  };
}

/**
 * Sends clients of the old path on, for good. 301 and not 308: the path answers only GET and HEAD, for which
 * both mean the same, and generators of clients that are older than 308 follow it.
 */
export const redirectToDocument: RequestHandler = (_request, response) => {
  response.redirect(301, OPENAPI_PATH);
};
