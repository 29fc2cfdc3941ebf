import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import type { DerivableWallet } from './families.ts';

const base58Check = createBase58check(sha256);

/** BIP-44: m/purpose'/coin'/account'. */
const ACCOUNT_DEPTH = 3;
/** BIP-32: an index from here on is hardened, and needs the private key. */
const HARDENED = 0x80000000;
/** Child 0 of an account holds the addresses that are shown to others. */
const RECEIVING = 0;

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
  const key = readKey(text);
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

/** Returns what the addresses of an account follow from: depth, index and parent in its text do not count. */
export function accountOf(publicData: string): string | null {
  const { publicKey = null, chainCode = null } = readKey(publicData) ?? {};
  return publicKey === null || chainCode === null ? null : bytesToHex(publicKey) + bytesToHex(chainCode);
}

/** Opens what `parseAccountKey` has returned: addresses are those of m/44'/60'/account'/0/index. */
export function openAccountKey(publicData: string): DerivableWallet {
  const account = readKey(publicData);
  if (account === null) throw new Error('the stored extended public key cannot be read');
  const receiving = account.deriveChild(RECEIVING);
  return {
    family: 'evm',
    addressAt: (index) => addressOf(receiving.deriveChild(index)),
    pathAt: (index) => `m/44'/60'/${account.index - HARDENED}'/${RECEIVING}/${index}`,
  };
}

/**
 * Null for what is none. Private keys are none: they must not get as far as a library that would take them.
 */
function readKey(text: string): HDKey | null {
  try {
    const isPrivate = base58Check.decode(text)[45] === 0;
    return isPrivate ? null : HDKey.fromExtendedKey(text);
  } catch {
    return null;
  }
}

/** The last 20 bytes of the hash of the public key (Ethereum's yellow paper, appendix F), in lower case. */
function addressOf({ publicKey }: HDKey): string {
  if (publicKey === null) throw new Error('an extended public key has a public key');
  const point = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  return `0x${bytesToHex(keccak_256(point.subarray(1)).subarray(12))}`;
}
