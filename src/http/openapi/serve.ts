import type { RequestHandler } from 'express';
import { sendCompressed } from '../protocol/send-compressed.ts';

export const OPENAPI_PATH = '/v1/openapi.json';
/** Where the document was before it had a version. */
export const OLD_OPENAPI_PATH = '/openapi.json';

/** Sends the document, which is made for the first client, for all. */
export function serveDocument(document: () => object): RequestHandler {
  let made: string | null = null;
  return (request, response) => {
    made ??= JSON.stringify(document());
    return sendCompressed(request, response.type('application/json'), { content: made, isKept: true });
  };
}

/**
 * Sends clients of the old path on, for good. 301 and not 308: the path answers only GET and HEAD, for which
 * both mean the same, and generators of clients that are older than 308 follow it.
 */
export const redirectToDocument: RequestHandler = (_request, response) => {
  response.redirect(301, OPENAPI_PATH);
};
