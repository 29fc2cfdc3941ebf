import { once } from 'node:events';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

/** The path of a Unix socket is no longer. */
const MAX_PATH = 103;

/**
 * Lets one process of a machine have a file, by a socket beside it, which ends with the process however that
 * ends. The database's locks are no help: they are those of whoever owns the database. Throws RangeError
 * where another process has it. Two that begin in one moment behind a killed one may both get it: a journal
 * finds out with its next line.
 */
export async function exclusive(path: string): Promise<Server> {
  const socket = `${path}.lock`;
  if (Buffer.byteLength(socket) > MAX_PATH)
    throw new RangeError(`The path of the journal is too long: ${path}`);
  const server = await listen(socket);
  if (server !== null) return server;
  if (await isServed(socket)) throw new RangeError(`Another signer has the journal ${path}`);
  // What a process has left that was killed.
  await unlink(socket).catch(() => undefined);
  const second = await listen(socket);
  if (second === null) throw new RangeError(`Another signer has just taken the journal ${path}`);
  return second;
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
