import { timingSafeEqual, type KeyObject } from 'node:crypto';
import { isSignedByKeyPair, readPublicKeys } from './key-pairs.ts';
import { standardDigest, timestampedDigest } from './sign.ts';
import type { WebhookEvent } from './event-types.ts';
import { headerValues, type ReceivedHeaders } from './received-headers.ts';
import { readSecrets, type Secret } from './secrets.ts';

/** Specification, "Receiver rules". */
const DEFAULT_TOLERANCE_SECONDS = 300;

interface VerifyOptions {
  /** The body's bytes as they arrived, before any parser. */
  readonly rawBody: string | Uint8Array;
  readonly headers: ReceivedHeaders;
  /** How old, or how far ahead, a timestamp may be; default 300. */
  readonly toleranceSeconds?: number;
  /** Default: the current time. */
  readonly now?: Date;
}

interface Keys {
  /** `whsec_...`; while a rotation overlaps, both. */
  readonly secrets: string | readonly string[];
  /** `whpk_...`: public keys for ed25519; while a rotation overlaps, both. */
  readonly publicKeys: string | readonly string[];
}

/** At least one kind of key: a request that any of them verifies is accepted. */
export type VerifyWebhookOptions = VerifyOptions &
  ((Pick<Keys, 'secrets'> & Partial<Keys>) | (Pick<Keys, 'publicKeys'> & Partial<Keys>));

/** The reasons for which a request is rejected; no others exist. */
export const REFUSAL_REASONS = [
  'body_not_raw',
  'missing_header',
  'malformed_header',
  'no_match',
  'timestamp_too_old',
  'timestamp_too_new',
  'body_not_json',
  'body_not_event',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type VerifyWebhookResult =
  | { readonly ok: true; readonly event: WebhookEvent; readonly eventId: string }
  /** `message` is a sentence for a log; do not send it to the client. */
  | { readonly ok: false; readonly reason: RefusalReason; readonly message: string };

type Refusal = Extract<VerifyWebhookResult, { ok: false }>;
interface Proof {
  readonly timestamp: string;
  /** True when one of the request's signatures was made with this secret. */
  readonly isSignedWith: (secret: Secret) => boolean;
  /** True when one of them was made by the private key of this public one. */
  readonly isSignedBy: (publicKey: KeyObject) => boolean;
}

/**
 * Verifies that a request is an unaltered and recent event of the service, and returns the event. Where
 * `webhook-signature` is present, only the headers of Standard Webhooks count: they name the id, and both
 * secrets sign them during a rotation. Otherwise X-Webhook-Signature and X-Webhook-Timestamp count.
 * Comparisons take constant time. The signature is checked first, so that `timestamp_too_old` always means an
 * event of the service. An event of a type that is added later passes. Never throws for the content of a
 * request; throws TypeError for malformed secrets, tolerance or time. Sources: specification, "Receiver
 * rules"; standardwebhooks.com.
 */
export function verifyWebhook(options: VerifyWebhookOptions): VerifyWebhookResult {
  const { rawBody, headers, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() } = options;
  const publicKeys = readPublicKeys(options.publicKeys ?? []);
  const secrets = readSecretsBeside(publicKeys, options.secrets);
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be a number, 0 or more');
  if (Number.isNaN(now.getTime())) throw new TypeError('now must be a valid Date');
  if (typeof rawBody !== 'string' && !((rawBody as unknown) instanceof Uint8Array))
    return refusal('body_not_raw', BODY_NOT_RAW);

  const proof = readProof(headers, rawBody);
  if ('reason' in proof) return proof;
  if (!secrets.some(proof.isSignedWith) && !publicKeys.some(proof.isSignedBy))
    return refusal('no_match', 'No signature fits the body and any of the keys.');
  const age = now.getTime() / 1000 - Number(proof.timestamp);
  if (age > toleranceSeconds) return refusal('timestamp_too_old', `It was sent ${Math.round(age)} s ago.`);
  if (age < -toleranceSeconds)
    return refusal('timestamp_too_new', `It was sent ${Math.round(-age)} s ahead of this clock.`);
  return readEvent(rawBody);
}

/** With public keys alone there is no secret; otherwise one is missing. */
function readSecretsBeside(
  publicKeys: readonly KeyObject[],
  secrets: string | readonly string[] | undefined,
): readonly Secret[] {
  return secrets === undefined && publicKeys.length > 0 ? [] : readSecrets(secrets ?? []);
}

const BODY_NOT_RAW =
  'rawBody must be the bytes that arrived, as a Buffer, Uint8Array or string. A parsed body cannot be verified: written again, it would not be the same bytes. With Express: express.raw({ type: "application/json" }).';

function readProof(headers: ReceivedHeaders, rawBody: string | Uint8Array): Proof | Refusal {
  const isStandard = headerValues(headers, 'webhook-signature').length > 0;
  return isStandard ? standardProof(headers, rawBody) : timestampedProof(headers, rawBody);
}

function standardProof(headers: ReceivedHeaders, rawBody: string | Uint8Array): Proof | Refusal {
  const id = oneOf(headers, 'webhook-id', /^\S{1,255}$/);
  if (typeof id !== 'string') return id;
  const timestamp = oneOf(headers, 'webhook-timestamp', TIMESTAMP);
  if (typeof timestamp !== 'string') return timestamp;
  const all = headerValues(headers, 'webhook-signature').flatMap((value) => value.split(' '));
  const signatures = signaturesOf(all, 'v1,');
  const ofKeyPairs = signaturesOf(all, 'v1a,');
  if (signatures.length + ofKeyPairs.length === 0)
    return refusal('malformed_header', 'webhook-signature holds no signature of version 1 or 1a.');
  return {
    timestamp,
    isSignedWith: (secret) => {
      const expected = standardDigest(secret, id, timestamp, rawBody);
      return signatures.some((signature) => isEqual(signature, expected));
    },
    isSignedBy: (publicKey) =>
      ofKeyPairs.some((signature) => isSignedByKeyPair(publicKey, signature, id, timestamp, rawBody)),
  };
}

function signaturesOf(all: readonly string[], version: string): Uint8Array[] {
  return all
    .filter((signature) => signature.startsWith(version))
    .map((signature) => Buffer.from(signature.slice(version.length), 'base64'));
}

function timestampedProof(headers: ReceivedHeaders, rawBody: string | Uint8Array): Proof | Refusal {
  const signature = oneOf(headers, 'x-webhook-signature', /^[0-9a-f]{64}$/i);
  if (typeof signature !== 'string') return signature;
  const timestamp = oneOf(headers, 'x-webhook-timestamp', TIMESTAMP);
  if (typeof timestamp !== 'string') return timestamp;
  const given = Buffer.from(signature, 'hex');
  return {
    timestamp,
    isSignedWith: (secret) => isEqual(given, timestampedDigest(secret, timestamp, rawBody)),
    isSignedBy: () => false,
  };
}

/** Whole seconds, until the year 33658: more digits would not be exact. */
const TIMESTAMP = /^\d{1,12}$/;

/** The header's value; a refusal when it is not there, is there twice, or does not match. */
function oneOf(headers: ReceivedHeaders, name: string, pattern: RegExp): string | Refusal {
  const [value, ...more] = headerValues(headers, name);
  if (value === undefined) return refusal('missing_header', `The header ${name} is missing.`);
  if (more.length > 0) return refusal('malformed_header', `The header ${name} is there more than once.`);
  // Only a caller's own object can hold a value that is not a string; it is malformed too.
  if (typeof value === 'string' && pattern.test(value)) return value;
  return refusal('malformed_header', `The header ${name} is malformed.`);
}

// timingSafeEqual throws for unequal lengths, and a length is no secret.
function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function readEvent(rawBody: string | Uint8Array): VerifyWebhookResult {
  let event: unknown;
  try {
    event = JSON.parse(
      typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { fatal: true }).decode(rawBody),
    );
  } catch {
    return refusal('body_not_json', 'The signature is good, but the body is not JSON in UTF-8.');
  }
  const { id, type } = (event ?? {}) as { id?: unknown; type?: unknown };
  if (typeof id !== 'string' || typeof type !== 'string')
    return refusal('body_not_event', 'The signature is good, but the body has no id or no type.');
  return { ok: true, event: event as WebhookEvent, eventId: id };
}

function refusal(reason: RefusalReason, message: string): Refusal {
  return { ok: false, reason, message };
}
