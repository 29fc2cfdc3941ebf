import type { Request, Response } from 'express';
import { FOR_GOOD, sendCompressed } from '../protocol/send-compressed.ts';

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
};

/** Copies are compared with the service's own before they are used again: a release may have changed them. */
const COMPARED = 'no-cache';

interface Sent {
  readonly content: string;
  /** Default: a page. */
  readonly type?: string | undefined;
  /** The content is one of those that stay as they are: its compressed form is kept. */
  readonly isKept: boolean;
  /** Browsers may keep it without asking again. */
  readonly isForGood?: boolean;
}

/** Sends a page or what pages load, compressed as the browser accepts it; 304 where it has the same. */
export async function send(
  request: Request,
  response: Response,
  { content, type = 'text/html; charset=utf-8', isKept, isForGood = false }: Sent,
): Promise<void> {
  response.set({ ...HEADERS, 'Content-Type': type, 'Cache-Control': isForGood ? FOR_GOOD : COMPARED });
  await sendCompressed(request, response, { content, isKept });
}
