import { PASSING_HEADERS } from '../../../../http/checkout/page.ts';
import { languageFor } from '../../../../domain/languages/languages.ts';
import { messagePage } from '../../../../domain/checkout/page/messages.ts';
import { API_ERRORS } from '../../../../domain/api/errors.ts';
import type { Cells } from '../../../../platform/cells/file.ts';
import type { MovedMap } from '../../../../platform/cells/moved.ts';

/** What a proxy's configuration is made of. */
export interface Routing extends Cells {
  readonly keysAndTokens: MovedMap;
  /** Where the files stand, and where the proxy reads them: an absolute path. */
  readonly folder: string;
}

/** The files of a proxy, by their names. */
export type Rendered = Readonly<Record<string, string>>;

/** The first line of each file. */
export function headOf(proxy: string): string {
  return `# Rendered by npm run ops -- cells render --for ${proxy}. Change the file of cells, and render again.`;
}

/**
 * How requests say their cell, as regular expressions that PCRE and RE2 read alike; those of paths ignore
 * case, because routes do. What names no cell of the file goes to the default cell, which says 401 or 404.
 */
export const PATTERNS = {
  api: '^/+v1(/|$)',
  /** What follows is a token, of a logo without `.webp`, or whose public keys are asked for. */
  page: '^/+(checkout/+logos|checkout|l|till/+pair|v1/+webhooks/+jwks)/+([^/]+?)([.]webp)?(/.*)?$',
  till: '^/+till(/|$)',
  desk: '^/+dashboard/+([a-z0-9]{1,8})(/|$)',
  /** A key that says its cell is longer than one that does not, whose random part may look like a cell. */
  key: '^sk_(live|test)_([a-z0-9]{1,8})_[A-Za-z0-9_-]{32}$',
  token: '^([a-z0-9]{1,8})[.]',
  /** The same in every cell: any of them serves these, one of another release perhaps not each. */
  shared:
    '^/+(checkout/+assets/.*|till/+assets/.*|checkout[.]js|favicon[.]ico|docs(/.*)?|llms[.]txt|(v1/+)?openapi[.]json)?$',
  /** What may be logged of a path: the names and ids that it begins with, as in `deploy/nginx`. */
  logged: '^((/(v1|[a-z][a-z.-]{0,19}|[a-z]{3}_[0-9A-Z]{26}))*)([/?].*)?$',
  requestId: '^[A-Za-z0-9._-]{1,64}$',
} as const;

/** The cookie of a till's device (`__Host-`, because the proxy serves https alone). */
export const TILL_COOKIE = '__Host-till';

/** As the API's own 503, and for as long. */
export const RETRY_AFTER_SECONDS = 5;
/** The headers of each 503 beside its type; no counter has counted the request. */
export const AWAY_HEADERS = {
  'Retry-After': String(RETRY_AFTER_SECONDS),
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '60',
} as const;

/**
 * The page that says 503, as a page of the service says it. Nobody knows the language of its reader. Its
 * policy is in it, so that a configuration does not change with the style of a page; it does not say who may
 * frame the page, because anybody may.
 */
export function awayPage(): string {
  const policy = PASSING_HEADERS['Content-Security-Policy'].replace(/; frame-ancestors [^;]*/, '');
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return messagePage('error', languageFor(undefined)).replace(/<head>\s*/, (head) => `${head}${meta}\n`);
}

/**
 * The API's error body for a cell that is away. `timestamp`, `path` and `id` are what the proxy writes there
 * in its own language.
 */
export function awayBody(of: { timestamp: string; path: string; id: string }): string {
  const [statusCode, message] = API_ERRORS.unavailable;
  const fixed = JSON.stringify({ statusCode, error: 'Service Unavailable', message });
  return `${fixed.slice(0, -1)},"timestamp":"${of.timestamp}","path":"${of.path}","request_id":"${of.id}"}`;
}
