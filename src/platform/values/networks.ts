import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Parses to the addresses of a network. */
export type Network = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** True for a numeric address in the usual notation, without a zone. */
export function isNumericAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/**
 * The network of `text`, in CIDR notation (`10.0.0.0/8`, `2001:db8::/32`) or a single address; null for
 * anything else, and for /0, which is everybody.
 */
export function parseNetwork(text: string): Network | null {
  const [address = '', bits, ...rest] = text.split('/');
  if (!isNumericAddress(address) || rest.length > 0) return null;
  const base = ipaddr.process(address);
  const most = base.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [base, most];
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most ? [base, Number(bits)] : null;
}

/** True when a numeric `address` belongs to the network. */
export function isInNetwork(address: string, [base, bits]: Network): boolean {
  if (!isNumericAddress(address)) return false;
  const own = ipaddr.process(address);
  return own.kind() === base.kind() && own.match(base, bits);
}
