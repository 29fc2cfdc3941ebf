import { createHash } from 'node:crypto';
import { urlFault } from './urls.ts';

/** Everything that the environment decides. Read once at start, frozen, passed on as a value. */
export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Base of `checkout_url`, without a trailing slash. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  /** One URL, or several separated by commas for a cluster; null: the queues live in Postgres. */
  readonly redisUrl: string | null;
  /** Queues that this worker serves; null: all of them. */
  readonly workerQueues: readonly string[] | null;
  readonly workerConcurrency: number;
  readonly adminPassword: string | null;
  /** The first key encrypts, every key decrypts, so that the key itself can be rotated. */
  readonly secretsKeys: readonly Buffer[];
  readonly allowPrivateNetworks: boolean;
  readonly webhookRetrySeconds: readonly number[];
  readonly webhookTimeoutSeconds: number;
  readonly autopaySeconds: number | null;
  /** Length of a block on every simulated network; null: each network's own. */
  readonly blockSeconds: number | null;
  readonly rateLimitScale: number;
  readonly maintenance: boolean;
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'pretty';
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown at start; `message` names every variable at fault, what is wrong with it, and what it takes. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const KNOWN_VARIABLES = [
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'DATABASE_URL',
  'REDIS_URL',
  'WORKER_QUEUES',
  'WORKER_CONCURRENCY',
  'ADMIN_PASSWORD',
  'SECRETS_KEY',
  'WEBHOOK_ALLOW_PRIVATE_NETWORKS',
  'WEBHOOK_RETRY_SECONDS',
  'WEBHOOK_TIMEOUT_SECONDS',
  'SIMULATOR_AUTOPAY_SECONDS',
  'SIMULATOR_BLOCK_SECONDS',
  'RATE_LIMIT_SCALE',
  'MAINTENANCE',
  'SMTP_URL',
  'MAIL_FROM',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const;
type Variable = (typeof KNOWN_VARIABLES)[number];

/** Prefixes that belong to this service alone: an unknown variable that begins so is a misspelling. */
const OWN_PREFIXES = ['WEBHOOK_', 'SIMULATOR_', 'RATE_LIMIT_'];

/** 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h, 24 h, 24 h: the contract's schedule. */
const DEFAULT_RETRY_SECONDS = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400];

/**
 * Reads the configuration from environment variables (names and defaults: README, "Variables").
 * An empty variable counts as unset. `queueNames` are the values that WORKER_QUEUES may hold.
 * Throws ConfigError that names every fault at once.
 */
export function readConfig(env: Environment, queueNames: readonly string[] = []): Config {
  const faults: string[] = misspelt(env);
  const production = env.NODE_ENV === 'production';
  const read = reader(env, faults);
  const port = read('PORT', integer(0, 65_535), 3000);
  const config: Config = {
    production,
    port,
    host: read('HOST', text, '0.0.0.0'),
    publicUrl: read('PUBLIC_URL', baseUrl, `http://localhost:${port}`),
    databaseUrl: read('DATABASE_URL', serverUrl(['postgres:', 'postgresql:']), ''),
    redisUrl: read('REDIS_URL', redisUrl, null),
    workerQueues: read('WORKER_QUEUES', listOf(oneOf(queueNames)), null),
    workerConcurrency: read('WORKER_CONCURRENCY', integer(1, 1_000), 64),
    adminPassword: read('ADMIN_PASSWORD', text, null),
    secretsKeys: read('SECRETS_KEY', listOf(key32), production ? [] : [developmentKey()]),
    allowPrivateNetworks: read('WEBHOOK_ALLOW_PRIVATE_NETWORKS', flag, false),
    webhookRetrySeconds: read('WEBHOOK_RETRY_SECONDS', listOf(number(0)), DEFAULT_RETRY_SECONDS),
    webhookTimeoutSeconds: read('WEBHOOK_TIMEOUT_SECONDS', positive, 15),
    autopaySeconds: read('SIMULATOR_AUTOPAY_SECONDS', offOr(number(0)), null),
    blockSeconds: read('SIMULATOR_BLOCK_SECONDS', positive, null),
    rateLimitScale: read('RATE_LIMIT_SCALE', positive, 1),
    maintenance: read('MAINTENANCE', flag, false),
    smtpUrl: read('SMTP_URL', serverUrl(['smtp:', 'smtps:']), null),
    mailFrom: read('MAIL_FROM', text, null),
    logLevel: read('LOG_LEVEL', oneOf(['error', 'warn', 'info', 'debug'] as const), 'info'),
    logFormat: read('LOG_FORMAT', oneOf(['json', 'pretty'] as const), 'json'),
  };
  if (!env.DATABASE_URL)
    faults.push(
      'DATABASE_URL is not set: give the URL of a Postgres 14 or newer, postgres://user:password@host:5432/name',
    );
  if (production && !env.SECRETS_KEY)
    faults.push(
      'SECRETS_KEY is not set: in production webhook secrets are encrypted with it; make one with `openssl rand -base64 32`',
    );
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config);
}

type Parse<T> = (value: string) => T;

function reader(env: Environment, faults: string[]) {
  return <T, D>(name: Variable, parse: Parse<T>, fallback: D): T | D => {
    const value = env[name];
    if (value === undefined || value === '') return fallback;
    try {
      return parse(value);
    } catch (error) {
      // The value itself stays out of the message: it may be a secret.
      faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  };
}

const text: Parse<string> = (value) => value;

function number(minimum: number): Parse<number> {
  return (value) => {
    if (!/^\d+(\.\d+)?$/.test(value) || Number(value) < minimum)
      throw new Error(`must be a number of ${minimum} or more`);
    return Number(value);
  };
}

const positive: Parse<number> = (value) => {
  const parsed = number(0)(value);
  if (parsed === 0) throw new Error('must be more than 0');
  return parsed;
};

function integer(minimum: number, maximum: number): Parse<number> {
  return (value) => {
    const parsed = Number(value);
    if (!/^\d+$/.test(value) || parsed < minimum || parsed > maximum)
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    return parsed;
  };
}

const flag: Parse<boolean> = (value) => {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
};

function oneOf<T extends string>(values: readonly T[]): Parse<T> {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  };
}

function listOf<T>(parse: Parse<T>): Parse<T[]> {
  return (value) => value.split(',').map((item) => parse(item.trim()));
}

function offOr<T>(parse: Parse<T>): Parse<T | null> {
  return (value) => (value === 'off' ? null : parse(value));
}

function serverUrl(protocols: readonly string[]): Parse<string> {
  return (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new Error(
        `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    return value;
  };
}

const redisUrl: Parse<string> = (value) => listOf(serverUrl(['redis:', 'rediss:']))(value).join(',');

const baseUrl: Parse<string> = (value) => {
  const fault = urlFault(value, { allowPrivate: true, forDelivery: false });
  if (fault !== null) throw new Error(`must be an http(s) URL: ${fault}`);
  return value.replace(/\/+$/, '');
};

const key32: Parse<Buffer> = (value) => {
  const key = Buffer.from(value, 'base64');
  if (key.length !== 32)
    throw new Error('must be 32 bytes in base64; make one with `openssl rand -base64 32`');
  return key;
};

/** Outside production a key that everybody knows: nothing there is worth a secret, and nothing needs setting up. */
function developmentKey(): Buffer {
  return createHash('sha256').update('payment-checkout development key').digest();
}

function misspelt(env: Environment): string[] {
  const known: ReadonlySet<string> = new Set(KNOWN_VARIABLES);
  return Object.keys(env).flatMap((name) => {
    if (known.has(name)) return [];
    const meant = KNOWN_VARIABLES.find((candidate) => candidate.length > 6 && isNearly(name, candidate));
    if (meant !== undefined) return [`${name} is not a variable of this service: did you mean ${meant}?`];
    if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
      return [`${name} is not a variable of this service`];
    return [];
  });
}

/** True when one insertion, deletion, replacement or swap of neighbours turns one name into the other. */
function isNearly(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const restA = a.slice(start);
  const restB = b.slice(start);
  const swapped = restA.length > 1 && `${restA[1]}${restA[0]}${restA.slice(2)}` === restB;
  return swapped || restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1);
}
