import {
  baseUrl,
  databaseUrl,
  explorerUrls,
  flag,
  hostName,
  integer,
  key32,
  listOf,
  mailAddress,
  merchantNetwork,
  moreThanZero,
  network,
  number,
  offOr,
  oneOf,
  pairs,
  personName,
  redisUrl,
  replicaUrl,
  seconds,
  serverUrl,
  siteUrl,
  text,
  unique,
  type Reader,
} from './values.ts';
import { readFinality, readProviders, type ChainConfig } from './chains.ts';
import { readChainProfile, type ProfileConfig } from './chain-profile.ts';
import { misspelledVariables } from './misspelled.ts';
import { parseCell, type CellSetting } from '../values/cells.ts';
import { DEVELOPMENT_KEY, isProduction, productionFaults } from './production.ts';
import { readSecretFiles, SECRET_FILE_VARIABLES } from './secret-files.ts';
import { assertNoFaults } from './start-error.ts';
import { KNOWN_VARIABLES } from './variables.ts';

export { ConfigError, StartError } from './start-error.ts';
export { KNOWN_VARIABLES } from './variables.ts';

/** Everything that environment variables decide. Read once at start, frozen, passed as a value. */
export interface Config extends ChainConfig, ProfileConfig, CellSetting {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Base of `checkout_url`, without a trailing slash. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  /** Where a connection is needed that no pooler shares: the release, and queues in Postgres. */
  readonly databaseDirectUrl: string;
  /** A standby for the lists and the feed; null: the primary serves them. */
  readonly databaseReplicaUrl: string | null;
  /** One URL, several with commas for a cluster, or `redis-sentinel://`; null: queues live in Postgres. */
  readonly redisUrl: string | null;
  /** Queues that this worker serves; null: all of them. */
  readonly workerQueues: readonly string[] | null;
  readonly workerConcurrency: number;
  readonly adminPassword: string | null;
  /** The port of the operators' pages and the probes; null: with web, behind the password. */
  readonly adminPort: number | null;
  /** The first key encrypts, every key decrypts, so that the key itself can be rotated. */
  readonly secretsKeys: readonly Buffer[];
  readonly allowPrivateNetworks: boolean;
  readonly webhookRetrySeconds: readonly number[];
  readonly webhookTimeoutSeconds: number;
  readonly autopaySeconds: number | null;
  /** The interval of blocks on every simulated network; null: each network's own. */
  readonly blockSeconds: number | null;
  /** Whether the simulator serves live merchants too. */
  readonly simulateLive: boolean;
  /** Whether test merchants may use the sandbox. */
  readonly sandbox: boolean;
  readonly rateLimitScale: number;
  readonly maintenance: boolean;
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Pages of explorers by network, with `{tx}` for a transaction's hash. */
  readonly explorers: Readonly<Record<string, string>>;
  /** Whose refunds the signer pays, and where: `mer_.../ethereum`. */
  readonly signerRefunds: readonly string[];
  /** The markets whose prices are compared. */
  readonly rateSources: readonly RateSourceName[];
  /** Where they are read instead of at their own URL. */
  readonly rateUrls: Readonly<Record<RateSourceName, string | null>>;
  /** A price that is older is not quoted. */
  readonly rateMaxAgeSeconds: number;
  /** Where accounts at Kraken are reached. */
  readonly krakenUrl: string;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'pretty';
  /** Where traces are sent by OTLP over HTTP; null: traces are off. */
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of new traces that is recorded. */
  readonly traceRatio: number;
  /** Who runs an operator's command; null: the user of the terminal. */
  readonly opsActor: string | null;
}

export const RATE_SOURCE_NAMES = ['kraken', 'coinbase', 'coingecko'] as const;
export type RateSourceName = (typeof RATE_SOURCE_NAMES)[number];
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type Environment = Readonly<Record<string, string | undefined>>;

/** The delays after failed attempts (contract, "Webhook endpoints"). */
export const DEFAULT_RETRY_SECONDS = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400];

/**
 * Reads the configuration from environment variables (names and defaults: docs/operations.md).
 * An empty variable counts as unset; a secret may stand in a file that NAME_FILE names. `queueNames` are the
 * values that WORKER_QUEUES may hold. A process that shows no links to customers needs no PUBLIC_URL; one
 * that does not read chains gets no provider, whatever is set.
 * Throws ConfigError that names every fault at once.
 */
export function readConfig(
  variables: Environment,
  queueNames: readonly string[] = [],
  { showsLinks = true, readsChains = false }: { showsLinks?: boolean; readsChains?: boolean } = {},
): Config {
  const faults = misspelledVariables(Object.keys(variables), [...KNOWN_VARIABLES, ...SECRET_FILE_VARIABLES]);
  const { env, faults: fileFaults } = readSecretFiles(variables);
  faults.push(...fileFaults);
  const production = isProduction(env);
  const read = reader(env, faults);
  const port = read('PORT', integer(0, 65_535), 3000);
  const config: Config = {
    production,
    port,
    host: read('HOST', hostName, '0.0.0.0'),
    publicUrl: read('PUBLIC_URL', baseUrl, `http://localhost:${port}`),
    cell: read('CELL', parseCell, null),
    databaseUrl: read('DATABASE_URL', databaseUrl, ''),
    databaseDirectUrl: read('DATABASE_DIRECT_URL', databaseUrl, env.DATABASE_URL ?? ''),
    databaseReplicaUrl: read('DATABASE_REPLICA_URL', replicaUrl, null),
    redisUrl: read('REDIS_URL', redisUrl, null),
    workerQueues: read('WORKER_QUEUES', listOf(oneOf(queueNames)), null),
    workerConcurrency: read('WORKER_CONCURRENCY', integer(1, 1_000), 64),
    adminPassword: read('ADMIN_PASSWORD', text, null),
    adminPort: read('ADMIN_PORT', integer(0, 65_535), null),
    secretsKeys: read('SECRETS_KEY', listOf(key32), production ? [] : [DEVELOPMENT_KEY]),
    allowPrivateNetworks: read('WEBHOOK_ALLOW_PRIVATE_NETWORKS', flag, false),
    webhookRetrySeconds: read('WEBHOOK_RETRY_SECONDS', listOf(seconds), DEFAULT_RETRY_SECONDS),
    webhookTimeoutSeconds: read('WEBHOOK_TIMEOUT_SECONDS', moreThanZero(seconds), 15),
    autopaySeconds: read('SIMULATOR_AUTOPAY_SECONDS', offOr(seconds), null),
    blockSeconds: read('SIMULATOR_BLOCK_SECONDS', moreThanZero(seconds), null),
    simulateLive: read('SIMULATE_LIVE', flag, false),
    sandbox: read('SANDBOX', oneOf(['on', 'off'] as const), 'on') === 'on',
    rateLimitScale: read('RATE_LIMIT_SCALE', moreThanZero(number(1e9)), 1),
    maintenance: read('MAINTENANCE', flag, false),
    smtpUrl: read('SMTP_URL', serverUrl(['smtp:', 'smtps:']), null),
    mailFrom: read('MAIL_FROM', mailAddress, null),
    trustedProxies: read('TRUSTED_PROXIES', listOf(network), []),
    explorers: read('EXPLORER_URLS', explorerUrls, {}),
    ...readChainProfile(read, faults),
    finality: readFinality(read),
    rpc: readsChains ? readProviders(read) : {},
    signerRefunds: read('SIGNER_REFUNDS', unique(merchantNetwork), []),
    rateSources: read('RATE_SOURCES', unique(oneOf(RATE_SOURCE_NAMES)), RATE_SOURCE_NAMES),
    rateUrls: {
      kraken: read('RATE_URL_KRAKEN', siteUrl, null),
      coinbase: read('RATE_URL_COINBASE', siteUrl, null),
      coingecko: read('RATE_URL_COINGECKO', siteUrl, null),
    },
    rateMaxAgeSeconds: read('RATE_MAX_AGE_SECONDS', moreThanZero(seconds), 120),
    krakenUrl: read('KRAKEN_URL', siteUrl, 'https://api.kraken.com'),
    logLevel: read('LOG_LEVEL', oneOf(['error', 'warn', 'info', 'debug'] as const), 'info'),
    logFormat: read('LOG_FORMAT', oneOf(['json', 'pretty'] as const), 'json'),
    otlpEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT', serverUrl(['http:', 'https:']), null),
    otlpHeaders: read('OTEL_EXPORTER_OTLP_HEADERS', pairs, {}),
    serviceName: read('OTEL_SERVICE_NAME', text, 'payment-checkout'),
    traceRatio: read('OTEL_TRACES_SAMPLER_ARG', number(1), 1),
    opsActor: read('OPS_ACTOR', personName, null),
  };
  if (!env.DATABASE_URL && !variables.DATABASE_URL_FILE)
    faults.push(
      'DATABASE_URL is not set: give the URL of a Postgres 14 or newer, postgres://user:password@host:5432/name',
    );
  if (config.adminPort === port && port !== 0) faults.push('ADMIN_PORT must be another port than PORT');
  read('SIMULATE_LIVE_IN_PRODUCTION', oneOf(['yes-lose-money']), null);
  if (production) faults.push(...productionFaults(variables, config, showsLinks));
  assertNoFaults(faults);
  return Object.freeze(config);
}

function reader(env: Environment, faults: string[]): Reader {
  return (name, parse, fallback) => {
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
