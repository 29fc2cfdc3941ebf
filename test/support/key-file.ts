import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keccakBytes } from '../../src/domain/chain/evm/proofs/rlp.ts';
import { ROOT_KEY } from './wallets.ts';

export const PASSPHRASE = 'correct horse battery staple';

/** The private key of an account of anvil, which everybody knows. */
export function knownKey(account: number): Uint8Array {
  const { privateKey } = ROOT_KEY.derive(`m/44'/60'/0'/0/${account}`);
  if (privateKey === null) throw new Error('the root key is private');
  return privateKey;
}

/** Returns the content of a key file, with the least work that is taken. */
export function keyFile(secret: Uint8Array, passphrase = PASSPHRASE): Record<string, unknown> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const derived = scryptSync(passphrase, salt, 32, { N: 4_096, r: 8, p: 1 });
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  return {
    version: 3,
    id: '00000000-0000-4000-8000-000000000000',
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n: 4_096, r: 8, p: 1, salt: salt.toString('hex') },
      mac: keccakBytes(Buffer.concat([derived.subarray(16), ciphertext])).toString('hex'),
    },
  };
}

/** Writes a file that only its owner can read, and returns its path. */
export async function privateFile(content: string, mode = 0o600): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'key-')), 'file');
  await writeFile(path, content, { mode });
  return path;
}
