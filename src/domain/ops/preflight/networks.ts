import { watchKey } from '../../chain/chain-key.ts';
import { NEVER_USD } from '../../chain/clients.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { realChains } from '../../chain/profile.ts';
import { Esplora } from '../../chain/bitcoin/esplora.ts';
import { hashAt as bitcoinHashAt } from '../../chain/bitcoin/node.ts';
import { JsonRpc } from '../../chain/rpc/json-rpc.ts';
import { countHosts } from '../../../platform/config/chains.ts';
import {
  RPC_NETWORKS,
  URLS_VARIABLES,
  urlsVariable,
  variableOf,
  type RpcNetwork,
} from '../../../platform/config/variables.ts';
import type { Context } from '../../../platform/context.ts';
import { findLed } from '../../../platform/postgres/leadership.ts';
import { readLiveChains } from '../chains.ts';
import { faultOf } from '../health/networks.ts';
import { durationText } from '../status/section.ts';
import { inspectNode } from './bitcoin-node.ts';
import { broken, missing, ok, REQUEST_SECONDS, type Check, type Verdict } from './finding.ts';
import { evmHashAt, inspectProvider, type Inspected } from './provider.ts';

/** The providers of each network, as far as this process knows them, and who reads it. */
export function networkChecks(ctx: Context, networks: readonly NetworkId[]): Check[] {
  if (networks.length === 0)
    return [{ name: 'RPC', look: () => Promise.resolve(missing('no provider is known here', NOT_HERE)) }];
  return networks.flatMap((network) => [
    { name: 'RPC', subject: network, look: () => rpc(ctx, network) },
    { name: 'watcher', subject: network, look: () => watcher(ctx, network) },
  ]);
}

const NOT_HERE =
  "run this in the watcher's environment, which alone has RPC_URLS_ (docker compose --profile live run --rm " +
  `watcher node dist/processes/ops.js preflight), or set one of ${URLS_VARIABLES.join(', ')}`;

const isRpcNetwork = (network: NetworkId): network is RpcNetwork & NetworkId =>
  RPC_NETWORKS.some((known) => known === network);

async function rpc(ctx: Context, network: NetworkId): ReturnType<Check['look']> {
  if (!isRpcNetwork(network))
    return broken(
      `no real client reads ${network}`,
      `a merchant that settles on one of ${RPC_NETWORKS.join(', ')}`,
    );
  const variable = urlsVariable(network);
  const { urls = [], esplora = [], quorumUsd = 0 } = ctx.config.rpc[network] ?? {};
  if (urls.length === 0) return missing(`${variable} is not set here`, NOT_HERE);
  const providers = urls.map((url, i) => new JsonRpc(url, i + 1, { requestSeconds: REQUEST_SECONDS }));
  const further = esplora.map(
    (url, i) => new Esplora(url, urls.length + i + 1, { requestSeconds: REQUEST_SECONDS }),
  );
  try {
    const found = await Promise.all(providers.map((provider) => inspect(ctx, provider, network)));
    return [
      ...found.map(({ provider, verdict }) => ({ ...verdict, subject: `${network} ${provider.name}` })),
      ...(await agreement(network, found, further)),
      secondCompany([...urls, ...esplora], quorumUsd, network),
    ];
  } finally {
    await Promise.all([...providers, ...further].map((provider) => provider.close()));
  }
}

async function inspect(ctx: Context, provider: JsonRpc, network: RpcNetwork): Promise<Inspected> {
  const variable = urlsVariable(network);
  if (network === 'bitcoin') return inspectNode(ctx, provider, variable);
  const chains = realChains(ctx.config);
  const chainId = chains.chainIdOf(network) ?? 0;
  return inspectProvider(ctx, provider, { network, name: chains.nameOf(network), chainId, variable });
}

/** Providers of one chain have one block at a final height; one that fails now has none. */
async function agreement(
  network: RpcNetwork,
  found: readonly Inspected[],
  further: readonly Esplora[],
): Promise<Verdict[]> {
  const reading = found.filter(({ final }) => final !== null);
  if (reading.length === 0 || reading.length + further.length < 2) return [];
  const height = Math.min(...reading.map(({ final }) => final ?? Infinity));
  const hashAt = network === 'bitcoin' ? bitcoinHashAt : evmHashAt;
  const hashes = await Promise.all(
    [
      ...reading.map(({ provider }) => hashAt(provider, height)),
      ...further.map((one) => one.hashAt(height)),
    ].map((asked) => asked.catch(() => null)),
  );
  const [first = null] = hashes;
  return first !== null && hashes.every((hash) => hash === first)
    ? [ok(`all have the same block ${height}, which is final`)]
    : [
        broken(
          `the providers have different blocks at ${height}, which is final, or one lacks it`,
          `compare them with a block explorer, and take the wrong one out of ${urlsVariable(network)}`,
        ),
      ];
}

/** As the start of a watcher warns. */
function secondCompany(urls: readonly string[], quorumUsd: number, network: RpcNetwork): Verdict {
  const hosts = countHosts(urls);
  if (quorumUsd >= NEVER_USD) return ok('no second company is asked: RPC_QUORUM_USD_ turns that off');
  if (hosts > 1) return ok(`from ${quorumUsd} dollars on ${hosts} hosts are asked`);
  return missing(
    `no second company: payments from ${quorumUsd} dollars on, and coins that nobody knows the worth of, are never final`,
    `${urlsVariable(network)}: one more URL, of another company; or do without, ${variableOf('RPC_QUORUM_USD', network)}=${NEVER_USD}`,
  );
}

async function watcher(ctx: Context, network: NetworkId): Promise<Verdict> {
  const { db, systemNow } = ctx;
  const [led] = await findLed(db, [watchKey(network)]);
  const chain = (await readLiveChains(db)).find((one) => one.network === network);
  const start = `node dist/processes/watcher.js, with ${urlsVariable(network)}`;
  if (led === undefined) return missing('no watcher reads it', start);
  const fault = chain === undefined ? `${network} is not read yet` : faultOf(ctx.config, chain, systemNow());
  if (chain === undefined || fault !== null)
    return broken(
      fault ?? '',
      'npm run ops -- chain status, and the log of the watcher; docs/operations.md, "ChainNotRead"',
    );
  const seconds = (systemNow().getTime() - (chain.scanned_until ?? systemNow()).getTime()) / 1_000;
  const block = NETWORKS[network].blockSeconds;
  return ok(
    `one leads, and has read up to ${durationText(Math.max(0, seconds))} ago, block ${chain.head}, one each ${block} s`,
  );
}
