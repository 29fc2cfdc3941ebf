import type { Reply } from '../../../platform/endpoint.ts';
import type { SecretBox } from './secret-box.ts';

/** An answer that holds secrets, with its body sealed: what may be stored for its Idempotency-Key. */
export function encryptReply(box: SecretBox, answer: Reply, merchantId: string): Reply {
  return { ...answer, text: encryptText(box, answer.text, merchantId) };
}

/** The answer itself, fresh or replayed. Throws SecretBoxError when its key is gone from SECRETS_KEY. */
export function decryptReply(box: SecretBox, answer: Reply, merchantId: string): Reply {
  return { ...answer, text: decryptText(box, answer.text, merchantId) };
}

/** `keyId.base64`; JSON has no such beginning, so a body that was never sealed cannot pass for one. */
export function encryptText(box: SecretBox, text: string, merchantId: string): string {
  const { keyId, ciphertext } = box.encrypt(text, aadOf(merchantId));
  return `${keyId}.${ciphertext.toString('base64')}`;
}

/** What `sealText` was given. Throws SecretBoxError. */
export function decryptText(box: SecretBox, sealed: string, merchantId: string): string {
  const [keyId = '', ciphertext = ''] = sealed.split('.');
  return box.decrypt({ keyId, ciphertext: Buffer.from(ciphertext, 'base64') }, aadOf(merchantId));
}

/** Not that of secrets: an answer copied to where a secret belongs must not open there. */
function aadOf(merchantId: string): string {
  return `answer to ${merchantId}`;
}
