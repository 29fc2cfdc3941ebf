import { EvmClient } from '../../../src/domain/chain/evm/client.ts';
import type { EvmStand } from '../evm-stand.ts';
import { createHarness, type Harness } from '../harness.ts';
import { checkInvariants } from '../invariants.ts';
import { openRealNetwork } from '../real-network.ts';
import { openShop } from '../shop.ts';
import { evmStage } from './evm-stage.ts';
import { act, type Told } from './stage.ts';
import type { Story } from './stories.ts';

/** Acts a story out on a node; `rules`: what makes its money final, where it is not the network's choice. */
export async function onNode(stand: EvmStand, story: Story, rules?: string): Promise<Told[]> {
  const variable = `CONFIRMATIONS_${stand.network.toUpperCase()}`;
  return withinHarness(rules === undefined ? {} : { [variable]: rules }, async (harness) => {
    const { ctx } = harness;
    // Its blocks follow one another, whatever time the story before has reached.
    const { timestamp } = await stand.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    harness.advance(Math.max(0, Number(timestamp) - ctx.now().getTime() / 1_000) + 300);
    const client = new EvmClient(stand.options, ctx.now);
    const shop = await openShop(harness);
    const real = openRealNetwork(harness, shop, () => client, stand.network);
    try {
      return await act(await evmStage(harness, shop, real, stand), story, rules === undefined);
    } finally {
      await client.close();
    }
  });
}

/** Gives a harness to some work, whose books must balance in the end. */
export async function withinHarness<T>(
  env: Record<string, string>,
  work: (harness: Harness) => Promise<T>,
): Promise<T> {
  const harness = await createHarness(env);
  try {
    const done = await work(harness);
    await checkInvariants(harness.ctx.db);
    return done;
  } finally {
    await harness.close();
  }
}
