import { lookup, Resolver, type LookupAddress } from 'node:dns';

/** Every address of a host name, in the order in which to try them, or an error of `node:dns`. */
export type ResolveHost = (
  hostname: string,
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

const QUERY_TIMEOUT_MS = 2_500;
const QUERY_TRIES = 2;

/**
 * Asks the name servers directly (c-ares). `dns.lookup` would ask through libuv's thread pool, two names at a time per process:
 * two merchants whose name servers do not answer would hold up every new connection of all others.
 * The price: /etc/hosts and search domains do not count. `servers` replaces those of the system (`ip:port`).
 */
export function nameServerResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return (hostname, done) => {
    const found: { 4?: LookupAddress[]; 6?: LookupAddress[] } = {};
    const settle = (family: 4 | 6, error: Error | null, addresses: string[]) => {
      found[family] = error === null ? addresses.map((address) => ({ address, family })) : [];
      if (found[4] === undefined || found[6] === undefined) return;
      // IPv4 first: a receiver that lacks it is rare, a worker without a route for IPv6 is not.
      const all = [...found[4], ...found[6]];
      if (all.length > 0) done(null, all);
      else done(error ?? new Error('no address'), []);
    };
    resolver.resolve4(hostname, (error, addresses) => settle(4, error, addresses));
    resolver.resolve6(hostname, (error, addresses) => settle(6, error, addresses));
  };
}

/** Asks the operating system, /etc/hosts and all: for development and private networks, where `localhost` is a receiver. */
export const systemResolver: ResolveHost = (hostname, done) => {
  lookup(hostname, { all: true }, (error, addresses) => done(error, addresses));
};
