// Limits name a client by an IPv4 address, or by the /64 network of an IPv6 address (client-address.ts).
// Whatever has neither form is not logged: a proxy may have written it.
// Without trusted proxies it is the address of the connection itself; with them, of the
// client that they name.

/** IPv4: three of four numbers remain. */
const IPV4 = /^(\d+\.\d+\.\d+)\.\d+$/;
/** IPv6, as a limit names it: three of four groups of the network remain. */
const IPV6 = /^((?:[\da-f]+:){3})[\da-f]+::\/64$/;

/**
 * An address without the part that tells one customer from their neighbours: IPv4 as its /24 network, IPv6 as
 * its /48. Enough to see that somebody guesses tokens, and to find their provider.
 */
export function shortAddress(address: string): string {
  const [, v4] = IPV4.exec(address) ?? [];
  if (v4 !== undefined) return `${v4}.0/24`;
  const [, v6] = IPV6.exec(address) ?? [];
  return v6 === undefined ? 'unknown' : `${v6}:/48`;
}
