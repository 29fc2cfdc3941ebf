import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** The headers that prove who sent an event and when: the specification's two, and those of Standard Webhooks. */
export interface SignatureHeaders extends Record<string, string> {
  'X-Webhook-Signature': string;
  'X-Webhook-Timestamp': string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * Signs one attempt to deliver an event: `body` is exactly what is sent, `secrets` are `whsec_...`, newest first (more than
 * one while a rotation overlaps), `now` is the instant of sending. Throws when there is no secret, or one without the prefix.
 * Sources: specification, "Signature headers" (newest secret, keyed with the whole string, hex over `timestamp.body`);
 * standardwebhooks.com (every secret, keyed with the decoded bytes, base64 over `id.timestamp.body`).
 */
export function signatureHeaders(input: {
  eventId: string;
  body: Buffer | string;
  secrets: readonly string[];
  now: Date;
}): SignatureHeaders {
  const { eventId, body, secrets } = input;
  const [newest] = secrets;
  if (newest === undefined) throw new Error('an event cannot be signed without a webhook secret');
  const timestamp = String(Math.floor(input.now.getTime() / 1000));
  return {
    'X-Webhook-Signature': createHmac('sha256', newest).update(`${timestamp}.`).update(body).digest('hex'),
    'X-Webhook-Timestamp': timestamp,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets
      .map((secret) =>
        createHmac('sha256', keyBytes(secret))
          .update(`${eventId}.${timestamp}.`)
          .update(body)
          .digest('base64'),
      )
      .map((signature) => `v1,${signature}`)
      .join(' '),
  };
}

function keyBytes(secret: string): Buffer {
  // The message must not show what it was given instead.
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error(`a webhook secret must begin with ${SECRET_PREFIX}`);
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}
