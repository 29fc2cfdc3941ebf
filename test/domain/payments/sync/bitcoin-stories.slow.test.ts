import { expect } from 'chai';
import { useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { FINAL_DEPTH } from '../../../support/evm-stand.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { checkInvariants } from '../../../support/invariants.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import { openShop } from '../../../support/shop.ts';
import { bitcoinStage, type BitcoinStage } from '../../../support/stories/bitcoin-stage.ts';
import { simulatorStage } from '../../../support/stories/simulator-stage.ts';
import { act, type Told } from '../../../support/stories/stage.ts';
import { STORIES, type Story } from '../../../support/stories/stories.ts';

describe('the story of a payment in Bitcoin', () => {
  const standOf = useBitcoinStand();

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

  const onSimulator = (story: Story) =>
    within({}, async (harness) => act(await simulatorStage(harness, await openShop(harness)), story, false));

  const onNode = (story: Story): Promise<Told[]> => onStage((stage) => act(stage, story, false));

  const onStage = <T>(tell: (stage: BitcoinStage) => Promise<T>): Promise<T> =>
    within({ CHAIN_PROFILE: 'regtest', CONFIRMATIONS_BITCOIN: '0=12' }, async (harness) => {
      const stand = standOf();
      const { ctx } = harness;
      // Its blocks follow one another, whatever time the story before has reached.
      harness.advance(Math.max(0, (await stand.time()) - ctx.now().getTime() / 1_000) + 300);
      const client = stand.client({ depth: FINAL_DEPTH }, ctx.now);
      const shop = await openShop(harness);
      const real = openRealNetwork(harness, shop, () => client, 'bitcoin');
      try {
        return await tell(await bitcoinStage(harness, shop, real, stand));
      } finally {
        await client.close();
      }
    });

  /** Names of coin and network differ, and nothing else. */
  const renamed = (told: readonly Told[]): unknown =>
    JSON.parse(JSON.stringify(told).replaceAll('"BTC"', '"USDC"').replaceAll('"bitcoin"', '"ethereum"'));

  it('holds nothing after three hours in which its transaction is not mined, and counts once it is', () =>
    onStage(async (stage) => {
      const told = async () => (await stage.events()).map(({ data }) => data.checkout.status);
      await stage.pay('10.50');
      await stage.leaveUnmined(175);
      expect(await told()).to.deep.equal(['WAITING', 'PENDING']);
      await stage.leaveUnmined(10);
      expect(await told()).to.deep.equal(['WAITING', 'PENDING', 'EXPIRED']);
      for (let blocks = 0; blocks < 13; blocks += 1) await stage.block();
      expect((await told()).at(-1)).to.equal('SETTLED');
    }));

  const isPossible = ({ steps }: Story) => steps.every((step) => step.do !== 'pay by contract');
  for (const [name, story] of Object.entries(STORIES).filter(([, one]) => isPossible(one)))
    it(`${name} has equal events on the simulator and on a node`, async () => {
      const simulated = await onSimulator(story);
      expect(renamed(await onNode(story))).to.deep.equal(renamed(simulated));
    });
});
