import { EVM_NETWORK_IDS, type EvmNetworkId } from '../../networks/networks.ts';

/** The real networks that a watcher can read. */
export type RpcNetwork = EvmNetworkId | 'bitcoin';
export const RPC_NETWORKS: readonly RpcNetwork[] = [...EVM_NETWORK_IDS, 'bitcoin'];

/** The beginnings of variables that each EVM network has, and those that each of them has. */
type OfEvm = 'RPC_URLS' | 'RPC_TRACES';
type OfNetwork = OfEvm | 'RPC_QUORUM_USD' | 'CONFIRMATIONS';
type NetworkWith<Of extends OfNetwork> = Of extends OfEvm ? EvmNetworkId : RpcNetwork;

/** Returns the name of a network's variable: RPC_URLS_ETHEREUM. */
export function variableOf<Of extends OfNetwork>(of: Of, network: NetworkWith<Of>) {
  return `${of}_${network.toUpperCase() as Uppercase<NetworkWith<Of>>}` as const;
}

/** Returns the variables of each network. */
export function variablesOf<Of extends OfNetwork>(of: Of) {
  const isOfEvm = of === 'RPC_URLS' || of === 'RPC_TRACES';
  const networks = (isOfEvm ? EVM_NETWORK_IDS : RPC_NETWORKS) as readonly NetworkWith<Of>[];
  return networks.map((network) => variableOf(of, network));
}

/** Returns the variable that names the providers of a network. */
export const urlsVariable = (network: string): string =>
  network === 'bitcoin' ? 'BITCOIN_RPC_URL' : `RPC_URLS_${network.toUpperCase()}`;

/** What to set where no network is to be read. */
export const URLS_VARIABLES: readonly string[] = RPC_NETWORKS.map(urlsVariable);

/** Every variable that is read, in the order of the table in docs/operations.md. */
export const KNOWN_VARIABLES = [
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'CELL',
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
  'BITCOIN_RPC_URL',
  'BITCOIN_ESPLORA_URLS',
  'BITCOIN_REFUND_FEE_PERCENT',
  ...variablesOf('RPC_QUORUM_USD'),
  ...variablesOf('RPC_TRACES'),
  ...variablesOf('CONFIRMATIONS'),
  'SIGNER_REFUNDS',
  'RATE_SOURCES',
  'RATE_URL_KRAKEN',
  'RATE_URL_COINBASE',
  'RATE_URL_COINGECKO',
  'RATE_MAX_AGE_SECONDS',
  'KRAKEN_URL',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER_ARG',
  'OPS_ACTOR',
] as const;
export type Variable = (typeof KNOWN_VARIABLES)[number];
