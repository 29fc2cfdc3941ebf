import { expect } from 'chai';
import { EvmClient } from '../../../../src/domain/chain/evm/client.ts';
import { useEvmStand } from '../../../support/evm-stand.ts';
import { BEGIN, createHarness, type Harness } from '../../../support/harness.ts';
import { checkInvariants } from '../../../support/invariants.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import { openShop } from '../../../support/shop.ts';
import { evmStage } from '../../../support/stories/evm-stage.ts';
import { simulatorStage } from '../../../support/stories/simulator-stage.ts';
import { act, type Told } from '../../../support/stories/stage.ts';
import { STORIES, type Story } from '../../../support/stories/stories.ts';

/** Where depth alone decides, every number of blocks is the same, too. */
const FINALITY = { 'the checkpoint of its amount': undefined, 'twelve blocks': '0=12' } as const;

describe('the story of a payment', () => {
  const standOf = useEvmStand(BEGIN);

  async function onSimulator(story: Story, hasCheckpoints: boolean): Promise<Told[]> {
    return within({}, async (harness) =>
      act(await simulatorStage(harness, await openShop(harness)), story, hasCheckpoints),
    );
  }

  async function onNode(story: Story, rules: string | undefined): Promise<Told[]> {
    const stand = standOf();
    return within(rules === undefined ? {} : { CONFIRMATIONS_ETHEREUM: rules }, async (harness) => {
      const { ctx } = harness;
      // Its blocks follow one another, whatever time the story before has reached.
      const { timestamp } = await stand.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
      harness.advance(Math.max(0, Number(timestamp) - ctx.now().getTime() / 1_000) + 300);
      const urls = [stand.anvil.url];
      const finality = { hasCheckpoints: true, depth: 2 };
      const client = new EvmClient({ network: 'ethereum', chainId: 1, urls, finality }, ctx.now);
      const shop = await openShop(harness);
      const real = openRealNetwork(harness, shop, () => client);
      try {
        return await act(await evmStage(harness, shop, real, stand), story, rules === undefined);
      } finally {
        await client.close();
      }
    });
  }

  async function within<T>(env: Record<string, string>, work: (harness: Harness) => Promise<T>): Promise<T> {
    const harness = await createHarness(env);
    try {
      const done = await work(harness);
      await checkInvariants(harness.ctx.db);
      return done;
    } finally {
      await harness.close();
    }
  }

  for (const [rule, rules] of Object.entries(FINALITY))
    for (const [name, story] of Object.entries(STORIES))
      it(`${name} has equal events on the simulator and on a node, final by ${rule}`, async () => {
        const simulated = await onSimulator(story, rules === undefined);
        expect(simulated.map(({ type, data }) => `${type.slice(9)} ${data.checkout.status}`)).to.deep.equal(
          story.tells,
        );
        expect(await onNode(story, rules)).to.deep.equal(simulated);
      });
});
