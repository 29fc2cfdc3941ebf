import type { Reply } from '../../platform/endpoint.ts';
import type { SecretBox } from './secrets.ts';

/** An answer that holds secrets, with its body sealed: what may be stored for its Idempotency-Key. */
export function sealAnswer(box: SecretBox, answer: Reply, merchantId: string): Reply {
  return { ...answer, text: sealText(box, answer.text, merchantId) };
}

/** The answer itself, fresh or replayed. Throws SecretBoxError when its key is gone from SECRETS_KEY. */
export function openAnswer(box: SecretBox, answer: Reply, merchantId: string): Reply {
  return { ...answer, text: openText(box, answer.text, merchantId) };
}

/** `keyId.base64`; JSON has no such beginning, so a body that was never sealed cannot pass for one. */
export function sealText(box: SecretBox, text: string, merchantId: string): string {
  const { keyId, ciphertext } = box.seal(text, aadOf(merchantId));
  return `${keyId}.${ciphertext.toString('base64')}`;
}

/** What `sealText` was given. Throws SecretBoxError. */
export function openText(box: SecretBox, sealed: string, merchantId: string): string {
  const [keyId = '', ciphertext = ''] = sealed.split('.');
  return box.open({ keyId, ciphertext: Buffer.from(ciphertext, 'base64') }, aadOf(merchantId));
}

/** Not that of secrets: an answer copied to where a secret belongs must not open there. */
function aadOf(merchantId: string): string {
  return `answer to ${merchantId}`;
}
