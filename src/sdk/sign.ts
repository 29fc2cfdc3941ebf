import { createHmac } from 'node:crypto';
import { keyPairSignature } from './key-pairs.ts';
import { readSecrets, type Secret } from './secrets.ts';

/**
 * The headers that prove who sent an event and when: the specification's two, and those of Standard Webhooks.
 */
export interface WebhookHeaders extends Record<string, string> {
  'X-Webhook-Signature': string;
  'X-Webhook-Timestamp': string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

export interface SignWebhookOptions {
  readonly eventId: string;
  /** Exactly what is sent. */
  readonly rawBody: string | Uint8Array;
  /** `whsec_...`, newest first; more than one while a rotation overlaps. */
  readonly secrets: string | readonly string[];
  /** `whsk_...`, newest first: private keys whose ed25519 signatures stand beside those of the secrets. */
  readonly signingKeys?: readonly string[];
  /** The instant of sending; default: the current time. */
  readonly now?: Date;
}

/**
 * Signs one attempt to deliver an event, as the service does: for the service itself, and for the tests of
 * receivers. Throws TypeError when there is no secret, or a malformed one. Sources: specification, "Signature
 * headers" (newest secret, keyed with the whole string, hex over `timestamp.body`); standardwebhooks.com
 * (every secret, keyed with the decoded bytes, base64 over `id.timestamp.body`; every key pair, `v1a`, over
 * the same).
 */
export function signWebhook({
  eventId,
  rawBody,
  secrets,
  signingKeys = [],
  now = new Date(),
}: SignWebhookOptions): WebhookHeaders {
  const keys = readSecrets(secrets);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    'X-Webhook-Signature': encode(timestampedDigest(keys[0], timestamp, rawBody), 'hex'),
    'X-Webhook-Timestamp': timestamp,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': [
      ...keys.map((key) => `v1,${encode(standardDigest(key, eventId, timestamp, rawBody), 'base64')}`),
      ...signingKeys.map(
        (key) => `v1a,${encode(keyPairSignature(key, eventId, timestamp, rawBody), 'base64')}`,
      ),
    ].join(' '),
  };
}

/** What the specification signs. */
export function timestampedDigest(
  { text }: Secret,
  timestamp: string,
  rawBody: string | Uint8Array,
): Uint8Array {
  return createHmac('sha256', text).update(`${timestamp}.`).update(rawBody).digest();
}

/** What Standard Webhooks signs. */
export function standardDigest(
  { bytes }: Secret,
  id: string,
  timestamp: string,
  rawBody: string | Uint8Array,
): Uint8Array {
  return createHmac('sha256', bytes).update(`${id}.${timestamp}.`).update(rawBody).digest();
}

function encode(digest: Uint8Array, encoding: 'hex' | 'base64'): string {
  return Buffer.from(digest).toString(encoding);
}
