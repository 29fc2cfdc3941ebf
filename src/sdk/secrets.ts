import { kindOf, listOf } from './check.ts';
import type { Codec } from './codec.ts';

const PREFIX = 'whsec_';
/**
 * Standard Webhooks asks for 24 to 64 bytes; ours are 32. A shorter one was cut off, or is
 * empty.
 */
const MIN_KEY_BYTES = 24;
/** Base64 that is whole, and written in the one way: decoders skip what is none. */
export const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/][AQgw]==|[A-Za-z\d+/]{2}[AEIMQUYcgkosw048]=)?$/;

/**
 * A webhook secret in both of its uses: the specification's key is the whole string, Standard Webhooks' the
 * decoded bytes.
 */
export interface Secret {
  readonly text: string;
  /** The bytes in base64. */
  readonly encoded: string;
}

/**
 * Checks what is configured, such as the environment variable WEBHOOK_SECRET, and returns its secrets: one or
 * several with commas between them, and white space around them. Call it at the start: it throws TypeError
 * where a secret is missing or malformed, which otherwise every request would.
 */
export function webhookSecrets(configured: string | undefined): readonly [string, ...string[]] {
  const given: unknown = configured ?? '';
  if (typeof given !== 'string')
    throw new TypeError(
      `webhookSecrets takes text, one secret or several with commas, not ${kindOf(given)}: webhookSecrets(process.env.WEBHOOK_SECRET)`,
    );
  const [first, ...rest] = readSecrets(given.split(',').filter((part) => part.trim() !== ''));
  return [first.text, ...rest.map(({ text }) => text)];
}

/**
 * Parses configured secrets: at least one, each `whsec_` and base64, with any white space around it. Throws
 * TypeError otherwise, without the value in its message: others can guess an empty secret, or the rest of
 * half a one.
 */
export function readSecrets(secrets: unknown): readonly [Secret, ...Secret[]] {
  const given = secrets === undefined ? [] : listOf('secrets', secrets, `${PREFIX}...`);
  const [first, ...rest] = given.map(readSecret);
  if (first === undefined)
    throw new TypeError(
      'a webhook can be neither signed nor verified without a secret: set WEBHOOK_SECRET, and pass it as secrets',
    );
  return [first, ...rest];
}

function readSecret(configured: string): Secret {
  // A file or a variable often ends in a line feed, and a list has spaces behind its commas.
  const text = configured.trim();
  if (!text.startsWith(PREFIX))
    throw new TypeError(`a webhook secret must begin with ${PREFIX}: copy all of it`);
  const encoded = text.slice(PREFIX.length);
  const bytes = (encoded.replace(/=+$/, '').length * 3) / 4;
  if (bytes < MIN_KEY_BYTES || !BASE64.test(encoded))
    throw new TypeError(
      `a webhook secret must be ${PREFIX} and the base64 of at least ${MIN_KEY_BYTES} bytes, and nothing else: copy all of it`,
    );
  return { text, encoded };
}

export const PUBLIC_PREFIX = 'whpk_';
/** The base64 of a key's 32 bytes. */
const ENCODED_KEY = /^[A-Za-z\d+/]{42}[AEIMQUYcgkosw048]=$/;

/** The bytes of configured public keys. Throws TypeError for a malformed one. */
export function readPublicKeys(publicKeys: unknown, { fromBase64 }: Codec): Uint8Array<ArrayBuffer>[] {
  const given = publicKeys === undefined ? [] : listOf('publicKeys', publicKeys, `${PUBLIC_PREFIX}...`);
  return given.map((key) => fromBase64(encodedKey(key, PUBLIC_PREFIX)));
}

/**
 * What is behind the prefix of a key. Throws TypeError for a malformed one, without the value in its message:
 * it may be a private key, or the rest of one.
 */
export function encodedKey(configured: unknown, prefix: string): string {
  const text = typeof configured === 'string' ? configured.trim() : '';
  const encoded = text.slice(prefix.length);
  if (!text.startsWith(prefix) || !ENCODED_KEY.test(encoded))
    throw new TypeError(`a key must be ${prefix} and the base64 of 32 bytes: copy all of it`);
  return encoded;
}
