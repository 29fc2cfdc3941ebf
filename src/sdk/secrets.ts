const PREFIX = 'whsec_';
/**
 * Standard Webhooks asks for 24 to 64 bytes; ours are 32. A shorter one was cut off, or is
 * empty.
 */
const MIN_KEY_BYTES = 24;

/**
 * A webhook secret in both of its uses: the specification's key is the whole string, Standard Webhooks' the
 * decoded bytes.
 */
export interface Secret {
  readonly text: string;
  /** Not a Buffer: these types need no others, those of Node included. */
  readonly bytes: Uint8Array;
}

/**
 * Checks what is configured, such as an environment variable, and returns its secrets: one or several with
 * commas between them, and white space around them. Call it at the start: it throws TypeError where a secret
 * is missing or malformed, which otherwise every request would.
 */
export function webhookSecrets(configured: string | undefined): readonly [string, ...string[]] {
  const [first, ...rest] = readSecrets((configured ?? '').split(',').filter((part) => part.trim() !== ''));
  return [first.text, ...rest.map(({ text }) => text)];
}

/**
 * Parses configured secrets: at least one, each `whsec_` and base64, with any white space around it. Throws
 * TypeError otherwise, without the value in its message: others can guess an empty secret, or the rest of
 * half a one.
 */
export function readSecrets(secrets: string | readonly string[]): readonly [Secret, ...Secret[]] {
  const [first, ...rest] = (typeof secrets === 'string' ? [secrets] : [...secrets]).map(readSecret);
  if (first === undefined)
    throw new TypeError('a webhook can be neither signed nor verified without a secret');
  return [first, ...rest];
}

function readSecret(configured: unknown): Secret {
  // A file or a variable often ends in a line feed, and a list has spaces behind its commas.
  const text = typeof configured === 'string' ? configured.trim() : '';
  if (!text.startsWith(PREFIX)) throw new TypeError(`a webhook secret must begin with ${PREFIX}`);
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Buffer.from skips what is not base64.
  if (bytes.length < MIN_KEY_BYTES || bytes.toString('base64') !== encoded)
    throw new TypeError(
      `a webhook secret must be ${PREFIX} and the base64 of at least ${MIN_KEY_BYTES} bytes, and nothing else`,
    );
  return { text, bytes };
}
