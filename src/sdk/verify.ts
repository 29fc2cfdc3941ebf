import { timingSafeEqual, verify } from 'node:crypto';
import { publicKeyObject } from './key-pairs.ts';
import { hmacOf, NODE_CODEC } from './node-crypto.ts';
import { NO_MATCH, receive, type VerifyWebhookOptions, type VerifyWebhookResult } from './received.ts';
import { thinResult, type VerifyThinWebhookResult } from './thin.ts';

/**
 * Verifies that a request is an unaltered and recent event of the service, and returns the event. Where
 * `webhook-signature` is present, only the headers of Standard Webhooks count: they name the id, and both
 * secrets sign them during a rotation. Otherwise X-Webhook-Signature and X-Webhook-Timestamp count.
 * Comparisons take constant time. The signature is checked first, so that `timestamp_too_old` always means an
 * event of the service. An event of a type that is added later passes. Never throws for the content of a
 * request; throws TypeError for options that cannot be meant, such as malformed secrets. Sources:
 * specification, "Receiver rules"; standardwebhooks.com.
 */
export function verifyWebhook(options: VerifyWebhookOptions): VerifyWebhookResult {
  const received = receive(options, NODE_CODEC);
  if ('reason' in received) return received;
  const { signed, hmacKeys, hmacs, publicKeys, signatures } = received;
  const hasHmac = hmacKeys.some((key) => {
    const expected = hmacOf(key, signed);
    return hmacs.some((hmac) => isEqual(hmac, expected));
  });
  const isSigned =
    hasHmac ||
    publicKeys
      .map(publicKeyObject)
      .some((key) => signatures.some((signature) => verify(null, signed, key, signature)));
  return isSigned ? received.accept() : NO_MATCH;
}

/**
 * Verifies a request as `verifyWebhook` does, for an endpoint that receives thin events. A whole event is
 * `body_not_event`.
 */
export function verifyThinWebhook(options: VerifyWebhookOptions): VerifyThinWebhookResult {
  return thinResult(verifyWebhook(options));
}

// timingSafeEqual throws for unequal lengths, and a length is no secret.
function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
