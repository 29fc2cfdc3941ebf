import { isInNetwork, parseNetwork } from '../../platform/values/networks.ts';

/** What people say about a key, beside what it may do. */
export interface KeyLimits {
  /** What it is for; null: nobody has said. */
  readonly name: string | null;
  /** From then on it is refused; null: never. */
  readonly expiresAt: Date | null;
  /** Addresses and networks from which it is taken; null: from everywhere. */
  readonly addresses: readonly string[] | null;
}

export const NO_LIMITS: KeyLimits = { name: null, expiresAt: null, addresses: null };

/** Each request with the key is compared with all of them. */
export const MOST_ADDRESSES = 20;

/**
 * Reads addresses and networks (`192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`), with blanks or commas between
 * them; null: there is none. `bad`: one is no address, or a network of everybody. `tooMany`: more than
 * MOST_ADDRESSES.
 */
export function parseAddresses(text: string): readonly string[] | null | 'bad' | 'tooMany' {
  const given = text.split(/[\s,]+/).filter((one) => one !== '');
  if (given.length === 0) return null;
  if (given.length > MOST_ADDRESSES) return 'tooMany';
  return given.every((one) => parseNetwork(one) !== null) ? given : 'bad';
}

/** The bits of the IPv6 network by which clients are known: a customer has a whole one. */
const CLIENT_BITS = 64;

/**
 * Whether a key is taken from a client: an IPv4 address, or for IPv6 the /64 network that it is known by.
 * Of an allowed IPv6 address its /64 counts.
 */
export function isAllowedFrom(addresses: readonly string[], client: string): boolean {
  const address = client.replace(/\/\d+$/, '');
  return addresses.some((text) => {
    const network = parseNetwork(text);
    if (network === null) return false;
    const [base, bits] = network;
    return isInNetwork(address, [base, base.kind() === 'ipv6' ? Math.min(bits, CLIENT_BITS) : bits]);
  });
}
