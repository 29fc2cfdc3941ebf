import type { Reply } from '../../api/endpoint.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';

/** A reply that holds secrets, with its body encrypted: what may be stored for its Idempotency-Key. */
export function encryptReply(box: SecretBox, reply: Reply, merchantId: string): Reply {
  return { ...reply, text: encryptBody(box, reply.text, merchantId) };
}

/** The reply itself, fresh or replayed. Throws SecretBoxError when SECRETS_KEY lacks its key. */
export function decryptReply(box: SecretBox, reply: Reply, merchantId: string): Reply {
  return { ...reply, text: decryptBody(box, reply.text, merchantId) };
}

/**
 * `keyId.base64`. JSON does not begin like that, so a body in plain text cannot pass for an encrypted one.
 */
export function encryptBody(box: SecretBox, text: string, merchantId: string): string {
  const { keyId, ciphertext } = box.encrypt(text, aadOf(merchantId));
  return `${keyId}.${ciphertext.toString('base64')}`;
}

/** The text that `encryptBody` was given. Throws SecretBoxError. */
export function decryptBody(box: SecretBox, encrypted: string, merchantId: string): string {
  const [keyId = '', ciphertext = ''] = encrypted.split('.');
  return box.decrypt({ keyId, ciphertext: Buffer.from(ciphertext, 'base64') }, aadOf(merchantId));
}

/** Differs from that of secrets: a reply that is copied to a secret's row must not decrypt there. */
function aadOf(merchantId: string): string {
  return `answer to ${merchantId}`;
}
