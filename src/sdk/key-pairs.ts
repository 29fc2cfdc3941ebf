import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
const KEY_BYTES = 32;

/** What precedes the 32 bytes of a key in DER: RFC 8410, PKCS #8 and SubjectPublicKeyInfo. */
const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);
const SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0);

/** The public key, `whpk_...`, of a private one, `whsk_...`. Throws TypeError for a malformed key. */
export function publicKeyOf(privateKey: string): string {
  const der = createPublicKey(readPrivateKey(privateKey)).export({ format: 'der', type: 'spki' });
  return `${PUBLIC_PREFIX}${der.subarray(SPKI.length).toString('base64')}`;
}

/** The ed25519 signature of Standard Webhooks, `v1a`. Throws TypeError for a malformed key. */
export function keyPairSignature(
  privateKey: string,
  id: string,
  timestamp: string,
  rawBody: string | Uint8Array,
): Uint8Array {
  return sign(null, signedContent(id, timestamp, rawBody), readPrivateKey(privateKey));
}

/** Whether `signature` was made by the private key of `publicKey`. */
export function isSignedByKeyPair(
  publicKey: KeyObject,
  signature: Uint8Array,
  id: string,
  timestamp: string,
  rawBody: string | Uint8Array,
): boolean {
  return verify(null, signedContent(id, timestamp, rawBody), publicKey, signature);
}

/** Parses configured public keys. Throws TypeError for a malformed one. */
export function readPublicKeys(publicKeys: string | readonly string[]): KeyObject[] {
  return (typeof publicKeys === 'string' ? [publicKeys] : [...publicKeys]).map((key) =>
    createPublicKey({ key: Buffer.concat([SPKI, bytesOf(key, PUBLIC_PREFIX)]), format: 'der', type: 'spki' }),
  );
}

function readPrivateKey(key: string): KeyObject {
  const der = Buffer.concat([PKCS8, bytesOf(key, PRIVATE_PREFIX)]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

// Without the value in its message: it may be a private key, or the rest of one.
function bytesOf(configured: unknown, prefix: string): Buffer {
  const text = typeof configured === 'string' ? configured.trim() : '';
  const bytes = Buffer.from(text.slice(prefix.length), 'base64');
  if (!text.startsWith(prefix) || bytes.length !== KEY_BYTES)
    throw new TypeError(`a key must be ${prefix} and the base64 of ${KEY_BYTES} bytes`);
  return bytes;
}

function signedContent(id: string, timestamp: string, rawBody: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(rawBody)]);
}
