import { once } from 'node:events';
import { link, rename, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

/** The path of a Unix socket has at most 103 bytes; one that is moved away has a number behind it. */
const MAX_PATH = 95;

/** How errors call a file, and those that want it. */
export interface Names {
  readonly file: string;
  readonly holder: string;
}

/**
 * Lets one process of a machine have a file, by a socket beside it, which ends with the process however that
 * ends. The database's locks are no help: they are those of whoever owns the database. Throws RangeError
 * where another process has it. Where three begin in one moment behind a killed one, two may get it: a
 * journal finds out with its next line.
 */
export async function exclusive(path: string, { file, holder }: Names): Promise<Server> {
  const socket = `${path}.lock`;
  if (Buffer.byteLength(socket) > MAX_PATH)
    throw new RangeError(`The path of the ${file} is too long: ${path}`);
  const server = await listen(socket);
  if (server !== null) return server;
  if (await isServed(socket)) throw new RangeError(`Another ${holder} has the ${file} ${path}`);
  const second = (await isTakenAway(socket)) ? await listen(socket) : null;
  if (second === null) throw new RangeError(`Another ${holder} has just taken the ${file} ${path}`);
  return second;
}

/**
 * Removes what a process has left that was killed. It is moved first, for another one that begins now may
 * have put its own in the place: that is put back, and false returned.
 */
export async function isTakenAway(socket: string): Promise<boolean> {
  const left = `${socket}.${process.pid}`;
  const isMoved = await rename(socket, left).then(
    () => true,
    () => false,
  );
  const isOfAnother = isMoved && (await isServed(left));
  if (isOfAnother) await link(left, socket).catch(() => undefined);
  if (isMoved) await unlink(left);
  return !isOfAnother;
}

async function listen(socket: string): Promise<Server | null> {
  const server = createServer((client) => client.destroy());
  server.listen(socket);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return null;
    throw error;
  }
  server.unref();
  return server;
}

async function isServed(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    // Anything else than a socket without a process: who cannot say that it is free leaves it alone.
    return !(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED');
  } finally {
    socket.destroy();
  }
}
