import type { Codec } from '../codec.ts';
import { NO_MATCH, receive, type VerifyWebhookOptions, type VerifyWebhookResult } from '../received.ts';
import { thinResult, type VerifyThinWebhookResult } from '../thin.ts';

const CODEC: Codec = {
  encode: (text) => new TextEncoder().encode(text),
  decode: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  fromBase64(text) {
    try {
      return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    } catch {
      return new Uint8Array();
    }
  },
};

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const ED25519 = { name: 'Ed25519' };

/**
 * Verifies a request as `verifyWebhook` of `payment-checkout/webhooks` does, by the same rules, with Web
 * Crypto: for runtimes at the edge, which have no `node:crypto`. Await it. Rejects with TypeError for options
 * that cannot be meant, such as malformed secrets; `publicKeys` need a runtime that has Ed25519.
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<VerifyWebhookResult> {
  const received = receive(options, CODEC);
  if ('reason' in received) return received;
  const { signed, hmacKeys, hmacs, publicKeys, signatures } = received;
  const isSigned =
    (await isAny(HMAC, hmacKeys, hmacs, signed)) || (await isAny(ED25519, publicKeys, signatures, signed));
  return isSigned ? received.accept() : NO_MATCH;
}

/**
 * Verifies a request as `verifyWebhook` does, for an endpoint that receives thin events. A whole event is
 * `body_not_event`.
 */
export async function verifyThinWebhook(options: VerifyWebhookOptions): Promise<VerifyThinWebhookResult> {
  return thinResult(await verifyWebhook(options));
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Whether any of the signatures was made with any of the keys. `verify` compares in constant time. */
async function isAny(
  algorithm: { readonly name: string },
  keys: readonly Bytes[],
  signatures: readonly Bytes[],
  signed: Bytes,
): Promise<boolean> {
  if (signatures.length === 0) return false;
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures)
      if (await crypto.subtle.verify(algorithm, key, signature, signed)) return true;
  }
  return false;
}
