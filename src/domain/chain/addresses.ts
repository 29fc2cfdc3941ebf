import { createHmac } from 'node:crypto';
import { base58, bech32, bech32m, createBase58check } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { NETWORKS, type AddressFormat, type NetworkId } from './networks.ts';

const base58Check = createBase58check(sha256);
const TRON_VERSION = 0x41;

interface Format {
  /** How 32 derived bytes become an address that wallets of the network accept. */
  readonly write: (bytes: Buffer) => string;
  /** What an address carries; null, or a throw, where it is none or its checksum is wrong. */
  readonly read: (address: string) => Uint8Array | null;
}

const FORMATS: Record<AddressFormat, Format> = {
  bech32: {
    write: (bytes) => bech32.encode('bc', [0, ...bech32.toWords(bytes.subarray(0, 20))]),
    read: (address) => (/^bc1/i.test(address) ? readSegwit(address) : readLegacy(address)),
  },
  hex: {
    // All lower case is valid everywhere, and people copy or scan a deposit address, they do not type it.
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
 * The deposit address of `reference` on `network`: the same for the same seed, unguessable without it, in the network's own format
 * and with its checksum. No key stands behind it: on a real network, money sent to it would be lost.
 */
export function depositAddress(seed: string, network: NetworkId, reference: string): string {
  const bytes = createHmac('sha256', seed)
    .update(JSON.stringify(['deposit address', network, reference]))
    .digest();
  return FORMATS[NETWORKS[network].addressFormat].write(bytes);
}

/** True when money on `network` can be sent to `address`: its form and, where it has one, its checksum are right, and somebody may hold its key. */
export function isAddress(network: NetworkId, address: string): boolean {
  try {
    const payload = FORMATS[NETWORKS[network].addressFormat].read(address);
    // Nobody holds the key of nothing but zeros: what is sent there is gone.
    return payload !== null && payload.some((byte) => byte !== 0);
  } catch {
    return false;
  }
}

/** Witness versions 0 (BIP-173) and 1 (taproot, BIP-350); what would be sent to a later one, anybody could take. */
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

/** Letters of both cases are a checksum (EIP-55); of one case, there is none. */
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
