import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { encodedKey, PUBLIC_PREFIX } from './secrets.ts';

const PRIVATE_PREFIX = 'whsk_';

/** What precedes the 32 bytes of a key in DER: RFC 8410, PKCS #8 and SubjectPublicKeyInfo. */
const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);
const SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0);

/** The public key, `whpk_...`, of a private one, `whsk_...`. Throws TypeError for a malformed key. */
export function publicKeyOf(privateKey: string): string {
  const der = createPublicKey(readPrivateKey(privateKey)).export({ format: 'der', type: 'spki' });
  return `${PUBLIC_PREFIX}${der.subarray(SPKI.length).toString('base64')}`;
}

/** The ed25519 signature of Standard Webhooks, `v1a`. Throws TypeError for a malformed key. */
export function keyPairSignature(privateKey: string, signed: Uint8Array): Uint8Array {
  return sign(null, signed, readPrivateKey(privateKey));
}

/** The public key of its 32 bytes. */
export function publicKeyObject(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' });
}

function readPrivateKey(key: string): KeyObject {
  const bytes = Buffer.from(encodedKey(key, PRIVATE_PREFIX), 'base64');
  return createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' });
}
