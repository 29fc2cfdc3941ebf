import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { execute, withDatabase } from './databases.ts';
import { readPassword, SUPERUSER } from './initialise.ts';
import { findServer, type Server } from './pid-file.ts';
import { hasCode } from './binaries.ts';

/** Postgres is ready 30 to 90 ms after its start. */
const POLL_MS = 20;

/** For a server that another process is just starting. */
const FIND_TIMEOUT_MS = 10_000;

/** A server that accepts connections. */
export interface ReadyServer extends Server {
  /** superuser's URL of the database `postgres`; holds the password */
  url: string;
}

/**
 * The URL of the live server of a data folder, or null when none runs; starts nothing.
 *
 * @param database name of an existing database
 */
export async function findRunningEmbeddedPostgres(
  dataDir: string,
  database = 'postgres',
): Promise<string | null> {
  const path = await realpath(dataDir).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  const server = path && (await waitUntilReady(path, performance.now() + FIND_TIMEOUT_MS));
  return server ? withDatabase(server.url, database) : null;
}

/**
 * Waits for the server of a data folder to accept connections.
 *
 * @param dataDir real path
 * @param deadline on the scale of `performance.now()`
 * @returns null when there is no server, or it ends meanwhile
 * @throws Error when it lives but accepts nothing until the deadline
 */
export async function waitUntilReady(dataDir: string, deadline: number): Promise<ReadyServer | null> {
  for (;;) {
    const server = await findServer(dataDir);
    if (!server) return null;
    const ready = await readyServer(dataDir, server);
    if (ready) return ready;
    if (performance.now() > deadline) {
      throw new Error(
        `The Postgres of ${dataDir} (process ${server.pid}) is "${server.status}" and does not answer.`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** The server with its URL if it accepts a connection now, else null. */
export async function readyServer(dataDir: string, server: Server): Promise<ReadyServer | null> {
  if (server.status !== 'ready') return null;
  const password = await readPassword(dataDir);
  const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/postgres`;
  try {
    await execute(url, 'SELECT 1');
    return { ...server, url };
  } catch (error) {
    // 28P01 invalid_password, 28000 invalid_authorization: waiting does not help
    if (hasCode(error, '28P01', '28000')) throw error;
    return null;
  }
}
