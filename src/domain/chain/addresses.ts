import { createHmac } from 'node:crypto';
import { base58, bech32, bech32m, createBase58check } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { NETWORKS, type AddressFormat, type NetworkId } from './networks.ts';

const base58Check = createBase58check(sha256);
const TRON_VERSION = 0x41;

interface Format {
  /** Encodes 32 derived bytes as an address that wallets of the network accept. */
  readonly write: (bytes: Buffer) => string;
  /** Returns the payload of an address; returns null or throws when it is none or its checksum is wrong. */
  readonly read: (address: string) => Uint8Array | null;
}

const FORMATS: Record<AddressFormat, Format> = {
  bech32: {
    write: (bytes) => bech32.encode('bc', [0, ...bech32.toWords(bytes.subarray(0, 20))]),
    read: (address) => (/^bc1/i.test(address) ? readSegwit(address) : readLegacy(address)),
  },
  hex: {
    // Lower case is valid everywhere. A checksum is not needed: people copy or scan a deposit address.
    write: (bytes) => `0x${bytes.subarray(0, 20).toString('hex')}`,
    read: readHex,
  },
  base58check: {
    write: (bytes) => base58Check.encode(Uint8Array.of(TRON_VERSION, ...bytes.subarray(0, 20))),
    read(address) {
      const [version, ...payload] = base58Check.decode(address);
      return version === TRON_VERSION && payload.length === 20 ? Uint8Array.from(payload) : null;
    },
  },
  base58: {
    write: (bytes) => base58.encode(bytes),
    read(address) {
      const key = base58.decode(address);
      return key.length === 32 ? key : null;
    },
  },
};

/**
 * Returns the deposit address of `reference` on `network`, in the network's format and with its checksum.
 * It is the same for the same seed, and cannot be guessed without the seed. No private key belongs to it:
 * money sent to it on a real network would be lost.
 */
export function depositAddress(seed: string, network: NetworkId, reference: string): string {
  const bytes = createHmac('sha256', seed)
    .update(JSON.stringify(['deposit address', network, reference]))
    .digest();
  return FORMATS[NETWORKS[network].addressFormat].write(bytes);
}

/** True when the form and the checksum of `address` are valid on `network`, and a key for it may exist. */
export function isAddress(network: NetworkId, address: string): boolean {
  try {
    const payload = FORMATS[NETWORKS[network].addressFormat].read(address);
    // No key for the all-zero address is known: money sent to it is lost.
    return payload !== null && payload.some((byte) => byte !== 0);
  } catch {
    return false;
  }
}

/**
 * Witness versions 0 (BIP-173) and 1 (taproot, BIP-350). Outputs of later versions can be spent without a
 * key.
 */
function readSegwit(address: string): Uint8Array | null {
  const isTaproot = /^bc1p/i.test(address);
  const encoding = isTaproot ? bech32m : bech32;
  const { prefix, words } = encoding.decode(address as `${string}1${string}`);
  const [version, ...rest] = words;
  const program = encoding.fromWords(rest);
  const lengths = isTaproot ? [32] : [20, 32];
  return prefix === 'bc' && version === (isTaproot ? 1 : 0) && lengths.includes(program.length)
    ? program
    : null;
}

/** Pay to public key hash (1...) and to script hash (3...). */
function readLegacy(address: string): Uint8Array | null {
  const [version, ...payload] = base58Check.decode(address);
  return (version === 0x00 || version === 0x05) && payload.length === 20 ? Uint8Array.from(payload) : null;
}

/** Mixed case is a checksum (EIP-55); letters of one case carry none. */
function readHex(address: string): Uint8Array | null {
  const [, digits] = /^0x([0-9a-f]{40})$/i.exec(address) ?? [];
  if (digits === undefined) return null;
  const lower = digits.toLowerCase();
  if (digits !== lower && digits !== digits.toUpperCase() && digits !== withChecksum(lower)) return null;
  return Uint8Array.from(Buffer.from(lower, 'hex'));
}

function withChecksum(lower: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  return [...lower]
    .map((digit, i) => (Number.parseInt(hash.charAt(i), 16) >= 8 ? digit.toUpperCase() : digit))
    .join('');
}
