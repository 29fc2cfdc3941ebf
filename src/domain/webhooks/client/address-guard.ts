import type { LookupFunction } from 'node:net';
import { isDeliverableAddress } from '../../../platform/values/addresses.ts';
import { nameServerResolver, systemResolver, type ResolveHost } from './resolve-host.ts';

/** The host has no allowed address. The message does not name its addresses: the merchant sees it. */
export class AddressBlockedError extends Error {
  override readonly name = 'AddressBlockedError';
  readonly code = 'EADDRBLOCKED';
}

/**
 * A lookup for sockets that returns only allowed addresses, and fails with EADDRBLOCKED when a name has none.
 * The check is here because the socket connects to exactly what the lookup returns: a name that resolves
 * differently a moment later (DNS rebinding) gains nothing. Sockets do not look up hosts that are addresses
 * already: connector.ts checks those.
 */
export function guardedLookup(
  allowPrivate: boolean,
  resolve: ResolveHost = allowPrivate ? systemResolver : nameServerResolver(),
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const family = familyOf(options.family);
      const allowed = addresses.filter(({ address }) => isDeliverableAddress(address, allowPrivate));
      const wanted = allowed.filter((entry) => family === 0 || entry.family === family);
      const [first] = wanted;
      if (first === undefined)
        return callback(
          new AddressBlockedError(`${hostname} has no address that webhooks may be sent to`),
          '',
        );
      return options.all === true ? callback(null, wanted) : callback(null, first.address, first.family);
    });
  };
}

function familyOf(family: number | 'IPv4' | 'IPv6' | undefined): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return family ?? 0;
}
