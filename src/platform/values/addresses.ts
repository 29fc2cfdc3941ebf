import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Metadata services in ranges that are public or that `allowPrivate` allows: Azure's wire server, AWS over
 * IPv6, Google over IPv6, Alibaba. (169.254.169.254 and 192.0.0.192 are in ranges that are never allowed.)
 * They return the machine's credentials, so no setting makes them reachable.
 */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(
  ['168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200'].map((ip) =>
    ipaddr.parse(ip).toNormalizedString(),
  ),
);

/**
 * IANA delegates global unicast from this block only; an address outside it embeds an IPv4 address or is
 * reserved.
 */
const GLOBAL_UNICAST_6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * The ranges that `allowPrivate` allows (contract, "Running it": private and loopback addresses), as
 * ipaddr.js names them.
 */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'uniqueLocal',
  'carrierGradeNat',
]);

/**
 * True when a webhook may be sent to `ip`, a numeric address in the usual notation: one on the public
 * internet, or with `allowPrivate` a private or loopback one. False for link-local, shared, multicast,
 * reserved and documentation ranges, IPv6 forms that carry an IPv4 address (mapped, compatible, 6to4, Teredo,
 * NAT64), cloud metadata services, addresses with a zone, and anything that is no address. Ranges: the IANA
 * special-purpose registries as ipaddr.js keeps them.
 */
export function isDeliverableAddress(ip: string, allowPrivate: boolean): boolean {
  const address = parse(ip);
  if (address === null || isMetadata(address)) return false;
  return isPublic(address) || (allowPrivate && PRIVATE_RANGES.has(address.range()));
}

/**
 * True for 80, 443, and 1024 and above: below, mail servers and the like take an HTTP request for commands.
 */
export function isDeliverablePort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && port <= 65_535);
}

// net.isIP first: ipaddr.js also reads octal, hexadecimal and short forms, which sockets never use.
function parse(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return isIP(ip) === 0 || ip.includes('%') ? null : ipaddr.parse(ip);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST_6));
}

function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return METADATA_ADDRESSES.has(address.toNormalizedString());
}
