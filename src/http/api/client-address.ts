import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { isInNetwork, isNumericAddress, parseNetwork } from '../../platform/values/networks.ts';

type Incoming = Pick<IncomingMessage, 'socket' | 'headers'>;

/** Whose request it is, for limits per address. */
export interface Clients {
  /**
   * The client's address, for IPv6 its /64 network: a customer has a whole one. Behind trusted proxies it is
   * the last address of X-Forwarded-For that none of them has.
   */
  readonly addressOf: (request: Incoming) => string;
  /** True for a request of a trusted proxy itself, such as a load balancer's health check. */
  readonly isProbe: (request: Incoming) => boolean;
}

/**
 * The clients behind the proxies with the addresses or networks `trusted`. Everyone else can write any
 * X-Forwarded-For: theirs is ignored, and so is what stands before the address that a trusted proxy has
 * appended.
 */
export function clientsBehind(trusted: readonly string[]): Clients {
  const networks = trusted.flatMap((text) => {
    const network = parseNetwork(text);
    return network === null ? [] : [network];
  });
  const isTrusted = (address: string) => networks.some((network) => isInNetwork(address, network));
  return {
    addressOf({ socket, headers }) {
      let address = plainAddress(socket.remoteAddress ?? '');
      if (networks.length > 0) {
        const hops = forwardedFor(headers).split(',');
        for (let hop = hops.pop(); hop !== undefined && isTrusted(address); hop = hops.pop()) {
          const before = plainAddress(hop.trim());
          // What is no address, such as `unknown`, identifies no client better than the proxy does.
          if (!isNumericAddress(before)) break;
          address = before;
        }
      }
      return limitKeyOf(address);
    },
    isProbe: ({ socket, headers }) =>
      headers['x-forwarded-for'] === undefined && isTrusted(plainAddress(socket.remoteAddress ?? '')),
  };
}

/** Node joins a header that comes several times. */
function forwardedFor(headers: IncomingMessage['headers']): string {
  const value = headers['x-forwarded-for'] ?? '';
  return typeof value === 'string' ? value : value.join(',');
}

/**
 * An address without the port that some proxies append (`192.0.2.1:4711`, `[2001:db8::1]:4711`), without a
 * zone, and as IPv4 where a socket for both families maps it.
 */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, '');
  if (!address.includes(':') || !isNumericAddress(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.toString();
}

function limitKeyOf(address: string): string {
  if (!address.includes(':')) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}
