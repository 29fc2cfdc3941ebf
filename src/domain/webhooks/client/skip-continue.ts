import type { Socket } from 'node:net';

const INTERIM = 'HTTP/1.1 100';
const END = '\r\n\r\n';
/** A longer header of an interim response is passed on, and rejected like any other header of that length. */
const MAX_INTERIM_BYTES = 16 * 1024;

/**
 * Makes a socket drop every 100 Continue at the beginning of a response. A server may send one that nobody
 * requested, and a client must ignore it (RFC 9110, 15.2); undici ends the connection instead. A request is
 * written only when the response before it is complete, so each write precedes the head of a response.
 */
export function skipContinue<S extends Socket>(socket: S): S {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isHead = true;
  let held: Buffer | null = null;
  const readHead = (chunk: Buffer | null): Buffer | null => {
    if (chunk === null) return null;
    const bytes = held === null ? chunk : Buffer.concat([held, chunk]);
    const rest = afterInterims(bytes);
    held = rest === null ? bytes : null;
    if (rest === null || rest.length === 0) return null;
    isHead = false;
    return rest;
  };
  return Object.assign(socket, {
    read: (size?: number) => (isHead ? readHead(read(size)) : read(size)),
    write(...args: unknown[]) {
      isHead = true;
      return write(...args);
    },
  });
}

/** What follows the interim responses; null: the bytes end within one. */
function afterInterims(bytes: Buffer): Buffer | null {
  let rest = bytes;
  while (rest.length > 0) {
    const begin = rest.toString('latin1', 0, INTERIM.length);
    if (!INTERIM.startsWith(begin)) return rest;
    const end = begin === INTERIM ? rest.indexOf(END) : -1;
    if (end < 0) return rest.length > MAX_INTERIM_BYTES ? rest : null;
    rest = rest.subarray(end + END.length);
  }
  return rest;
}
