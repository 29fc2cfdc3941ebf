import { EVM_NETWORK_IDS, type EvmNetworkId } from '../../networks/networks.ts';

/** The real networks that a watcher can read. */
export const RPC_NETWORKS = EVM_NETWORK_IDS;
export type RpcNetwork = EvmNetworkId;

/** The beginnings of variables that each of them has. */
type OfNetwork = 'RPC_URLS' | 'RPC_QUORUM_USD' | 'RPC_TRACES' | 'CONFIRMATIONS';

/** Returns the name of a network's variable: RPC_URLS_ETHEREUM. */
export function variableOf<Of extends OfNetwork>(of: Of, network: RpcNetwork) {
  return `${of}_${network.toUpperCase() as Uppercase<RpcNetwork>}` as const;
}

/** Returns the variables of each network. */
export const variablesOf = <Of extends OfNetwork>(of: Of) =>
  RPC_NETWORKS.map((network) => variableOf(of, network));

/** Every variable that is read, in the order of the table in docs/operations.md. */
export const KNOWN_VARIABLES = [
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'WORKER_QUEUES',
  'WORKER_CONCURRENCY',
  'ADMIN_PASSWORD',
  'ADMIN_PORT',
  'SECRETS_KEY',
  'WEBHOOK_ALLOW_PRIVATE_NETWORKS',
  'WEBHOOK_RETRY_SECONDS',
  'WEBHOOK_TIMEOUT_SECONDS',
  'SIMULATOR_AUTOPAY_SECONDS',
  'SIMULATOR_BLOCK_SECONDS',
  'SIMULATE_LIVE',
  'SIMULATE_LIVE_IN_PRODUCTION',
  'SANDBOX',
  'RATE_LIMIT_SCALE',
  'MAINTENANCE',
  'SMTP_URL',
  'MAIL_FROM',
  'TRUSTED_PROXIES',
  'EXPLORER_URLS',
  'CHAIN_PROFILE',
  'TESTNET_TOKENS',
  ...variablesOf('RPC_URLS'),
  ...variablesOf('RPC_QUORUM_USD'),
  ...variablesOf('RPC_TRACES'),
  ...variablesOf('CONFIRMATIONS'),
  'RATE_SOURCES',
  'RATE_URL_KRAKEN',
  'RATE_URL_COINBASE',
  'RATE_URL_COINGECKO',
  'RATE_MAX_AGE_SECONDS',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER_ARG',
  'OPS_ACTOR',
] as const;
export type Variable = (typeof KNOWN_VARIABLES)[number];
