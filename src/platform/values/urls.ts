import { isIP } from 'node:net';
import { isDeliverableAddress, isDeliverablePort } from './addresses.ts';

/** Contract, "URLs": characters as written, and bytes once percent-encoded. */
export const MAX_URL_LENGTH = 2048;

/** The fault of a URL whose characters are few enough, and the bytes of its stored form are not. */
export const ENCODED_TOO_LONG = `must be at most ${MAX_URL_LENGTH} bytes long once it is percent-encoded`;

/**
 * Returns the URL that `value` is, or null when it is none. Never `URL.canParse`: in Node 20 and 22 it
 * refuses every URL with a character beyond ASCII once V8 has optimised the caller (measured: after some
 * 5,000 calls).
 */
export function parseUrl(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

/** Returns a valid URL in its stored form: percent-encoded, so ASCII (WHATWG `href`); null: none was sent. */
export function encodeUrl(value: string | undefined): string | null {
  return value === undefined ? null : new URL(value).href;
}

/** Names that never belong to a host on the public internet (RFC 6761, RFC 8375, ICANN's `internal`). */
const PRIVATE_SUFFIXES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

/**
 * Why `value` cannot be used as a URL, as the end of a sentence ("must be ..."); null when it can (contract,
 * "URLs"). `forDelivery`: the service itself calls it, so host and port are checked too; a browser's redirect
 * target may point anywhere. `allowPrivate` allows http, private networks and names without a dot. This check
 * gives an early error; the addresses of a name are checked when the socket opens.
 */
export function urlFault(
  value: string,
  options: { allowPrivate: boolean; forDelivery: boolean },
): string | null {
  const schemes = options.allowPrivate ? 'https:// or http://' : 'https://';
  // Characters, not the length of the string: a character outside the basic plane counts once.
  if ([...value].length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  // On the raw text: `new URL` removes tabs, line feeds and invisible characters, and turns backslashes into
  // slashes.
  if (/[\s\\\p{Cc}\p{Cf}\p{Cs}]/u.test(value))
    return 'must not contain white space, backslashes, control or invisible characters';
  // `new URL` also parses https:host, https:/host and https:////host as https://host.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(value)?.[1];
  if (authority === undefined) return `must be an absolute URL that begins with ${schemes}`;
  if (authority.includes('@')) return 'must not contain a user name or a password';
  const url = parseUrl(value);
  if (url === null) return 'must be a valid URL';
  if (url.href.length > MAX_URL_LENGTH) return ENCODED_TOO_LONG;
  if (url.protocol !== 'https:' && !options.allowPrivate) return `must begin with ${schemes}`;
  return options.forDelivery ? destinationFault(url, options.allowPrivate) : null;
}

/** One address, and nothing that a mail program would do by itself: no copies, no text. */
const MAILTO = /^mailto:[\w.!#$%'*+/=^`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/**
 * Why `value` cannot be where customers find help, as the end of a sentence; null when it can: a URL for
 * browsers, or mailto: and one address.
 */
export function supportUrlFault(value: string, allowPrivate: boolean): string | null {
  if (!/^mailto:/i.test(value)) return urlFault(value, { allowPrivate, forDelivery: false });
  return MAILTO.test(value) ? null : 'must be mailto: and one address, such as mailto:help@shop.example';
}

/**
 * Why nothing may be sent to the host or port of `url`; null: it may. `new URL` has normalised every notation
 * of an address (decimal, octal, hexadecimal, full width, percent-encoded, trailing dot).
 */
function destinationFault(url: URL, allowPrivate: boolean): string | null {
  if (!isDeliverablePort(effectivePort(url))) return 'must use port 80, 443, or 1024 and above';
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  if (isIP(host) !== 0)
    return isDeliverableAddress(host, allowPrivate)
      ? null
      : 'must not point to a private or reserved address';
  if (!host.split('.').every((label) => label.length > 0 && label.length <= 63) || host.length > 253)
    return 'must contain a valid host name';
  if (allowPrivate) return null;
  if (
    !host.includes('.') ||
    PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))
  )
    return 'must not point to a host of a private network';
  return null;
}

/** The port that a request to `url` goes to. */
function effectivePort(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
