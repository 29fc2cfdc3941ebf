import type { Socket } from 'node:net';

/** Status lines of interim responses; 101 is a final one (RFC 9110, 15.2.2). */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
/** As many bytes as decide. */
const STATUS_BYTES = 'HTTP/1.1 100'.length;
const END = '\r\n\r\n';
/** A longer header of an interim response is passed on, and rejected like any other header of that length. */
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
    const status = rest.toString('latin1', 0, STATUS_BYTES);
    // What is missing of it is filled with that of an interim response.
    if (!INTERIM.test(status + 'HTTP/1.1 100'.slice(status.length))) return rest;
    const end = rest.indexOf(END);
    if (end < 0) return rest.length > MAX_INTERIM_BYTES ? rest : null;
    rest = rest.subarray(end + END.length);
  }
  return rest;
}
