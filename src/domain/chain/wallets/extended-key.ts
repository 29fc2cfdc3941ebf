import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { HDKey } from '@scure/bip32';
import { base58Check } from '../addresses.ts';
import { HARDENED, publicChildren } from './deposits/public-children.ts';
import type { DerivableWallet } from './families.ts';

/** BIP-44: m/purpose'/coin'/account'. */
export const ACCOUNT_DEPTH = 3;
/** Child 0 of an account holds the addresses that are shown to others. */
export const RECEIVING = 0;

/**
 * Returns the extended public key of an EVM account as it is stored. Throws RangeError, which never names the
 * value, for anything else: also for the keys of another depth, whose children no wallet would show.
 */
export function parseAccountKey(text: string): string {
  if (/^[yzYZtuvUV]pub/.test(text))
    throw new RangeError(
      'This extended public key belongs to another chain: its first letters name one of Bitcoin. ' +
        "Give the account's xpub of m/44'/60'/0'",
    );
  const key = readExtendedKey(text);
  if (key === null)
    throw new RangeError(
      'The value is no extended public key (xpub...), or its checksum is wrong: copy it again, as a whole',
    );
  if (key.depth !== ACCOUNT_DEPTH || key.index < HARDENED)
    throw new RangeError(
      `The value is an extended public key of depth ${key.depth}, and that of an account is needed (depth 3): ` +
        "the one of m/44'/60'/0', which wallets call the account's extended public key",
    );
  return text;
}

/** Returns what the addresses of an account follow from: form, depth and index of its key do not count. */
export function accountOf(key: string): string | null {
  const bytes = decoded(key);
  return bytes === null ? null : bytesToHex(bytes.subarray(CHAIN_CODE));
}

/** The begin and the end of a key, which distinguish it. */
export const shortened = (key: string): string => `${key.slice(0, 8)}...${key.slice(-4)}`;

/** Opens what `parseAccountKey` has returned: addresses are those of m/44'/60'/account'/0/index. */
export function openAccountKey(publicData: string): DerivableWallet {
  const account = readExtendedKey(publicData);
  if (account === null) throw new Error('the stored extended public key cannot be read');
  const receiving = publicChildren(account.deriveChild(RECEIVING));
  return {
    family: 'evm',
    addressAt: (index) => addressOf(receiving(index).toBytes(false)),
    pathAt: (index) => `m/44'/60'/${account.index - HARDENED}'/${RECEIVING}/${index}`,
  };
}

/**
 * Reads an extended public key, whatever its first letters say of the addresses (SLIP-132). Null for what is
 * none. Private keys are none: they must not get as far as a library that would take them.
 */
export function readExtendedKey(text: string): HDKey | null {
  const bytes = decoded(text);
  if (bytes === null) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  try {
    return new HDKey({
      depth: view.getUint8(4),
      parentFingerprint: view.getUint32(5),
      index: view.getUint32(9),
      chainCode: bytes.slice(CHAIN_CODE, PUBLIC_KEY),
      publicKey: bytes.slice(PUBLIC_KEY),
    });
  } catch {
    return null;
  }
}

/** BIP-32: version, depth, fingerprint of the parent, index, chain code, key; a private one begins with 0. */
const [CHAIN_CODE, PUBLIC_KEY, LENGTH] = [13, 45, 78];
/** The letters that four bytes of version make. */
const LETTERS = /^[xyzYZtuvUV]pub/;

function decoded(text: string): Uint8Array | null {
  try {
    const bytes = base58Check.decode(text);
    return LETTERS.test(text) && bytes.length === LENGTH && bytes[PUBLIC_KEY] !== 0 ? bytes : null;
  } catch {
    return null;
  }
}

/** The last 20 bytes of the hash of the public key (Ethereum's yellow paper, appendix F), in lower case. */
const addressOf = (point: Uint8Array): string =>
  `0x${bytesToHex(keccak_256(point.subarray(1)).subarray(12))}`;
