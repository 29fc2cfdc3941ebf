import { createHash } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/postgres/db.ts';
import type { ChainClient } from './port.ts';
import { NETWORKS, type NetworkId } from './networks.ts';
import { createSimulator, type Simulator } from './simulator/simulator.ts';

/** Networks are looked at as often as they make blocks, but never less often than this: a transfer should be seen soon. */
const SLOWEST_POLL_SECONDS = 5;
const FASTEST_POLL_SECONDS = 0.2;

/** Every process must derive the same addresses; they guard nothing, because no real money ever reaches them. */
const SIMULATOR_SEED = 'payment checkout simulator';

type WithChain = Pick<Context, 'db' | 'config' | 'testClock'>;

const shared = new WeakMap<Db, Simulator>();

/**
 * The simulated chain: everybody's, or that of the world that is being worked on. Only what plays the customer's part (sandbox,
 * autopay) needs to know that it is simulated.
 */
export function simulatorOf({ db, config, testClock }: WithChain): Simulator {
  const options = { db, blockSeconds: config.blockSeconds, seed: SIMULATOR_SEED };
  if (testClock !== null) return createSimulator({ ...options, testClock: testClock.id });
  const known = shared.get(db);
  if (known !== undefined) return known;
  const simulator = createSimulator(options);
  shared.set(db, simulator);
  return simulator;
}

/** The chain that payments are made on. A real client will stand here one day. */
export function chainOf(ctx: WithChain): ChainClient {
  return simulatorOf(ctx);
}

/** The length of a network's blocks. */
export function blockSeconds({ config }: Pick<Context, 'config'>, network: NetworkId): number {
  return config.blockSeconds ?? NETWORKS[network].blockSeconds;
}

/** Seconds until a network is worth looking at again. */
export function pollSeconds(ctx: Pick<Context, 'config'>, network: NetworkId): number {
  return Math.min(SLOWEST_POLL_SECONDS, Math.max(FASTEST_POLL_SECONDS, blockSeconds(ctx, network)));
}

/** When a network's next `blocks` will have been mined: only a simulated chain knows. Null where it has not begun. */
export function timeOfBlock(ctx: WithChain, network: NetworkId, blocks: number): Promise<Date | null> {
  return simulatorOf(ctx).timeOfBlock(network, blocks);
}

/** Money that leaves the service. Sending twice with one reference sends once. */
export interface Payouts {
  send(payout: {
    reference: string;
    amount: string;
    currency: string;
    network: string;
    /** Null: back to where the customer's money came from. */
    address: string | null;
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
