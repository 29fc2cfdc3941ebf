import { createHmac } from 'node:crypto';
import type { Secret } from './secrets.ts';

/** What the specification signs. */
export function timestampedDigest({ text }: Secret, timestamp: string, rawBody: string | Uint8Array): Buffer {
  return createHmac('sha256', text).update(`${timestamp}.`).update(rawBody).digest();
}

/** What Standard Webhooks signs. */
export function standardDigest(
  { bytes }: Secret,
  id: string,
  timestamp: string,
  rawBody: string | Uint8Array,
): Buffer {
  return createHmac('sha256', bytes).update(`${id}.${timestamp}.`).update(rawBody).digest();
}
