import { expect } from 'chai';
import {
  ConfigError,
  KNOWN_VARIABLES,
  readConfig,
  type Config,
} from '../../../src/platform/config/config.ts';
import { DEVELOPMENT_KEY } from '../../../src/platform/config/production.ts';
import { EVM_NETWORK_IDS } from '../../../src/networks/networks.ts';
import { variableOf } from '../../../src/platform/config/variables.ts';

const QUEUES = ['expiration', 'settlement'];
const DATABASE_URL = 'postgres://u:p@db:5432/checkout';
const KEY = Buffer.alloc(32, 7).toString('base64');
const PRODUCTION = { DATABASE_URL, SECRETS_KEY: KEY, PUBLIC_URL: 'https://pay.example' };
const TOKEN = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238';
const WEAK = {
  SECRETS_KEY: DEVELOPMENT_KEY.toString('base64'),
  PUBLIC_URL: 'http://pay.example',
  ADMIN_PASSWORD: 'x',
  SIMULATE_LIVE: 'true',
};

/** What one variable does is read as in tests; what production adds has its own cases below. */
const read = (env: Record<string, string>, options = { readsChains: true }) =>
  readConfig({ NODE_ENV: 'test', DATABASE_URL, ...env }, QUEUES, options);

/** The faults that are named, one a line. */
function faultsOf(env: Record<string, string>, options?: { showsLinks?: boolean }): string[] {
  try {
    readConfig({ NODE_ENV: 'test', ...env }, QUEUES, { readsChains: true, ...options });
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    const [head, ...faults] = (error as ConfigError).message.split('\n');
    expect(head).to.equal('The configuration cannot be used:');
    return faults.map((fault) => fault.replace('  - ', ''));
  }
}

interface Case {
  name: (typeof KNOWN_VARIABLES)[number];
  field: keyof Config;
  otherwise: unknown;
  good: Record<string, unknown>;
  bad: readonly string[];
  /** What else must be set. */
  beside?: Record<string, string>;
}

/**
 * Each variable of the contract's table: what it sets, its default, values that it takes, and values that
 * stop the process.
 */
const VARIABLES: readonly Case[] = [
  {
    name: 'PORT',
    field: 'port',
    otherwise: 3000,
    good: { '0': 0, '8080': 8080, '65535': 65_535 },
    bad: ['65536', '-1', '80.5', 'http', '0x50', ' 80', '8e3'],
  },
  {
    name: 'HOST',
    field: 'host',
    otherwise: '0.0.0.0',
    good: { '127.0.0.1': '127.0.0.1', '::': '::', 'pay.example.com': 'pay.example.com' },
    bad: ['127.0.0.1:80', 'http://x', 'a b', '[::1]', '.'],
  },
  {
    name: 'PUBLIC_URL',
    field: 'publicUrl',
    otherwise: 'http://localhost:3000',
    good: {
      'https://pay.example.com': 'https://pay.example.com',
      'https://pay.example.com/': 'https://pay.example.com',
      'http://localhost:8080': 'http://localhost:8080',
    },
    bad: [
      'pay.example.com',
      'ftp://x.com',
      'https://u:p@x.com',
      'https://x.com/?a=1',
      'https://x.com/#a',
      'https://example.com/pay',
      'https://example.com/pay/',
      'https://example.com/%2e/pay',
    ],
  },
  {
    name: 'DATABASE_URL',
    field: 'databaseUrl',
    otherwise: undefined,
    good: {
      'postgresql://db/x': 'postgresql://db/x',
      'postgres:///x?host=/run/postgresql': 'postgres:///x?host=/run/postgresql',
      'postgres://u:%25@db/x?sslmode=require': 'postgres://u:%25@db/x?sslmode=require',
      'postgres://u@a:1,b:2/x?target_session_attrs=read-write':
        'postgres://u@a:1,b:2/x?target_session_attrs=read-write',
    },
    bad: [
      'postgres://a,b/x',
      'postgres://a,/x?target_session_attrs=read-write',
      'postgres://a,b/x?target_session_attrs=any',
      'postgres://a,b/x?target_session_attrs=primary&options=-c%20a=b',
      'mysql://db/x',
      'db:5432',
      'postgres:db',
      'postgres://u:100%@db/x',
      'postgres://db/x?options=-c%20a=b',
    ],
  },
  {
    name: 'DATABASE_DIRECT_URL',
    field: 'databaseDirectUrl',
    otherwise: undefined,
    good: { 'postgres://u:p@db:5432/x': 'postgres://u:p@db:5432/x' },
    bad: ['mysql://db/x', 'postgres://db/x?options=-c%20a=b'],
  },
  {
    name: 'DATABASE_REPLICA_URL',
    field: 'databaseReplicaUrl',
    otherwise: null,
    good: {
      'postgres://u:p@standby:5432/x?sslmode=require': 'postgres://u:p@standby:5432/x?sslmode=require',
    },
    bad: [
      'mysql://standby/x',
      'postgres://standby/x?options=-c%20a=b',
      'postgres://a,b/x?target_session_attrs=read-write',
      'postgres://a/x?target_session_attrs=read-write',
      'postgres://a,b/x',
    ],
  },
  {
    name: 'REDIS_URL',
    field: 'redisUrl',
    otherwise: null,
    good: {
      'redis://cache:6379': 'redis://cache:6379',
      'rediss://:secret@cache/0': 'rediss://:secret@cache/0',
      'redis://a:1, redis://b:2': 'redis://a:1,redis://b:2',
      'redis-sentinel://:p@a:1,b/name': 'redis-sentinel://:p@a:1,b/name',
      'rediss-sentinel://a/name/1': 'rediss-sentinel://a/name/1',
    },
    bad: [
      'redis-sentinel://a:1',
      'redis-sentinel://a,/name',
      'redis-sentinel://u:100%@a/name',
      'cache:6379',
      'http://cache',
      'redis://a:1,',
      'redis:cache',
    ],
  },
  {
    name: 'WORKER_QUEUES',
    field: 'workerQueues',
    otherwise: null,
    good: { settlement: ['settlement'], 'expiration, settlement': ['expiration', 'settlement'] },
    bad: ['settlements', 'expiration,relays', 'all'],
  },
  {
    name: 'WORKER_CONCURRENCY',
    field: 'workerConcurrency',
    otherwise: 64,
    good: { '1': 1, '1000': 1000 },
    bad: ['0', '1001', '2.5', 'many'],
  },
  { name: 'ADMIN_PASSWORD', field: 'adminPassword', otherwise: null, good: { 'p w': 'p w' }, bad: [] },
  {
    name: 'ADMIN_PORT',
    field: 'adminPort',
    otherwise: null,
    good: { '0': 0, '9090': 9090 },
    bad: ['3000', '65536', 'metrics', '-1'],
  },
  {
    name: 'CELL',
    field: 'cell',
    otherwise: null,
    good: { b7: 'b7', '0': '0', northsea: 'northsea' },
    bad: ['B7', 'b-7', 'b_7', 'b.7', 'northseas', ' ', 'b7,c3'],
  },
  {
    name: 'OPS_ACTOR',
    field: 'opsActor',
    otherwise: null,
    good: { 'Ann Lee': 'Ann Lee', ' Ann ': 'Ann' },
    bad: [' ', 'Ann\nroot@host: drain', 'x'.repeat(101), 'a\u202Eb'],
  },
  {
    name: 'SECRETS_KEY',
    field: 'secretsKeys',
    otherwise: undefined,
    good: { [KEY]: [Buffer.alloc(32, 7)], [`${KEY},${KEY}`]: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)] },
    bad: ['short', 'ab'.repeat(32), Buffer.alloc(31).toString('base64'), `${KEY},`, `${KEY}!`],
  },
  {
    name: 'WEBHOOK_ALLOW_PRIVATE_NETWORKS',
    field: 'allowPrivateNetworks',
    otherwise: false,
    good: { true: true, false: false },
    bad: ['1', 'yes', 'TRUE'],
  },
  {
    name: 'WEBHOOK_RETRY_SECONDS',
    field: 'webhookRetrySeconds',
    otherwise: [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400],
    good: { '5': [5], '0,0.5, 60': [0, 0.5, 60] },
    bad: ['often', '5,', '-1', '1e3', '9'.repeat(400)],
  },
  {
    name: 'WEBHOOK_TIMEOUT_SECONDS',
    field: 'webhookTimeoutSeconds',
    otherwise: 15,
    good: { '0.5': 0.5, '30': 30 },
    bad: ['0', '-1', '15s', '99999999'],
  },
  {
    name: 'SIMULATOR_AUTOPAY_SECONDS',
    field: 'autopaySeconds',
    otherwise: null,
    good: { off: null, '0': 0, '5': 5 },
    bad: ['on', 'OFF', '-5', 'Infinity'],
  },
  {
    name: 'SIMULATOR_BLOCK_SECONDS',
    field: 'blockSeconds',
    otherwise: null,
    good: { '1': 1, '0.2': 0.2 },
    bad: ['0', 'fast'],
  },
  {
    name: 'SIMULATE_LIVE',
    field: 'simulateLive',
    otherwise: false,
    good: { true: true, false: false },
    bad: ['1', 'yes', 'TRUE', 'yes-lose-money'],
  },
  {
    name: 'SIMULATE_LIVE_IN_PRODUCTION',
    field: 'simulateLive',
    otherwise: false,
    good: { 'yes-lose-money': false },
    bad: ['true', 'yes', 'YES-LOSE-MONEY'],
  },
  {
    name: 'SANDBOX',
    field: 'sandbox',
    otherwise: true,
    good: { on: true, off: false },
    bad: ['true', 'OFF'],
  },
  { name: 'RATE_LIMIT_SCALE', field: 'rateLimitScale', otherwise: 1, good: { '0.5': 0.5 }, bad: ['0', 'x2'] },
  { name: 'MAINTENANCE', field: 'maintenance', otherwise: false, good: { true: true }, bad: ['on', '1'] },
  {
    name: 'SMTP_URL',
    field: 'smtpUrl',
    otherwise: null,
    good: { 'smtps://u:p@mail:465': 'smtps://u:p@mail:465' },
    bad: ['mail:25', 'http://mail'],
  },
  {
    name: 'MAIL_FROM',
    field: 'mailFrom',
    otherwise: null,
    good: { 'a@b.example': 'a@b.example', 'Shop <a@b.example>': 'Shop <a@b.example>' },
    bad: ['shop', 'a@b@c', 'Shop <a@b.example', 'a@b.example\nBcc: x@y.example'],
  },
  {
    name: 'EXPLORER_URLS',
    field: 'explorers',
    otherwise: {},
    good: {
      'ethereum=https://etherscan.io/tx/{tx}': { ethereum: 'https://etherscan.io/tx/{tx}' },
      'tron=https://tron.example/#/{tx},bitcoin=https://blocks.example/{tx}?a=1': {
        tron: 'https://tron.example/#/{tx}',
        bitcoin: 'https://blocks.example/{tx}?a=1',
      },
    },
    bad: [
      'https://etherscan.io/tx/{tx}',
      'ethereum=https://etherscan.io/tx/',
      'ethereum=http://etherscan.io/{tx}',
      'ethereum=javascript:alert(1){tx}',
      'dogecoin=https://doge.example/{tx}',
    ],
  },
  {
    name: 'CHAIN_PROFILE',
    field: 'chainProfile',
    otherwise: 'mainnet',
    good: { mainnet: 'mainnet', testnet: 'testnet' },
    bad: ['sepolia', 'MAINNET'],
  },
  {
    name: 'TESTNET_TOKENS',
    field: 'testnetTokens',
    beside: { CHAIN_PROFILE: 'testnet' },
    otherwise: {},
    good: {
      [`USDT/ethereum=${TOKEN}, DAI/polygon=${TOKEN}`]: { 'USDT/ethereum': TOKEN, 'DAI/polygon': TOKEN },
    },
    bad: ['USDT=0x1', `USDT/ethereum=0x1`, `ETH/ethereum=${TOKEN}`, `USDT/tron=${TOKEN}`],
  },
  {
    name: 'SIGNER_REFUNDS',
    field: 'signerRefunds',
    otherwise: [],
    good: {
      'mer_01J0ABCDEFGHJKMNPQRSTVWXYZ/ethereum': ['mer_01J0ABCDEFGHJKMNPQRSTVWXYZ/ethereum'],
    },
    bad: [
      'mer_01J0ABCDEFGHJKMNPQRSTVWXYZ',
      'mer_01J0ABCDEFGHJKMNPQRSTVWXYZ/moon',
      'mer_01J0ABCDEFGHJKMNPQRSTVWXYZ/bitcoin',
      'polygon',
    ],
  },
  {
    name: 'RATE_SOURCES',
    field: 'rateSources',
    otherwise: ['kraken', 'coinbase', 'coingecko'],
    good: { coingecko: ['coingecko'], 'coinbase, kraken': ['coinbase', 'kraken'] },
    bad: ['binance', 'kraken,kraken'],
  },
  {
    name: 'RATE_URL_KRAKEN',
    field: 'rateUrls',
    otherwise: { kraken: null, coinbase: null, coingecko: null },
    good: {
      'https://rates.example/a/': { kraken: 'https://rates.example/a', coinbase: null, coingecko: null },
    },
    bad: ['rates.example', 'ftp://rates.example', 'https://rates.example/?key=1'],
  },
  {
    name: 'RATE_URL_COINBASE',
    field: 'rateUrls',
    otherwise: { kraken: null, coinbase: null, coingecko: null },
    good: {
      'https://rates.example/a/': { kraken: null, coinbase: 'https://rates.example/a', coingecko: null },
    },
    bad: ['rates.example', 'ftp://rates.example', 'https://rates.example/?key=1'],
  },
  {
    name: 'RATE_URL_COINGECKO',
    field: 'rateUrls',
    otherwise: { kraken: null, coinbase: null, coingecko: null },
    good: {
      'https://rates.example/a/': { kraken: null, coinbase: null, coingecko: 'https://rates.example/a' },
    },
    bad: ['rates.example', 'ftp://rates.example', 'https://rates.example/?key=1'],
  },
  {
    name: 'RATE_MAX_AGE_SECONDS',
    field: 'rateMaxAgeSeconds',
    otherwise: 120,
    good: { 30: 30 },
    bad: ['0', '-1', '2m'],
  },
  {
    name: 'KRAKEN_URL',
    field: 'krakenUrl',
    otherwise: 'https://api.kraken.com',
    good: { 'https://kraken.example/a/': 'https://kraken.example/a' },
    bad: ['kraken.example', 'ftp://kraken.example', 'https://kraken.example/?key=1'],
  },
  {
    name: 'RPC_URLS_ETHEREUM',
    field: 'rpc',
    otherwise: {},
    good: {
      'https://a.example/v3/key, http://10.0.0.1:8545': {
        ethereum: {
          urls: ['https://a.example/v3/key', 'http://10.0.0.1:8545'],
          quorumUsd: 1_000,
          hasTraces: false,
        },
      },
    },
    bad: ['a.example', 'ws://a.example', 'https://a.example,https://a.example', 'https://a.example,'],
  },
  {
    name: 'BITCOIN_RPC_URL',
    field: 'rpc',
    otherwise: {},
    good: {
      'http://user:word@10.0.0.1:8332, https://node.example/wallet': {
        bitcoin: {
          urls: ['http://user:word@10.0.0.1:8332', 'https://node.example/wallet'],
          quorumUsd: 1_000,
          esplora: [],
          maxRefundFeePercent: 10,
        },
      },
    },
    bad: ['10.0.0.1:8332', 'tcp://10.0.0.1:8332', 'http://u:p%@10.0.0.1', 'http://a,http://a'],
  },
  {
    name: 'BITCOIN_ESPLORA_URLS',
    field: 'rpc',
    otherwise: {},
    beside: { BITCOIN_RPC_URL: 'http://10.0.0.1:8332' },
    good: {
      'https://blocks.example/api': {
        bitcoin: {
          urls: ['http://10.0.0.1:8332'],
          quorumUsd: 1_000,
          esplora: ['https://blocks.example/api'],
          maxRefundFeePercent: 10,
        },
      },
    },
    bad: ['blocks.example', 'https://blocks.example,'],
  },
  {
    name: 'BITCOIN_REFUND_FEE_PERCENT',
    field: 'rpc',
    otherwise: {},
    beside: { BITCOIN_RPC_URL: 'http://10.0.0.1:8332' },
    good: {
      2.5: {
        bitcoin: {
          urls: ['http://10.0.0.1:8332'],
          quorumUsd: 1_000,
          esplora: [],
          maxRefundFeePercent: 2.5,
        },
      },
    },
    bad: ['-1', '101', '5%'],
  },
  { name: 'RPC_QUORUM_USD_BITCOIN', field: 'rpc', otherwise: {}, good: { 5: {} }, bad: ['-1'] },
  { name: 'RPC_QUORUM_USD_ETHEREUM', field: 'rpc', otherwise: {}, good: { 5: {} }, bad: ['-1', '$5'] },
  { name: 'RPC_TRACES_ETHEREUM', field: 'rpc', otherwise: {}, good: { true: {} }, bad: ['yes', '1'] },
  {
    name: 'CONFIRMATIONS_ETHEREUM',
    field: 'finality',
    otherwise: {},
    good: {
      '0=safe,1000=finalized': {
        ethereum: [
          { from: 0, by: 'safe' },
          { from: 1_000, by: 'finalized' },
        ],
      },
      '0=3, 100=12': {
        ethereum: [
          { from: 0, by: 3 },
          { from: 100, by: 12 },
        ],
      },
    },
    bad: ['12', '0=0', '0=latest', '5=safe', '0=safe,0=finalized', '0=1,100=2,50=3', '0=10001', '0=safe,'],
  },
  ...EVM_NETWORK_IDS.filter((network) => network !== 'ethereum').flatMap((network): Case[] => [
    {
      name: variableOf('RPC_URLS', network),
      field: 'rpc',
      otherwise: {},
      good: {
        'https://a.example': {
          [network]: { urls: ['https://a.example'], quorumUsd: 1_000, hasTraces: false },
        },
      },
      bad: ['https:/a.example'],
    },
    {
      name: variableOf('RPC_QUORUM_USD', network),
      field: 'rpc',
      otherwise: {},
      good: { 0: {} },
      bad: ['5 USD'],
    },
    {
      name: variableOf('RPC_TRACES', network),
      field: 'rpc',
      otherwise: {},
      good: { false: {} },
      bad: ['on'],
    },
    {
      name: variableOf('CONFIRMATIONS', network),
      field: 'finality',
      otherwise: {},
      good: { '0=finalized': { [network]: [{ from: 0, by: 'finalized' }] } },
      bad: ['=safe'],
    },
  ]),
  {
    name: 'CONFIRMATIONS_BITCOIN',
    field: 'finality',
    otherwise: {},
    good: {
      '0=1,500=2,5000=6': {
        bitcoin: [
          { from: 0, by: 1 },
          { from: 500, by: 2 },
          { from: 5_000, by: 6 },
        ],
      },
    },
    bad: ['0=safe', '0=1,500=finalized', '0=0', '0=145', '1=1', '6'],
  },
  {
    name: 'TRUSTED_PROXIES',
    field: 'trustedProxies',
    otherwise: [],
    good: {
      '10.0.0.1': ['10.0.0.1'],
      '10.0.0.0/8, 2001:db8::/32': ['10.0.0.0/8', '2001:db8::/32'],
      '::1,127.0.0.1': ['::1', '127.0.0.1'],
    },
    bad: [
      'true',
      'loopback',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '10.0.0.1,',
      '10.0/8',
      'fe80::1%eth0',
      '1.1.1.1/8/8',
    ],
  },
  {
    name: 'LOG_LEVEL',
    field: 'logLevel',
    otherwise: 'info',
    good: { error: 'error', warn: 'warn', debug: 'debug' },
    bad: ['loud', 'INFO', 'trace'],
  },
  { name: 'LOG_FORMAT', field: 'logFormat', otherwise: 'json', good: { pretty: 'pretty' }, bad: ['text'] },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    field: 'otlpEndpoint',
    otherwise: null,
    good: { 'http://collector:4318': 'http://collector:4318' },
    bad: ['collector:4318', 'grpc://collector', 'http:/collector'],
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    field: 'otlpHeaders',
    otherwise: {},
    good: { 'x-token=a%20b, tenant=c=': { 'x-token': 'a b', tenant: 'c=' } },
    bad: ['x-token', '=a', 'x=%', 'x=a,,y=b'],
  },
  {
    name: 'OTEL_SERVICE_NAME',
    field: 'serviceName',
    otherwise: 'payment-checkout',
    good: { checkout: 'checkout' },
    bad: [],
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    field: 'traceRatio',
    otherwise: 1,
    good: { 0: 0, 0.25: 0.25, 1: 1 },
    bad: ['1.1', '-0.1', 'always_on'],
  },
];

describe('configuration', () => {
  it('has no provider of a network in a process that does not read chains', () => {
    const env = { RPC_URLS_ETHEREUM: 'https://a.example/v3/key' };
    expect(read(env, { readsChains: false }).rpc).to.deep.equal({});
  });

  it('has a case here for every variable', () => {
    expect(VARIABLES.map(({ name }) => name)).to.have.members([...KNOWN_VARIABLES]);
  });

  for (const { name, field, otherwise, good, bad, beside } of VARIABLES)
    describe(name, () => {
      if (otherwise !== undefined)
        it(`is ${JSON.stringify(otherwise)} when it is not set, or empty`, () => {
          expect(read({})[field]).to.deep.equal(otherwise);
          expect(read({ [name]: '' })[field]).to.deep.equal(otherwise);
        });
      for (const [value, meaning] of Object.entries(good))
        it(`takes ${JSON.stringify(value)}`, () => {
          expect(read({ ...beside, [name]: value })[field]).to.deep.equal(meaning);
        });
      for (const value of bad)
        it(`refuses ${JSON.stringify(value.slice(0, 40))}, and names itself, not the value`, () => {
          const faults = faultsOf({ DATABASE_URL, [name]: value });
          expect(faults).to.have.lengthOf(1);
          expect(faults[0]).to.match(new RegExp(`^${name} (must|has)`));
          if (value.length > 6) expect(faults[0]).not.to.include(value);
        });
    });

  it('says of Bitcoin that it has no checkpoints', () => {
    for (const by of ['safe', 'finalized'])
      expect(faultsOf({ DATABASE_URL, CONFIRMATIONS_BITCOIN: `0=${by}` })).to.deep.equal([
        'CONFIRMATIONS_BITCOIN must name numbers of blocks: the network knows neither safe nor finalized',
      ]);
  });

  it('takes no contracts of tokens on main networks', () => {
    const faults = faultsOf({ DATABASE_URL, TESTNET_TOKENS: `USDC/ethereum=${TOKEN}` });
    expect(faults).to.have.lengthOf(1);
    expect(faults[0]).to.match(/^TESTNET_TOKENS is only for CHAIN_PROFILE=testnet/);
  });

  it('names every fault at once', () => {
    const faults = faultsOf({ NODE_ENV: '', PORT: 'x', LOG_LEVEL: 'loud', REDIS_URI: 'y' });
    expect(faults.map((fault) => fault.split(' ')[0])).to.have.members([
      'PORT',
      'LOG_LEVEL',
      'REDIS_URI',
      'DATABASE_URL',
      'SECRETS_KEY',
      'PUBLIC_URL',
      'NODE_ENV',
    ]);
  });

  it('never shows a value: it may be a secret', () => {
    const secret = 'hunter2hunter2';
    const names = ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'SMTP_URL', 'PUBLIC_URL', 'HOST'];
    const faults = faultsOf(Object.fromEntries(names.map((name) => [name, `x:${secret}@[`])));
    expect(faults).to.have.lengthOf(names.length);
    expect(faults.join('\n')).not.to.include(secret);
  });

  it('needs DATABASE_URL always', () => {
    for (const NODE_ENV of ['development', 'test', 'production'])
      expect(faultsOf({ ...PRODUCTION, NODE_ENV, DATABASE_URL: '' })).to.have.lengthOf(1);
  });

  describe('a start', () => {
    for (const NODE_ENV of ['development', 'test'])
      it(`with NODE_ENV=${NODE_ENV} needs nothing else, and takes what is weak`, () => {
        expect(faultsOf({ NODE_ENV, DATABASE_URL })).to.deep.equal([]);
        expect(faultsOf({ ...PRODUCTION, ...WEAK, NODE_ENV })).to.deep.equal([]);
      });

    for (const NODE_ENV of ['', 'production', 'prod', 'staging', 'Development'])
      describe(`with NODE_ENV=${NODE_ENV} is one of production`, () => {
        const named = (env: Record<string, string>, options?: { showsLinks: boolean }) => {
          const faults = faultsOf({ ...PRODUCTION, NODE_ENV, ...env }, options);
          // What to do about it is said once, where nobody has chosen production.
          const hint = /^NODE_ENV is not set, which counts as production: .* NODE_ENV=development$/;
          if (NODE_ENV === '' && faults.length > 0) expect(faults.pop()).to.match(hint);
          return faults.join('\n');
        };

        it('takes sound settings', () => {
          expect(named({})).to.equal('');
          expect(read({ ...PRODUCTION, NODE_ENV })).to.include({ production: true });
        });

        it('needs SECRETS_KEY, and refuses one that is no secret', () => {
          expect(named({ SECRETS_KEY: '' })).to.match(/^SECRETS_KEY is not set.*$/);
          for (const key of [DEVELOPMENT_KEY.toString('base64'), Buffer.alloc(32).toString('base64')])
            for (const SECRETS_KEY of [key, `${KEY},${key}`])
              expect(named({ SECRETS_KEY })).to.match(/^SECRETS_KEY holds a key that is no secret.*$/);
        });

        it('needs PUBLIC_URL, by https unless it stays on this machine', () => {
          expect(named({ PUBLIC_URL: '' })).to.match(/^PUBLIC_URL is not set.*https.*$/);
          expect(named({ PUBLIC_URL: '' }, { showsLinks: false })).to.equal('');
          for (const PUBLIC_URL of ['http://pay.example', 'http://10.0.0.7:3000', 'http://localhost.example'])
            for (const showsLinks of [true, false])
              expect(named({ PUBLIC_URL }, { showsLinks })).to.match(/^PUBLIC_URL must begin with https:.*$/);
          for (const PUBLIC_URL of ['http://localhost:3000', 'http://127.0.0.1:8080', 'http://[::1]:3000'])
            expect(named({ PUBLIC_URL })).to.equal('');
        });

        it('refuses an ADMIN_PASSWORD that is weak, and does not show it', () => {
          for (const ADMIN_PASSWORD of [
            'x',
            'hunter2hunt',
            'a'.repeat(40),
            'adminadminadmin',
            'Password-123456',
          ])
            expect(named({ ADMIN_PASSWORD }))
              .to.match(/^ADMIN_PASSWORD must be hard to guess in production, at least 12.*$/)
              .and.not.include(ADMIN_PASSWORD);
          for (const ADMIN_PASSWORD of ['', 'correct horse battery', 'pX3_9vRrQk2m'])
            expect(named({ ADMIN_PASSWORD })).to.equal('');
        });

        it('refuses SIMULATE_LIVE, unless it is told that money may be lost', () => {
          expect(named({ SIMULATE_LIVE: 'true' }))
            .to.match(/^SIMULATE_LIVE is true in production.*$/)
            .and.match(/SIMULATE_LIVE_IN_PRODUCTION=yes-lose-money/);
          const accepted = { SIMULATE_LIVE: 'true', SIMULATE_LIVE_IN_PRODUCTION: 'yes-lose-money' };
          expect(named(accepted)).to.equal('');
          expect(read({ ...PRODUCTION, NODE_ENV, ...accepted }).simulateLive).to.equal(true);
        });

        it('names all that is weak at once', () => {
          expect(named(WEAK).match(/^\w+/gm)).to.deep.equal(Object.keys(WEAK));
        });
      });
  });

  it('is frozen', () => {
    expect(read({})).to.be.frozen;
  });

  describe('a misspelled variable', () => {
    for (const [name, meant] of [
      ['DATBASE_URL', 'DATABASE_URL'],
      ['DATABASE_ULR', 'DATABASE_URL'],
      ['REDIS_URI', 'REDIS_URL'],
      ['REDISURL', 'REDIS_URL'],
      ['redis_url', 'REDIS_URL'],
      ['WEBHOOK_RETRY_SECOND', 'WEBHOOK_RETRY_SECONDS'],
      ['WEBHOOKS_TIMEOUT_SECOND', 'WEBHOOK_TIMEOUT_SECONDS'],
      ['WEBHOOK_ALLOW_PRIVATE_NETWORK', 'WEBHOOK_ALLOW_PRIVATE_NETWORKS'],
      ['WORKER_QUEUE', 'WORKER_QUEUES'],
      ['WORKER_CONCURENCY', 'WORKER_CONCURRENCY'],
      ['ADMIN_PASSWRD', 'ADMIN_PASSWORD'],
      ['ADMIN_PROT', 'ADMIN_PORT'],
      ['SECRET_KEY', 'SECRETS_KEY'],
      ['SIMULATOR_AUTOPAY_SECOND', 'SIMULATOR_AUTOPAY_SECONDS'],
      ['SIMULATE_LIFE', 'SIMULATE_LIVE'],
      ['RATE_LIMITS_SCALE', 'RATE_LIMIT_SCALE'],
      ['MAINTENENCE', 'MAINTENANCE'],
      ['PUBLIC_URLS', 'PUBLIC_URL'],
      ['TRUSTED_PROXIS', 'TRUSTED_PROXIES'],
      ['LOG_FROMAT', 'LOG_FORMAT'],
    ] as const)
      it(`${name} is taken for ${meant}`, () => {
        expect(faultsOf({ DATABASE_URL, [name]: 'x' })).to.deep.equal([
          `${name} is not a variable of this service: did you mean ${meant}?`,
        ]);
      });

    for (const name of [
      'WEBHOOK_TIMEOUT',
      'WEBHOOK_RETRIES',
      'SIMULATOR_SPEED',
      'SIMULATE_ALL',
      'RATE_LIMIT_SCALE_FACTOR',
      'TRUSTED_PROXY',
    ])
      it(`${name} can only be meant for this service, and is refused`, () => {
        expect(faultsOf({ DATABASE_URL, [name]: 'x' })).to.deep.equal([
          `${name} is not a variable of this service`,
        ]);
      });
  });

  it('does not mind the variables that shells, npm, CI, containers and neighbours set', () => {
    const env = Object.fromEntries(ORDINARY_VARIABLES.split(/\s+/).map((name) => [name, 'x']));
    expect(Object.keys(env)).to.have.lengthOf.above(150);
    expect(faultsOf({ DATABASE_URL, ...env, NODE_ENV: 'test' })).to.deep.equal([]);
  });

  it('does not mind the environment of this very process', () => {
    const known: readonly string[] = KNOWN_VARIABLES;
    const others = Object.entries(process.env).filter(([name]) => !known.includes(name));
    expect(faultsOf({ DATABASE_URL, ...Object.fromEntries(others), NODE_ENV: 'test' })).to.deep.equal([]);
  });
});

const ORDINARY_VARIABLES = `
  HOME HOSTNAME LOGNAME USER PATH PWD OLDPWD SHELL SHLVL TERM LANG LC_ALL LANGUAGE EDITOR PAGER MAIL DISPLAY TZ TMPDIR HOSTTYPE
  OSTYPE MACHTYPE COLUMNS LINES COLORTERM TERM_PROGRAM SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK XDG_RUNTIME_DIR
  XDG_SESSION_ID XDG_DATA_DIRS DBUS_SESSION_BUS_ADDRESS LS_COLORS LESSOPEN LOGIN_SHELL NVM_DIR NVM_BIN VOLTA_HOME
  NODE NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_PATH NO_COLOR FORCE_COLOR DEBUG INIT_CWD COLOR npm_command npm_execpath
  npm_config_user_agent npm_config_cache npm_config_prefix npm_config_userconfig npm_config_loglevel npm_lifecycle_event
  npm_lifecycle_script npm_node_execpath npm_package_json npm_package_name npm_package_version npm_config_noproxy npm_config_local_prefix
  http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
  CI GITHUB_ACTIONS GITHUB_TOKEN GITHUB_SHA GITHUB_REF GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_WORKSPACE GITHUB_OUTPUT GITHUB_ENV
  RUNNER_OS RUNNER_TEMP RUNNER_NAME GITLAB_CI CI_COMMIT_SHA CI_JOB_ID CI_PIPELINE_ID CI_PROJECT_URL CI_SERVER_URL BUILD_URL JOB_NAME
  JENKINS_URL WORKSPACE CIRCLECI TRAVIS BUILDKITE DEBIAN_FRONTEND DOCKER_HOST COMPOSE_PROJECT_NAME container
  POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_HOST POSTGRES_PORT POSTGRES_URL PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE
  PGDATA PGSSLMODE TEST_DATABASE_URL TEST_REDIS_URL DATABASE DATABASE_NAME DATABASE_HOST DATABASE_PORT DATABASE_USER DATABASE_PASSWORD
  DATABASE_SSL DATABASE_POOL DB_URL DB_HOST REDIS_HOST REDIS_PORT REDIS_PASSWORD REDIS_TLS_URL REDISCLOUD_URL SMTP_HOST SMTP_PORT
  SMTP_USER SMTP_PASSWORD EMAIL_FROM MAIL_HOST MAILER_FROM SECRET SECRET_KEY_BASE SECRETS WEBHOOK_URL WEBHOOK_SECRET WEBHOOK_PORT
  WEB_PORTS WEB_CONCURRENCY WEB_MEMORY PORTS HOSTS DYNO WORKERS WORKER WORKER_ID WORKER_COUNT RATE_LIMIT RATE_LIMIT_MAX RATE_LIMIT_WINDOW
  LOG_DIR LOG_FILE LOG_PATH LOG_COLOR LOGS PUBLIC_DIR PUBLIC_KEY PUBLIC_IP PUBLIC_HOST BASE_URL API_URL APP_URL ADMIN_USER ADMIN_EMAIL
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP_ADDR AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
  GOOGLE_APPLICATION_CREDENTIALS SENTRY_DSN OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_PROTOCOL FLY_APP_NAME RENDER RAILWAY_ENVIRONMENT VERCEL_URL
`.trim();
