import { createHmac } from 'node:crypto';
import { base58, base58Check, bech32Address } from './encoding.ts';
import { NETWORKS, type AddressFormat, type NetworkId } from './networks.ts';

const TRON_PREFIX = Buffer.from([0x41]);

/** How the 32 derived bytes become an address that wallets of the network accept. */
const FORMATS: Record<AddressFormat, (bytes: Buffer) => string> = {
  bech32: (bytes) => bech32Address('bc', bytes.subarray(0, 20)),
  // All lower case is valid everywhere and carries no checksum (EIP-55): the mixed-case one takes Keccak-256, which Node's
  // crypto lacks (its sha3-256 pads differently), and people copy or scan a deposit address, they do not type it.
  hex: (bytes) => `0x${bytes.subarray(0, 20).toString('hex')}`,
  base58check: (bytes) => base58Check(Buffer.concat([TRON_PREFIX, bytes.subarray(0, 20)])),
  base58,
};

/**
 * The deposit address of `reference` on `network`: the same for the same seed, unguessable without it, in the network's own format
 * and with its checksum. No key stands behind it: on a real network, money sent to it would be lost.
 */
export function depositAddress(seed: string, network: NetworkId, reference: string): string {
  const bytes = createHmac('sha256', seed)
    .update(JSON.stringify(['deposit address', network, reference]))
    .digest();
  return FORMATS[NETWORKS[network].addressFormat](bytes);
}
