import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyIdOf } from './values/ids.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/**
 * 96 bits, as NIST SP 800-38D recommends; random nonces are safe for far more secrets than one key ever
 * encrypts.
 */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret as it is stored: the id of its key, and nonce, tag and data in one buffer. */
export interface EncryptedSecret {
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

export interface SecretBox {
  /** The id of the first key, which encrypts. */
  readonly keyId: string;
  /** The ids of all keys, the first one's first. */
  readonly keyIds: readonly string[];
  /** Encrypts with the first key. `aad` (the merchant's id) must be given again to decrypt. */
  encrypt(plaintext: string, aad: string): EncryptedSecret;
  /**
   * Throws SecretBoxError when the key is missing, or the row was altered or copied from another merchant.
   */
  decrypt(encrypted: EncryptedSecret, aad: string): string;
}

/** Names the key id; holds neither key nor secret, so it may be logged. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
}

/** A new webhook secret: `whsec_` and 32 random bytes in base64 (contract, "Events"). */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const boxes = new WeakMap<readonly Buffer[], SecretBox>();

/**
 * The box of the configuration's keys; created once for each list, because every delivery decrypts a secret.
 */
export function secretBoxOf({ secretsKeys }: { readonly secretsKeys: readonly Buffer[] }): SecretBox {
  const known = boxes.get(secretsKeys);
  if (known !== undefined) return known;
  const box = createSecretBox(secretsKeys);
  boxes.set(secretsKeys, box);
  return box;
}

/**
 * Encrypts secrets at rest: AES-256-GCM under the first of `keys` (32 bytes each, from SECRETS_KEY); every
 * key decrypts what it encrypted. Throws SecretBoxError
 * when there is no key, or one of another length.
 */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const [first] = keys;
  if (first === undefined) throw new SecretBoxError('SECRETS_KEY holds no key');
  if (keys.some((key) => key.length !== KEY_BYTES))
    throw new SecretBoxError(`a key in SECRETS_KEY is not ${KEY_BYTES} bytes long`);
  const keysById = new Map(keys.map((key) => [keyIdOf(key), key]));
  const firstId = keyIdOf(first);
  return {
    keyId: firstId,
    keyIds: [...keysById.keys()],
    encrypt: (plaintext, aad) => ({ keyId: firstId, ciphertext: encrypt(first, plaintext, aad) }),
    decrypt({ keyId, ciphertext }, aad) {
      const key = keysById.get(keyId);
      if (key === undefined)
        throw new SecretBoxError(`SECRETS_KEY lacks the key ${keyId}, which a stored secret needs`);
      try {
        return decrypt(key, ciphertext, aad);
      } catch {
        throw new SecretBoxError(
          `a secret stored under the key ${keyId} was altered, or belongs to another merchant`,
        );
      }
    },
  };
}

function encrypt(key: Buffer, plaintext: string, aad: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(aad));
  const data = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), data]);
}

function decrypt(key: Buffer, ciphertext: Buffer, aad: string): string {
  const nonce = ciphertext.subarray(0, NONCE_BYTES);
  const tag = ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const data = ciphertext.subarray(NONCE_BYTES + TAG_BYTES);
  // With authTagLength, a truncated tag is rejected instead of being easier to guess.
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(aad))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8');
}
