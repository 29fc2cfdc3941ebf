import { ICON } from '../../../domain/checkout/markup/icons.ts';
import { inline, readMinified } from '../../../platform/pages/assets.ts';
import { ROOT } from '../../../platform/root.ts';

const ASSETS = new URL('assets/', ROOT);

/** The colours, type and controls of the checkout page, and what the desk adds. */
export const STYLE = inline(
  'style',
  readMinified(
    ['checkout/base.css', 'desk/desk.css', 'desk/tables.css', 'desk/home.css', 'desk/developers.css'].map(
      (file) => new URL(file, ASSETS),
    ),
  ),
);

export const ICON_PATH = ICON.path;

/** Every page works without a script, and has none yet. `data:` is for QR codes. */
const POLICY = [
  "default-src 'none'",
  `style-src ${STYLE.source}`,
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The headers of every response below /dashboard. The referrer goes to the desk's own pages alone: with
 * `no-referrer` browsers would post forms with `Origin: null`.
 */
export const DESK_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
