import { readFileSync } from 'node:fs';
import { variablesOf } from './variables.ts';

/** The variables that this file reads and returns. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that hold secrets. NAME_FILE instead of NAME is the path of a file with the value. */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'ADMIN_PASSWORD',
  'SECRETS_KEY',
  'SMTP_URL',
  ...variablesOf('RPC_URLS'),
  'BITCOIN_RPC_URL',
  'BITCOIN_ESPLORA_URLS',
] as const;

/** The names of the variables that name files. */
export const SECRET_FILE_VARIABLES = SECRET_VARIABLES.map((name) => `${name}_FILE` as const);

/**
 * Returns the environment with the trimmed content of each NAME_FILE as NAME and without NAME_FILE, and a
 * sentence for each file that cannot be used. The sentences hold neither a content nor a path: the secret
 * itself may stand where a path belongs.
 */
export function readSecretFiles(
  env: Environment,
  names: readonly string[] = SECRET_VARIABLES,
): { env: Environment; faults: string[] } {
  const read: Record<string, string | undefined> = { ...env };
  const faults: string[] = [];
  for (const name of names) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    delete read[`${name}_FILE`];
    if (env[name]) {
      faults.push(`${name} and ${name}_FILE are both set: set one of them`);
      continue;
    }
    try {
      read[name] = contentOf(path);
    } catch (error) {
      faults.push(`${name}_FILE ${reasonOf(error)}`);
      // What depends on the value must not complain that it is not set as well.
      read[name] = undefined;
    }
  }
  return { env: read, faults };
}

class EmptyFile extends Error {}

/**
 * An empty file is a fault, unlike an empty variable: a volume that was not filled must not turn Redis off.
 */
function contentOf(path: string): string {
  const content = readFileSync(path, 'utf8').trim();
  if (content === '') throw new EmptyFile();
  return content;
}

function reasonOf(error: unknown): string {
  if (error instanceof EmptyFile) return 'names a file that is empty';
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'ENOENT') return 'names a file that does not exist';
  if (code === 'EACCES') return 'names a file that this process may not read';
  if (code === 'EISDIR') return 'names a directory';
  return `names a file that cannot be read (${code})`;
}
