import { Client, escapeIdentifier } from 'pg';
import { hasCode } from './binaries.ts';

/** How long one connection attempt may take. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Creates a database unless it exists (another process creating it at the same moment included).
 *
 * @param serverUrl a URL of any database of the server, of a user who may create databases
 * @returns the URL of the database `name` on that server
 */
export async function createDatabaseIfMissing(serverUrl: string, name: string): Promise<string> {
  await execute(serverUrl, `CREATE DATABASE ${escapeIdentifier(name)}`).catch((error: unknown) => {
    // 42P04 duplicate_database; 23505 unique_violation is what the loser of a race gets
    if (!hasCode(error, '42P04', '23505')) throw error;
  });
  return withDatabase(serverUrl, name);
}

/** The same server, another database. */
export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

/** Runs statements, one by one, on a connection of their own. */
export async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A connection that breaks is reported by the query; without a listener it would end the process as well.
  client.on('error', () => {});
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
