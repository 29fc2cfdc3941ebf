import { ICON } from '../../../domain/checkout/markup/icons.ts';
import { inline, readMinified, type Inline } from '../../../platform/pages/assets.ts';
import { ROOT } from '../../../platform/root.ts';

const ASSETS = new URL('assets/', ROOT);

/** The colours, type and controls of the checkout page, and what the desk adds. */
export const STYLE = inline(
  'style',
  readMinified(
    [
      'checkout/base.css',
      'checkout/tones.css',
      'desk/desk.css',
      'desk/tables.css',
      'desk/home.css',
      'desk/developers.css',
      'desk/payments.css',
      'desk/settings.css',
    ].map((file) => new URL(file, ASSETS)),
  ),
);

export const ICON_PATH = ICON.path;

/** Files of `assets/desk` as a script of pages, each of which works without it. */
export const deskScript = (files: readonly string[]): Inline =>
  inline('script', readMinified(files.map((file) => new URL(`desk/${file}`, ASSETS))));

/**
 * The policy of a page with these scripts, and no others, which ask for other pages only where they must.
 * `data:` is for QR codes; what it shows in a frame is the desk's.
 */
export const policyOf = (scripts: readonly Inline[], mayFetch = false): string =>
  [
    "default-src 'none'",
    `style-src ${STYLE.source}`,
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.map(({ source }) => source).join(' ')}`]),
    ...(mayFetch ? ["connect-src 'self'"] : []),
    "frame-src 'self'",
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
  'Content-Security-Policy': policyOf([]),
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
