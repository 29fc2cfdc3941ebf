import pg from 'pg';
import { parseServers } from '../values/postgres-urls.ts';
import { isUnavailable, READ_ONLY } from './unavailable.ts';

/** What a pool needs to connect: the driver's class, and the URL that its settings hold. */
export interface Driver {
  readonly Client: typeof pg.Client;
  readonly connectionString: string;
  /** Makes the next connection look for the server that takes writes; null: there is one server only. */
  readonly forgetPrimary: (() => void) | null;
}

/** How long a server may take to say whether it takes writes; the servers are asked at the same time. */
const PROBE_MS = 2_000;
const IS_WRITABLE = "SELECT current_setting('transaction_read_only') = 'off' AS writable";

type Address = { readonly host: string; readonly port: number };
/**
 * The driver for a URL. With `target_session_attrs=read-write` each connection goes to the server that takes
 * writes, out of all that the URL names; the driver itself knows one host only.
 */
export function driverOf(url: string): Driver {
  const { urls, mustWrite } = parseServers(url);
  const [connectionString = url] = urls;
  if (!mustWrite) return { Client: pg.Client, connectionString, forgetPrimary: null };
  const primary = new Primary(urls);
  return { Client: clientOf(primary), connectionString, forgetPrimary: () => primary.forget() };
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

function clientOf(primary: Primary): typeof pg.Client {
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
      // The server has ended it: the next connection looks for the primary again.
      this.once('error', () => primary.forget(address));
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

  /** Looks again for the next connection, unless another than `address` was found meanwhile. */
  forget(address = this.#address): void {
    if (this.#address !== address) return;
    this.#address = null;
    this.#found = null;
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
