import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { Dispatcher } from 'undici';
import { isDeliverableAddress, isDeliverablePort } from '../../../platform/values/addresses.ts';
import { connectError, DeliveryError } from './delivery-error.ts';

/**
 * Node tries the addresses of a name one after the other and gives each but the last this long. Its own 250 ms fail slow but
 * working routes for good (nodejs/node 54359).
 */
const ADDRESS_ATTEMPT_MS = 2_000;

/**
 * Opens every socket that webhooks leave by, so whatever must hold for each connection is here: port, address (in `lookup` for
 * names, here for hosts that are addresses already: sockets do not look those up), certificate, and an end to waiting.
 * `ca` replaces the authorities that Node trusts.
 */
export function guardedConnector(options: {
  allowPrivate: boolean;
  timeoutMs: number;
  lookup: LookupFunction;
  ca?: string | undefined;
}): buildConnector.connector {
  const connect = buildConnector({
    lookup: options.lookup,
    timeout: options.timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Said aloud, because NODE_TLS_REJECT_UNAUTHORIZED=0 in somebody's environment would otherwise switch it off.
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  return (target, callback) => {
    const port = target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port);
    if (!isDeliverablePort(port))
      return callback(new DeliveryError('port_blocked', `webhooks are not sent to port ${port}`), null);
    if (isIP(target.hostname) !== 0 && !isDeliverableAddress(target.hostname, options.allowPrivate))
      return callback(
        new DeliveryError('address_blocked', `webhooks are not sent to ${target.hostname}`),
        null,
      );
    return connect(target, (error, socket) => {
      if (error !== null) callback(connectError(error, target.protocol), null);
      else callback(null, socket);
    });
  };
}

/** One connection to a receiver, as far as it exists. */
export interface Peer {
  socket: Socket | null;
  /** Numeric; kept when the connection is gone. */
  address: string | null;
}

/** Implemented by what wants to know over which connection its request goes. */
export interface PeerAware extends Dispatcher.DispatchOptions {
  assign(peer: Peer): void;
}

/** undici's client for one connection, which tells each request its peer: undici itself keeps socket and address private. */
export class PeerClient extends Client {
  readonly #peer: Peer;

  constructor(origin: URL, options: Client.Options & { connect: buildConnector.connector }) {
    const peer: Peer = { socket: null, address: null };
    super(origin, {
      ...options,
      connect(target, callback) {
        peer.socket = null;
        peer.address = null;
        options.connect(target, (error, socket) => {
          if (error !== null) return callback(error, null);
          peer.socket = socket;
          peer.address = socket.remoteAddress ?? null;
          return callback(null, socket);
        });
      },
    });
    this.#peer = peer;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if ('assign' in options) (options as PeerAware).assign(this.#peer);
    return super.dispatch(options, handler);
  }
}
