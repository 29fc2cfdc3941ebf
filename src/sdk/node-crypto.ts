import { createHmac } from 'node:crypto';
import type { Codec } from './codec.ts';

/**
 * By Buffer: test environments with a browser's names, such as jsdom under jest, have it, and no TextDecoder.
 */
export const NODE_CODEC: Codec = {
  encode: (text) => Buffer.from(text),
  decode(bytes) {
    const text = Buffer.from(bytes).toString();
    if (!Buffer.from(text).equals(bytes)) throw new TypeError('not UTF-8');
    return text;
  },
  fromBase64: (text) => Buffer.from(text, 'base64'),
};

/** The HMAC-SHA256 of what is signed, from its parts: the service signs every delivery. */
export function hmacOf(key: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
