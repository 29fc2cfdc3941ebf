import { createDecipheriv, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccakBytes } from '../evm/proofs/rlp.ts';

/** A private key that signs, and never shows itself. */
export interface SigningKey {
  /** Its address, in lower case. */
  readonly address: string;
  /** Returns the signature of a digest, of which `s` is the lower one (EIP-2). */
  sign(digest: Uint8Array): Promise<Signature>;
}

export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly parity: 0 | 1;
}

/** No honest file of either kind is as large as this. */
const MAX_BYTES = 16_384;
/** What scrypt may need: four times what geth asks for. */
const MAX_SCRYPT_BYTES = 1024 ** 3;

/**
 * Opens a key in the form of geth and foundry: Web3 Secret Storage, version 3, with scrypt. Throws
 * RangeError, which shows nothing of what is in the file, for a file that others may read, for another form,
 * and for a wrong passphrase.
 */
export async function openKeyFile(path: string, passphrase: string): Promise<SigningKey> {
  const { address, ciphertext, iv, mac, kdf } = parse(await readPrivateFile(path, 'The key file'));
  const options = { N: kdf.n, r: kdf.r, p: kdf.p, maxmem: MAX_SCRYPT_BYTES + 1024 ** 2 };
  const derived = await derive(passphrase, kdf.salt, 32, options);
  const expected = keccakBytes(Buffer.concat([derived.subarray(16, 32), ciphertext]));
  if (expected.length !== mac.length || !timingSafeEqual(expected, mac))
    throw new RangeError('The passphrase does not open the key file, or the file was changed');
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const key = signingKey(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
  if (address !== null && address !== key.address)
    throw new RangeError('The key file names another address than that of its key');
  return key;
}

/** Returns what signs with 32 bytes. Throws RangeError for bytes that are no key. */
export function signingKey(secret: Uint8Array): SigningKey {
  if (!secp256k1.utils.isValidSecretKey(secret)) throw new RangeError('The key file holds no key');
  const point = secp256k1.getPublicKey(secret, false);
  return {
    address: addressOf(point),
    async sign(digest) {
      const signed = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' });
      const { r, s, recovery } = secp256k1.Signature.fromBytes(signed, 'recovered');
      return { r, s, parity: recovery === 1 ? 1 : 0 };
    },
  };
}

/** Returns the address of a public key of 65 bytes. */
export const addressOf = (point: Uint8Array): string =>
  `0x${keccakBytes(point.subarray(1)).subarray(12).toString('hex')}`;

/**
 * Returns the text of a file that nobody but its owner can read. Throws RangeError, which says what is wrong
 * and nothing of the content.
 */
export async function readPrivateFile(path: string, what: string): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new RangeError(`${what} cannot be read (${error.code ?? error.name})`);
  });
  try {
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0)
      throw new RangeError(
        `${what} can be read or written by others than its owner, mode ${(mode & 0o777).toString(8)}: chmod 600`,
      );
    // A pipe or a device does not say how large it is.
    const bytes = await readUpTo(file, MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) throw new RangeError(`${what} is too large to be one`);
    return bytes.toString('utf8');
  } finally {
    await file.close();
  }
}

async function readUpTo(file: FileHandle, most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let length = 0;
  for (let more = 1; more > 0 && length < most; length += more)
    more = (await file.read(bytes, length, most - length, null)).bytesRead;
  return bytes.subarray(0, length);
}

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

function parse(text: string) {
  const file = fieldsOf(parseJson(text));
  const crypto = fieldsOf(file.crypto);
  const kdf = fieldsOf(crypto.kdfparams);
  if (file.version !== 3 || crypto.cipher !== 'aes-128-ctr' || crypto.kdf !== 'scrypt')
    throw new RangeError(
      'The key file is no Web3 Secret Storage, version 3, with scrypt and aes-128-ctr: make one with geth ' +
        '(account new) or foundry (cast wallet new)',
    );
  const [n, r, p] = [Number(kdf.n), Number(kdf.r), Number(kdf.p)];
  const isBounded = n * r * 128 <= MAX_SCRYPT_BYTES && p <= 16 && n >= 4_096 && r >= 1 && p >= 1;
  if (!isBounded || !Number.isInteger(Math.log2(n)) || kdf.dklen !== 32)
    throw new RangeError('The key file asks for more of scrypt than is sensible, or for less');
  const address = typeof file.address === 'string' ? file.address : null;
  return {
    address: address === null ? null : `0x${address.toLowerCase().replace(/^0x/, '')}`,
    ciphertext: bytesOf(crypto.ciphertext, 32),
    iv: bytesOf(fieldsOf(crypto.cipherparams).iv, 16),
    mac: bytesOf(crypto.mac, 32),
    kdf: { n, r, p, salt: bytesOf(kdf.salt) },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse shows a part of the text.
    throw new RangeError('The key file is no JSON');
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  throw new RangeError('The key file lacks a part of Web3 Secret Storage');
}

function bytesOf(value: unknown, length?: number): Buffer {
  const bytes = Buffer.from(typeof value === 'string' ? value.replace(/^0x/, '') : '', 'hex');
  if (bytes.length === 0 || (length !== undefined && bytes.length !== length))
    throw new RangeError('The key file has a part of the wrong length');
  return bytes;
}
