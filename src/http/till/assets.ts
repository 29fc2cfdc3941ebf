import { createHash } from 'node:crypto';
import { inline, readMinified } from '../../platform/pages/assets.ts';
import { ROOT } from '../../platform/root.ts';

const ASSETS = new URL('assets/', ROOT);
const read = (files: readonly string[]) => readMinified(files.map((file) => new URL(file, ASSETS)));

/** The colours, type and controls of the checkout page, the desk's tables, and what a counter needs. */
export const STYLE = inline(
  'style',
  read(['checkout/base.css', 'checkout/sheet.css', 'checkout/tones.css', 'desk/tables.css', 'till/till.css']),
);

const CONTENT = read(['till/base.js', 'till/sound.js', 'till/line.js', 'till/keypad.js', 'till/start.js']);

/** Its path changes with its content, so every copy of it stays right. */
export const SCRIPT = {
  path: `/till/assets/${createHash('sha256').update(CONTENT).digest('hex').slice(0, 20)}.js`,
  content: CONTENT,
} as const;

const POLICY = [
  "default-src 'none'",
  `style-src ${STYLE.source}`,
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every response below /till. */
export const TILL_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
