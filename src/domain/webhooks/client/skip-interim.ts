import type { Socket } from 'node:net';
import { DeliveryError } from './delivery-error.ts';

/** Status lines of interim responses; 101 is a final one (RFC 9110, 15.2.2). */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
/** As many bytes as decide. */
const STATUS_BYTES = 'HTTP/1.1 100'.length;
const END = '\r\n\r\n';
/**
 * All interim responses before a final one. A receiver that sends them without end, as fast as it can, would
 * occupy the process until the deadline, and the deliveries to others with it.
 */
const MAX_INTERIM_BYTES = 16 * 1024;

/**
 * Makes a socket drop every interim response before a final one. A server may send some that nobody
 * requested, and a client must ignore them (RFC 9110, 15.2); undici ends the connection at a 100. A
 * request is written only when the response before it is complete, so each write precedes the head of a
 * response.
 */
export function skipInterim<S extends Socket>(socket: S): S {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isHead = true;
  let dropped = 0;
  let held: Buffer | null = null;
  const readHead = (chunk: Buffer | null): Buffer | null => {
    if (chunk === null) return null;
    const bytes = held === null ? chunk : Buffer.concat([held, chunk]);
    const rest = afterInterims(bytes, MAX_INTERIM_BYTES - dropped);
    if (rest === null) {
      socket.destroy(
        new DeliveryError('protocol', `more than ${MAX_INTERIM_BYTES} bytes of interim responses`),
      );
      return null;
    }
    dropped += bytes.length - rest.length;
    isHead = mayBeInterim(rest);
    held = isHead ? rest : null;
    return isHead ? null : rest;
  };
  return Object.assign(socket, {
    read: (size?: number) => (isHead ? readHead(read(size)) : read(size)),
    write(...args: unknown[]) {
      isHead = true;
      dropped = 0;
      return write(...args);
    },
  });
}

/** What follows the complete interim responses; null: they are longer than `most`, or the next one is. */
function afterInterims(bytes: Buffer, most: number): Buffer | null {
  let at = 0;
  while (mayBeInterim(bytes.subarray(at))) {
    const end = bytes.indexOf(END, at);
    if ((end < 0 ? bytes.length : end) > most) return null;
    if (end < 0) break;
    at = end + END.length;
  }
  return bytes.subarray(at);
}

/** Whether bytes begin with an interim response, as far as they have come: also when there are none. */
function mayBeInterim(bytes: Buffer): boolean {
  const status = bytes.toString('latin1', 0, STATUS_BYTES);
  // What is missing of it is filled with that of an interim response.
  return INTERIM.test(status + 'HTTP/1.1 100'.slice(status.length));
}
