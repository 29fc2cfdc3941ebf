import { createHash } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { ChainClient } from './client.ts';
import { NETWORKS, type NetworkId } from './networks.ts';
import { createSimulator, type Simulator } from './simulator.ts';

/** Networks are looked at as often as they make blocks, but never less often than this: a transfer should be seen soon. */
const SLOWEST_POLL_SECONDS = 5;
const FASTEST_POLL_SECONDS = 0.2;

/** Every process must derive the same addresses; they guard nothing, because no real money ever reaches them. */
const SIMULATOR_SEED = 'payment checkout simulator';

const simulators = new WeakMap<Db, Simulator>();

/** The simulated chain. Only what plays the customer's part (sandbox, autopay) needs to know that it is one. */
export function simulatorOf({ db, config }: Pick<Context, 'db' | 'config'>): Simulator {
  const known = simulators.get(db);
  if (known !== undefined) return known;
  const simulator = createSimulator({ db, blockSeconds: config.blockSeconds, seed: SIMULATOR_SEED });
  simulators.set(db, simulator);
  return simulator;
}

/** The chain that payments are made on. A real client will stand here one day. */
export function chainOf(ctx: Pick<Context, 'db' | 'config'>): ChainClient {
  return simulatorOf(ctx);
}

/** Seconds until a network is worth looking at again. */
export function pollSeconds(ctx: Pick<Context, 'config'>, network: NetworkId): number {
  const block = ctx.config.blockSeconds ?? NETWORKS[network].blockSeconds;
  return Math.min(SLOWEST_POLL_SECONDS, Math.max(FASTEST_POLL_SECONDS, block));
}

/** Money that leaves the service. Sending twice with one reference sends once. */
export interface Payouts {
  send(payout: {
    reference: string;
    amount: string;
    currency: string;
    network: string;
  }): Promise<{ txHash: string }>;
}

/** Pays out at once; the hash follows from the reference alone, so that a payout that was sent twice is the same one. */
const simulatedPayouts: Payouts = {
  send: ({ reference }) =>
    Promise.resolve({ txHash: createHash('sha256').update(`payout ${reference}`).digest('hex') }),
};

/** How refunds are paid out. A wallet's client will stand here one day. */
export function payoutsOf(_ctx: Pick<Context, 'config'>): Payouts {
  return simulatedPayouts;
}
