import { createHmac } from 'node:crypto';
import { base58, bech32, bech32m, createBase58check } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { AddressFormat } from '../../networks/traits/network.ts';
import { NETWORKS, type NetworkId } from './networks.ts';

export const base58Check = createBase58check(sha256);

/** What distinguishes the addresses of a main network from those of its test network. */
interface Chain {
  readonly segwitPrefix: 'bc' | 'tb' | 'bcrt';
  /** Version bytes: pay to public key hash, pay to script hash. */
  readonly legacyVersions: readonly number[];
  readonly tronVersion: number;
}
const TEST: Chain = { segwitPrefix: 'tb', legacyVersions: [0x6f, 0xc4], tronVersion: 0xa0 };
const CHAINS = {
  main: { segwitPrefix: 'bc', legacyVersions: [0x00, 0x05], tronVersion: 0x41 },
  test: TEST,
  regtest: { ...TEST, segwitPrefix: 'bcrt' },
} as const satisfies Record<string, Chain>;

/** The chains whose addresses differ. `regtest`: one that its owner mines alone. */
export type AddressChain = keyof typeof CHAINS;

/** What a segwit address of any chain begins with. */
const SEGWIT = /^(?:bc|tb|bcrt)1/i;

interface Format {
  /** Encodes 32 derived bytes as an address of the test network, which wallets of the main one refuse. */
  readonly write: (bytes: Buffer) => string;
  /** Returns the payload of an address; returns null or throws when it is none or its checksum is wrong. */
  readonly read: (address: string, chain: Chain) => Uint8Array | null;
}

const FORMATS: Record<AddressFormat, Format> = {
  bech32: {
    write: (bytes) => witnessAddress('test', bytes.subarray(0, 20)),
    read: (address, chain) =>
      SEGWIT.test(address) ? readSegwit(address, chain) : readLegacy(address, chain),
  },
  hex: {
    // Main and test networks share one form: only the wallet URI and the page tell them apart.
    // Lower case is valid everywhere. A checksum is not needed: people copy or scan a deposit address.
    write: (bytes) => `0x${bytes.subarray(0, 20).toString('hex')}`,
    read: readHex,
  },
  base58check: {
    write: (bytes) => base58Check.encode(Uint8Array.of(TEST.tronVersion, ...bytes.subarray(0, 20))),
    read(address, { tronVersion }) {
      const [version, ...payload] = base58Check.decode(address);
      return version === tronVersion && payload.length === 20 ? Uint8Array.from(payload) : null;
    },
  },
  base58: {
    // A bare key, which is the same on all of Solana's clusters.
    write: (bytes) => base58.encode(bytes),
    read(address) {
      const key = base58.decode(address);
      return key.length === 32 ? key : null;
    },
  },
};

/**
 * Returns the simulated deposit address of `reference` on `network`, in the format of the test network and
 * with its checksum. It is the same for the same seed, and cannot be guessed without the seed. No private key
 * belongs to it: money sent to it on a real network would be lost. Bitcoin and Tron have test forms that
 * wallets of the main network refuse; the EVM networks and Solana have none.
 */
export function depositAddress(seed: string, network: NetworkId, reference: string): string {
  return derive(seed, network, ['deposit address', network, reference]);
}

/**
 * Returns the address of the simulated wallet that pays `address` on `network`, in the network's format. It
 * is the same for the same seed and never a deposit address.
 */
export function senderAddress(seed: string, network: NetworkId, address: string): string {
  return derive(seed, network, ['sender', network, address]);
}

function derive(seed: string, network: NetworkId, content: readonly string[]): string {
  const bytes = createHmac('sha256', seed).update(JSON.stringify(content)).digest();
  return FORMATS[NETWORKS[network].addressFormat].write(bytes);
}

/**
 * Returns the contract of `coin` on `network` for the wallet URI of a simulated payment. It exists on no
 * network. The test token of an issuer would not do: few coins have one, and a wallet that ignores the chain
 * of the URI finds no money at this contract, on the main network either.
 */
export function simulatedContract(coin: string, network: NetworkId): string {
  const bytes = sha256(utf8ToBytes(JSON.stringify(['simulated contract', network, coin])));
  return FORMATS[NETWORKS[network].addressFormat].write(Buffer.from(bytes));
}

/** Returns the address of the hash of a public key (BIP-84): pay to witness public key hash. */
export function witnessAddress(chain: AddressChain, publicKeyHash: Uint8Array): string {
  return bech32.encode(CHAINS[chain].segwitPrefix, [0, ...bech32.toWords(publicKeyHash)]);
}

/**
 * True when the form and the checksum of `address` are valid on `network`, on one of these chains, and a key
 * for it may exist. Real money that is sent to an address of another chain is lost.
 */
export function isAddress(
  network: NetworkId,
  address: string,
  chains: readonly AddressChain[] = ['main'],
): boolean {
  return chains.some((chain) => isAddressOf(CHAINS[chain], network, address));
}

function isAddressOf(chain: Chain, network: NetworkId, address: string): boolean {
  try {
    const payload = FORMATS[NETWORKS[network].addressFormat].read(address, chain);
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
function readSegwit(address: string, { segwitPrefix }: Chain): Uint8Array | null {
  const isTaproot = address.toLowerCase().startsWith(`${segwitPrefix}1p`);
  const encoding = isTaproot ? bech32m : bech32;
  const { prefix, words } = encoding.decode(address as `${string}1${string}`);
  const [version, ...rest] = words;
  const program = encoding.fromWords(rest);
  const lengths = isTaproot ? [32] : [20, 32];
  return prefix === segwitPrefix && version === (isTaproot ? 1 : 0) && lengths.includes(program.length)
    ? program
    : null;
}

/** Pay to public key hash (1..., on the test network m... or n...) and to script hash (3..., 2...). */
function readLegacy(address: string, { legacyVersions }: Chain): Uint8Array | null {
  const [version, ...payload] = base58Check.decode(address);
  const isKnown = version !== undefined && legacyVersions.includes(version);
  return isKnown && payload.length === 20 ? Uint8Array.from(payload) : null;
}

/**
 * Returns `address` as people read it: with the checksum of EIP-55 where the network has it, which lets a
 * wallet find a wrong letter.
 */
export function displayedAddress(network: NetworkId, address: string): string {
  const [, digits] = /^0x([0-9a-f]{40})$/.exec(address) ?? [];
  return NETWORKS[network].addressFormat === 'hex' && digits !== undefined
    ? `0x${withChecksum(digits)}`
    : address;
}

/** True when both are one address of the network: the case of letters says nothing but in base58. */
export function isSameAddress(network: NetworkId, one: string, other: string): boolean {
  if (one === other) return true;
  const { addressFormat } = NETWORKS[network];
  const hasCase = addressFormat !== 'hex' && !(addressFormat === 'bech32' && SEGWIT.test(one));
  return !hasCase && one.toLowerCase() === other.toLowerCase();
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
