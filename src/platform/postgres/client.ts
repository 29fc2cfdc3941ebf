import type { Socket } from 'node:net';
import pg from 'pg';
import { parseServers } from '../values/postgres-urls.ts';
import { isUnavailable } from './unavailable.ts';

/** What a pool needs to connect: the driver's class, and the URL that its settings hold. */
export interface Driver {
  readonly Client: typeof pg.Client;
  readonly connectionString: string;
}

/** How long a server may take to say whether it takes writes; the servers are asked at the same time. */
const PROBE_MS = 2_000;
/** SQLSTATE read_only_sql_transaction: a write came to a standby, or to a primary that was demoted. */
const READ_ONLY = '25006';
const IS_WRITABLE = "SELECT current_setting('transaction_read_only') = 'off' AS writable";

type Address = { readonly host: string; readonly port: number };
/** The driver's own layer below a client; its types leave it out. */
type Wire = {
  readonly connection: {
    readonly stream: Socket;
    on(event: 'errorMessage', listener: (message: { code?: string }) => void): unknown;
  };
};

/**
 * The driver for a URL. With `target_session_attrs=read-write` each connection goes to the server that takes
 * writes, out of all that the URL names; the driver itself knows one host only.
 */
export function driverOf(url: string): Driver {
  const { urls, mustWrite } = parseServers(url);
  const [connectionString = url] = urls;
  return { Client: mustWrite ? clientOfPrimary(urls) : pg.Client, connectionString };
}

/** Opens one connection outside of every pool. Rejects when there is none. */
export async function openClient(
  url: string,
  name: string,
  { connectMs = 10_000, queryMs = 0 }: { connectMs?: number; queryMs?: number } = {},
): Promise<pg.Client> {
  const { Client, connectionString } = driverOf(url);
  const client = new Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: connectMs,
    ...(queryMs === 0 ? {} : { query_timeout: queryMs }),
    keepAlive: true,
  });
  // A connection that is lost between two statements: the next statement gets the error.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function clientOfPrimary(urls: readonly string[]): typeof pg.Client {
  const primary = new Primary(urls);
  return class ClientOfPrimary extends pg.Client {
    override connect(): Promise<this>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<this> | void {
      const connected = this.#connectToPrimary();
      if (callback === undefined) return connected;
      connected.then(() => callback(null), callback);
    }

    async #connectToPrimary(): Promise<this> {
      const address = await primary.find();
      Object.assign(this, address);
      try {
        await super.connect();
        if (!(await isWritable(this))) throw new NotWritableError([`${nameOf(address)} is read-only`]);
      } catch (error) {
        primary.forget(address);
        void this.end().catch(() => undefined);
        throw error;
      }
      primary.watch(address, this);
      return this;
    }
  };
}

/** No server of the URL takes writes at the moment. */
class NotWritableError extends Error {
  override readonly name = 'NotWritableError';
  readonly code = READ_ONLY;

  constructor(reasons: readonly string[]) {
    super(`No server of the database's URL takes writes: ${reasons.join('; ')}`);
  }
}

/** Finds the server that takes writes, and remembers it until a connection to it fails. */
class Primary {
  readonly #urls: readonly string[];
  readonly #open = new Map<pg.Client, Address>();
  #found: Promise<Address> | null = null;
  #address: Address | null = null;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  find(): Promise<Address> {
    if (this.#found !== null) return this.#found;
    const finding = this.#search();
    this.#found = finding;
    finding.catch(() => {
      if (this.#found === finding) this.#found = null;
    });
    return finding;
  }

  forget(address: Address): void {
    if (this.#address !== address) return;
    this.#address = null;
    this.#found = null;
  }

  /** Drops every connection to the server as soon as one of them finds that it takes no writes any more. */
  watch(address: Address, client: pg.Client): void {
    this.#open.set(client, address);
    client.once('end', () => this.#open.delete(client));
    // The server has ended it: the next connection looks for the primary again.
    client.once('error', () => this.forget(address));
    (client as unknown as Wire).connection.on('errorMessage', ({ code }) => {
      if (code !== READ_ONLY) return;
      this.forget(address);
      for (const [other, server] of this.#open) if (server === address) dropSoon(other);
    });
  }

  async #search(): Promise<Address> {
    try {
      this.#address = await Promise.any(this.#urls.map(probe));
      return this.#address;
    } catch (error) {
      const faults = error instanceof AggregateError ? (error.errors as Error[]) : [];
      // A wrong password is for the operator: no failover changes it.
      const final = faults.find((fault) => !isUnavailable(fault));
      throw final === undefined ? new NotWritableError(faults.map(textOf)) : final;
    }
  }
}

/** After the statement that failed has its result: its caller must see the server's error. */
function dropSoon(client: pg.Client): void {
  setImmediate(() => (client as unknown as Wire).connection.stream.destroy());
}

async function probe(url: string): Promise<Address> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'find primary',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
  client.on('error', () => undefined);
  const address = { host: client.host, port: client.port };
  try {
    await client.connect();
    if (!(await isWritable(client))) throw new NotWritableError([]);
    return address;
  } catch (error) {
    const reason = error instanceof NotWritableError ? 'is read-only' : textOf(error);
    throw Object.assign(new Error(`${nameOf(address)} ${reason}`, { cause: error }), codeOf(error));
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function isWritable(client: pg.Client): Promise<boolean> {
  return (await client.query<{ writable: boolean }>(IS_WRITABLE)).rows[0]?.writable === true;
}

function nameOf({ host, port }: Address): string {
  return `${host}:${port}`;
}

function codeOf(error: unknown): { code?: unknown } {
  return error instanceof Error && 'code' in error ? { code: error.code } : {};
}

/** A host with several addresses fails once for each, and the error as a whole has no message. */
function textOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(textOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
