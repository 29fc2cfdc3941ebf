import { createAdapters } from './adapters.ts';
import { createChainClients, NEVER_USD } from './chain/clients.ts';
import { RATES_KEY, watchKey } from './chain/chain-key.ts';
import type { NetworkId } from './chain/networks.ts';
import { chainlinkBounds, NO_BOUNDS } from './chain/rates/chainlink.ts';
import { watchRates } from './chain/rates/watch-rates.ts';
import { startAudits } from './payments/audit/audit.ts';
import { followAwaited } from './payments/awaited/follow.ts';
import { readWorths } from './payments/pricing/worth.ts';
import { judgeAnnounced } from './payments/refunds/by-merchant/follow.ts';
import { followPsbts } from './payments/refunds/psbt/follow.ts';
import { watchNetwork } from './payments/sync/watch-network.ts';
import { countHosts } from '../platform/config/chains.ts';
import { RPC_NETWORKS } from '../platform/config/variables.ts';
import type { Context } from '../platform/context.ts';
import { Leadership } from '../platform/postgres/leadership.ts';

export interface Watching {
  readonly networks: readonly NetworkId[];
  close(): Promise<void>;
}

/**
 * Reads each network that has providers, and the market's rates, until it is closed, and takes turns with
 * other watchers. A page that is under way is finished, and then another watcher leads at once.
 */
export function startWatching(ctx: Context): Watching {
  const { databaseDirectUrl } = ctx.config;
  const { live } = createAdapters(ctx.config);
  const clients = createChainClients(ctx, readWorths);
  const stop = new AbortController();
  warnOfOneHost(ctx);
  const loops = clients.map(({ network, client }) => {
    const leadership = new Leadership(databaseDirectUrl, `watcher lead ${process.pid}`, watchKey(network));
    const adapters = { ...live, networks: [network], chain: () => client };
    const audit = startAudits(ctx, adapters, network);
    const beside = async () => {
      await judgeAnnounced(ctx, client, network);
      await followPsbts(ctx, client);
      await followAwaited(ctx, client, network);
      await audit();
    };
    return watchNetwork(ctx, { network, adapters, leadership, beside }, stop.signal);
  });
  const others: Promise<void>[] = [];
  // Without a live network nobody asks for a price, and no market is asked.
  if (clients.length > 0) {
    const rates = new Leadership(databaseDirectUrl, `watcher rates ${process.pid}`, RATES_KEY);
    // The feeds are contracts on the main network.
    const call = clients.find(({ network }) => network === 'ethereum')?.call;
    const bounds = call === undefined || live.chains.isTest ? NO_BOUNDS : chainlinkBounds(call);
    others.push(watchRates(ctx, rates, bounds, stop.signal));
  }
  return {
    networks: clients.map(({ network }) => network),
    async close() {
      stop.abort();
      const ended = await Promise.all(loops);
      await Promise.all(others);
      // What is asked beside the pages fails then.
      await Promise.all(clients.map(({ client }) => client.close()));
      for (const { beside } of ended) await beside;
    },
  };
}

/** One provider cannot confirm what needs two. */
function warnOfOneHost({ config, log }: Context): void {
  for (const network of RPC_NETWORKS) {
    const { urls = [], esplora = [], quorumUsd = Infinity } = config.rpc[network] ?? {};
    if (countHosts([...urls, ...esplora]) !== 1 || quorumUsd >= NEVER_USD) continue;
    log.warn('the providers of a network are of one host: large transfers, which need two, are never final', {
      network,
      from_usd: quorumUsd,
    });
  }
}
