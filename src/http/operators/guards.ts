import type { RequestHandler } from 'express';
import { parseUrl } from '../../platform/values/urls.ts';

/**
 * The policy of the operators' pages. Bull Board's own files are all it needs: its styles are inline in part,
 * and the fonts that it asks another site for are refused, as that site need not know who looks.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Nobody may frame, sniff, cache or refer to the operators' pages. */
export const operatorHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': PAGE_POLICY,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
  next();
};

/** Only reads pass: whatever the board's own routes would do, nothing is changed through it. */
export const readOnly: RequestHandler = (request, response, next) => {
  if (isRead(request.method)) return next();
  response
    .status(405)
    .set('Allow', 'GET, HEAD')
    .send('This board is read-only. BULL_BOARD_WRITE=true allows changes.');
};

/** A browser sends the password along with requests of other sites' pages: those change nothing. */
export const sameOrigin: RequestHandler = (request, response, next) => {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'] ?? 'same-origin';
  const isForeign = site !== 'same-origin' || (origin !== undefined && hostOf(origin) !== host);
  if (isRead(request.method) || !isForeign) return next();
  response.status(403).send('Changes are accepted from this page only.');
};

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hostOf(origin: string): string | null {
  return parseUrl(origin)?.host ?? null;
}
