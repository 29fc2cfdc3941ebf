import { checkNow, checkOptions, kindOf } from './check.ts';
import { bytesOf, concatenated, type Codec, type RawBody } from './codec.ts';
import type { WebhookEvent } from './event-types.ts';
import { checkHeaders, headerValues, type ReceivedHeaders } from './received-headers.ts';
import { BASE64, readPublicKeys, readSecrets, type Secret } from './secrets.ts';

/** Specification, "Receiver rules". */
const DEFAULT_TOLERANCE_SECONDS = 300;

interface VerifyOptions {
  /** The body's bytes as they arrived, before any parser: a Buffer, Uint8Array, ArrayBuffer or string. */
  readonly rawBody: RawBody;
  /** The request's headers, as they were received. */
  readonly headers: ReceivedHeaders;
  /** How old, or how far ahead, a timestamp may be; default 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Default: the current time. */
  readonly now?: Date | undefined;
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
/** Why a request is rejected. */
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Why a request is refused: answer 401 or 400. */
export interface Refusal {
  /** It is no event, or not to be trusted. */
  readonly ok: false;
  /** Why, as a word for programs. */
  readonly reason: RefusalReason;
  /** Why, as a sentence for a log; do not send it to the client. */
  readonly message: string;
}

/** What `verifyWebhook` found: the event, or why the request is refused. */
export type VerifyWebhookResult =
  | {
      /** The request is an unaltered and recent event of the service. */
      readonly ok: true;
      /** The event: `event.type` narrows `event.data`. */
      readonly event: WebhookEvent;
      /** The event's id: the same in each of its deliveries. */
      readonly eventId: string;
    }
  | Refusal;

/** A request that has the form of a signed event. Whether it is one, the signatures say. */
export interface Received {
  /** What was signed. */
  readonly signed: Uint8Array<ArrayBuffer>;
  /** For each secret, the key of its HMAC. */
  readonly hmacKeys: readonly Uint8Array<ArrayBuffer>[];
  /** What the request has of HMACs; one that fits is enough. */
  readonly hmacs: readonly Uint8Array<ArrayBuffer>[];
  /** The 32 bytes of each public key. */
  readonly publicKeys: readonly Uint8Array<ArrayBuffer>[];
  /** What the request has of ed25519 signatures; one that fits is enough. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
  /** What a request is that is signed. */
  readonly accept: () => VerifyWebhookResult;
}

/**
 * Reads a request before its signatures are checked. Where `webhook-signature` is present, only the headers
 * of Standard Webhooks count: they name the id, and both secrets sign them during a rotation. Otherwise
 * X-Webhook-Signature and X-Webhook-Timestamp count. Never throws for the content of a request; throws
 * TypeError for options that cannot be meant.
 */
export function receive(options: VerifyWebhookOptions, codec: Codec): Received | Refusal {
  checkOptions(options, 'verifyWebhook', 'rawBody, headers, secrets');
  const { rawBody, headers, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() } = options;
  const publicKeys = readPublicKeys(options.publicKeys, codec);
  const secrets = options.secrets === undefined && publicKeys.length > 0 ? [] : readSecrets(options.secrets);
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0))
    throw new TypeError(
      `toleranceSeconds must be a number, 0 or more, not ${kindOf(toleranceSeconds)}: leave it out for ${DEFAULT_TOLERANCE_SECONDS}`,
    );
  checkNow(now);
  checkHeaders(headers);
  const body = bytesOf(rawBody, codec);
  if (body === null) return refusal('body_not_raw', BODY_NOT_RAW);
  const claim = readClaim(headers, codec);
  if ('reason' in claim) return claim;
  return {
    signed: concatenated(codec.encode(`${claim.prefix}${claim.timestamp}.`), body),
    hmacKeys: secrets.map(claim.hmacKey),
    hmacs: claim.hmacs,
    publicKeys,
    signatures: claim.signatures,
    accept: () =>
      refuseAge(now.getTime() / 1000 - Number(claim.timestamp), toleranceSeconds) ?? readEvent(body, codec),
  };
}

export const NO_MATCH: Refusal = refusal('no_match', 'No signature fits the body and any of the keys.');

const BODY_NOT_RAW =
  'rawBody must be the bytes that arrived, as a Buffer, Uint8Array, ArrayBuffer or string. A parsed body cannot be verified: written again, it would not be the same bytes. With Express: express.raw({ type: "application/json" }).';

/** What the headers say. */
interface Claim {
  readonly timestamp: string;
  /** What is signed before the timestamp. */
  readonly prefix: string;
  readonly hmacKey: (secret: Secret) => Uint8Array<ArrayBuffer>;
  readonly hmacs: readonly Uint8Array<ArrayBuffer>[];
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
}

function readClaim(headers: ReceivedHeaders, codec: Codec): Claim | Refusal {
  const isStandard = headerValues(headers, 'webhook-signature').length > 0;
  return isStandard ? standardClaim(headers, codec) : timestampedClaim(headers, codec);
}

/** Of one version; the service sends one for each secret or key pair. A stranger's thousand would be work. */
const MAX_SIGNATURES = 20;

function standardClaim(headers: ReceivedHeaders, { fromBase64 }: Codec): Claim | Refusal {
  const id = oneOf(headers, 'webhook-id', /^\S{1,255}$/);
  if (typeof id !== 'string') return id;
  const timestamp = oneOf(headers, 'webhook-timestamp', TIMESTAMP);
  if (typeof timestamp !== 'string') return timestamp;
  const all = headerValues(headers, 'webhook-signature').flatMap((value) => value.split(' '));
  const of = (version: string) =>
    all
      .filter((one) => one.startsWith(version))
      .slice(0, MAX_SIGNATURES)
      .map((one) => one.slice(version.length))
      // One text for each signature: some decoders take others for the same bytes.
      .map((text) => (BASE64.test(text) ? fromBase64(text) : new Uint8Array()));
  const [hmacs, signatures] = [of('v1,'), of('v1a,')];
  if (hmacs.length + signatures.length === 0)
    return refusal('malformed_header', 'webhook-signature holds no signature of version 1 or 1a.');
  return { timestamp, prefix: `${id}.`, hmacKey: ({ encoded }) => fromBase64(encoded), hmacs, signatures };
}

function timestampedClaim(headers: ReceivedHeaders, { encode }: Codec): Claim | Refusal {
  const signature = oneOf(headers, 'x-webhook-signature', /^[0-9a-f]{64}$/i);
  if (typeof signature !== 'string') return signature;
  const timestamp = oneOf(headers, 'x-webhook-timestamp', TIMESTAMP);
  if (typeof timestamp !== 'string') return timestamp;
  const hmac = Uint8Array.from(signature.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  return { timestamp, prefix: '', hmacKey: ({ text }) => encode(text), hmacs: [hmac], signatures: [] };
}

/** Whole seconds, until the year 33658: more digits would not be exact. */
const TIMESTAMP = /^\d{1,12}$/;

/** The header's value; a refusal when it is not there, is there twice, or does not match. */
function oneOf(headers: ReceivedHeaders, name: string, pattern: RegExp): string | Refusal {
  const [value, ...more] = headerValues(headers, name);
  if (value === undefined) return refusal('missing_header', `The header ${name} is missing.`);
  if (more.length > 0) return refusal('malformed_header', `The header ${name} is there more than once.`);
  if (pattern.test(value)) return value;
  return refusal('malformed_header', `The header ${name} is malformed.`);
}

function refuseAge(age: number, toleranceSeconds: number): Refusal | null {
  if (age > toleranceSeconds) return refusal('timestamp_too_old', `It was sent ${Math.round(age)} s ago.`);
  if (age >= -toleranceSeconds) return null;
  return refusal('timestamp_too_new', `It was sent ${Math.round(-age)} s ahead of this clock.`);
}

function readEvent(body: Uint8Array, { decode }: Codec): VerifyWebhookResult {
  let event: unknown;
  try {
    event = JSON.parse(decode(body));
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
