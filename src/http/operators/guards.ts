import type { RequestHandler } from 'express';

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
  "form-action 'self'",
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

/**
 * Only reads pass, whatever the board's own routes would do: all operators sign in by one name, so nobody
 * could say who changed something.
 */
export const readOnly: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'HEAD') return next();
  response
    .status(405)
    .set('Allow', 'GET, HEAD')
    .send('This board is read-only: `npm run ops` changes jobs, and writes down who did.');
};

/** As many as the board's own pages ask for. */
const MAX_JOBS_PER_PAGE = 100;

/** A list of the board is in the memory of web as a whole: a request may not choose how long it is. */
export const boundedLists: RequestHandler = ({ url }, response, next) => {
  const sizes = new URLSearchParams(url.slice(url.indexOf('?') + 1)).getAll('jobsPerPage');
  if (sizes.every((size) => Number(size) <= MAX_JOBS_PER_PAGE)) return next();
  response.status(400).send(`jobsPerPage is at most ${MAX_JOBS_PER_PAGE}.`);
};
