import { lookup, Resolver, type LookupAddress } from 'node:dns';

/** Every address of a host name, in the order in which to try them, or an error of `node:dns`. */
export type ResolveHost = (
  hostname: string,
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

const QUERY_TIMEOUT_MS = 2_500;
const QUERY_TRIES = 2;

/**
 * Queries the name servers directly (c-ares). `dns.lookup` queries through libuv's thread pool, two names at
 * a time per process: two merchants whose name servers do not respond would block every new connection of all
 * others. The cost: /etc/hosts and search domains do not count. `servers` replaces those of the system
 * (`ip:port`).
 */
export function nameServerResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return (hostname, done) => {
    const found: { 4?: LookupAddress[]; 6?: LookupAddress[] } = {};
    const collect = (family: 4 | 6, error: Error | null, addresses: string[]) => {
      found[family] = error === null ? addresses.map((address) => ({ address, family })) : [];
      if (found[4] === undefined || found[6] === undefined) return;
      // IPv4 first: receivers without it are rare, workers without an IPv6 route are not.
      const all = [...found[4], ...found[6]];
      if (all.length > 0) done(null, all);
      else done(error ?? new Error('no address'), []);
    };
    resolver.resolve4(hostname, (error, addresses) => collect(4, error, addresses));
    resolver.resolve6(hostname, (error, addresses) => collect(6, error, addresses));
  };
}

/**
 * Queries the operating system, including /etc/hosts: for development and private networks, where `localhost`
 * is a receiver.
 */
export const systemResolver: ResolveHost = (hostname, done) => {
  lookup(hostname, { all: true }, (error, addresses) => done(error, addresses));
};
