import winston from 'winston';
import { EvmClient } from '../../src/domain/chain/evm/client.ts';
import { syncNetwork } from '../../src/domain/payments/sync/sync-network.ts';
import type { Context } from '../../src/platform/context.ts';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { unitsOf, type EvmStand } from './evm-stand.ts';
import type { Harness } from './harness.ts';
import { openRealNetwork, type RealNetwork } from './real-network.ts';
import { openShop, type Shop } from './shop.ts';

/** What a payment of the stand costs. */
export const PRICE = unitsOf('USDC', 10) + 500_000n;

/** A cell whose watcher reads a node, with connections of a watcher's name: the fence of moves knows them. */
export interface LiveCell {
  readonly harness: Harness;
  readonly shop: Shop;
  readonly real: RealNetwork;
  /** Reads the node to its head, and once more: two polls must agree on what is final. */
  read(): Promise<void>;
  /** Does the work that is due. */
  work(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a cell on a node. */
export async function openLiveCell(harness: Harness, stand: EvmStand): Promise<LiveCell> {
  const client = new EvmClient(stand.options, harness.ctx.now);
  const shop = await openShop(harness);
  const real = openRealNetwork(harness, shop, () => client);
  const db: Db = openDb({
    url: harness.ctx.config.databaseUrl,
    poolSize: 5,
    acquireMs: 10_000,
    queryMs: 20_000,
    name: 'watcher test',
  });
  const ctx: Context = { ...harness.ctx, db, log: winston.createLogger({ silent: true }) };
  return {
    harness,
    shop,
    real,
    async read() {
      await align(harness, stand);
      while (await syncNetwork(ctx, real.adapters.live, 'ethereum'));
      await syncNetwork(ctx, real.adapters.live, 'ethereum');
    },
    work: () => harness.work(real.adapters),
    async close() {
      await client.close();
      await db.destroy();
    },
  };
}

/** The clock is never behind the chain's. */
async function align(harness: Harness, stand: EvmStand): Promise<void> {
  const { timestamp } = await stand.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
  harness.advance(Math.max(0, Number(timestamp) + 1 - harness.ctx.now().getTime() / 1_000));
}
