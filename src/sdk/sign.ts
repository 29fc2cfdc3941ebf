import { checkNow, checkOptions, kindOf, listOf } from './check.ts';
import { bytesOf, type RawBody } from './codec.ts';
import { keyPairSignature } from './key-pairs.ts';
import { hmacOf, NODE_CODEC } from './node-crypto.ts';
import { readSecrets } from './secrets.ts';

/**
 * The headers that prove who sent an event and when: the specification's two, and those of Standard Webhooks.
 */
export interface WebhookHeaders extends Record<string, string> {
  /** Hex of HMAC-SHA256 over `timestamp.body`, by the newest secret. */
  'X-Webhook-Signature': string;
  /** When it was sent, in whole seconds of Unix time. */
  'X-Webhook-Timestamp': string;
  /** The event's id. */
  'webhook-id': string;
  /** The same as X-Webhook-Timestamp. */
  'webhook-timestamp': string;
  /** `v1,` or `v1a,` and base64, over `id.timestamp.body`: one for each secret and key pair. */
  'webhook-signature': string;
}

/** What `signWebhook` takes. */
export interface SignWebhookOptions {
  /** The id of the event that is sent. */
  readonly eventId: string;
  /** Exactly what is sent. */
  readonly rawBody: RawBody;
  /** `whsec_...`, newest first; more than one while a rotation overlaps. */
  readonly secrets: string | readonly string[];
  /** `whsk_...`, newest first: private keys whose ed25519 signatures stand beside those of the secrets. */
  readonly signingKeys?: readonly string[] | undefined;
  /** The instant of sending; default: the current time. */
  readonly now?: Date | undefined;
}

/**
 * Signs one attempt to deliver an event, as the service does: for the service itself, and for the tests of
 * receivers. Throws TypeError for options that cannot be meant, such as a malformed secret. Sources:
 * specification, "Signature headers" (newest secret, keyed with the whole string, hex over `timestamp.body`);
 * standardwebhooks.com (every secret, keyed with the decoded bytes, base64 over `id.timestamp.body`; every
 * key pair, `v1a`, over the same).
 */
export function signWebhook(options: SignWebhookOptions): WebhookHeaders {
  checkOptions(options, 'signWebhook', 'eventId, rawBody, secrets');
  const { eventId, rawBody, secrets, signingKeys = [], now = new Date() } = options;
  const keys = readSecrets(secrets);
  checkNow(now);
  if (typeof eventId !== 'string' || eventId === '')
    throw new TypeError(`eventId must be the id of the event, evt_..., not ${kindOf(eventId)}`);
  const body = typeof rawBody === 'string' ? rawBody : bytesOf(rawBody, NODE_CODEC);
  if (body === null)
    throw new TypeError(`rawBody must be the bytes or the text that is sent, not ${kindOf(rawBody)}`);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const prefix = `${eventId}.${timestamp}.`;
  return {
    'X-Webhook-Signature': hmacOf(keys[0].text, `${timestamp}.`, body).toString('hex'),
    'X-Webhook-Timestamp': timestamp,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': [
      ...keys.map(
        ({ encoded }) => `v1,${hmacOf(Buffer.from(encoded, 'base64'), prefix, body).toString('base64')}`,
      ),
      ...listOf('signingKeys', signingKeys, 'whsk_...').map((key) => {
        const signature = keyPairSignature(key, Buffer.concat([Buffer.from(prefix), Buffer.from(body)]));
        return `v1a,${Buffer.from(signature).toString('base64')}`;
      }),
    ].join(' '),
  };
}
