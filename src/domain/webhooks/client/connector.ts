import { isIP, Socket, type LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { Dispatcher } from 'undici';
import { isDeliverableAddress, isDeliverablePort } from '../../../platform/values/addresses.ts';
import { connectError, DeliveryError } from './delivery-error.ts';
import { skipInterim } from './skip-interim.ts';

/**
 * Node tries the addresses of a name one after the other and gives each but the last this long. Its default
 * of 250 ms fails slow but working routes permanently (nodejs/node 54359).
 */
const ADDRESS_ATTEMPT_MS = 2_000;

/**
 * Returns undici's connector for webhooks. It opens every socket, so it enforces what must hold for each
 * connection: port, address (in `lookup` for names, here for hosts that are addresses: sockets do not look
 * those up), certificate, and timeout. `ca` replaces the authorities that Node trusts.
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
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise disable it.
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
    const opened: unknown = connect(target, (error, socket) => {
      if (error !== null) callback(connectError(error, target.protocol), null);
      else callback(null, skipInterim(socket));
    });
    // undici's connector returns its socket, which its types do not say. TCP connects before TLS: the address
    // is known, too, where the handshake fails.
    if (opened instanceof Socket && 'onAddress' in target)
      opened.once('connect', () => (target as AddressAware).onAddress(opened.remoteAddress ?? null));
  };
}

/** Options of a connection that is notified of the receiver's address. */
interface AddressAware extends buildConnector.Options {
  onAddress(address: string | null): void;
}

/** One connection to a receiver; null as long as it is not established. */
export interface Peer {
  socket: Socket | null;
  /** Numeric; known once TCP has connected, before TLS; kept after the connection is closed. */
  address: string | null;
}

/** A request that is notified of its connection. */
export interface PeerAware extends Dispatcher.DispatchOptions {
  assign(peer: Peer): void;
}

/**
 * undici's client for one connection. It assigns each request its peer: undici keeps socket and address
 * private.
 */
export class PeerClient extends Client {
  readonly #peer: Peer;

  constructor(origin: URL, options: Client.Options & { connect: buildConnector.connector }) {
    const peer: Peer = { socket: null, address: null };
    super(origin, {
      ...options,
      connect(target, callback) {
        peer.socket = null;
        peer.address = null;
        const onAddress = (address: string | null) => void (peer.address = address);
        options.connect({ ...target, onAddress } as AddressAware, (error, socket) => {
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
