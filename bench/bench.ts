import type { Client } from 'pg';

/** A database with its schema and a merchant, and the origin of its web process. */
export interface Bench {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  readonly db: Client;
  /** The postmaster, the parent of all backends. */
  readonly postgresPid: number;
}

export const CONNECTIONS = 64;
export const COLUMN = 16;
export const TITLE = 28;
