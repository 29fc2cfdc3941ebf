import { expect } from 'chai';
import { NETWORKS } from '../../../../src/domain/chain/networks.ts';
import { EVM_NETWORK_IDS } from '../../../../src/networks/networks.ts';
import { useEvmStand } from '../../../support/evm-stand.ts';
import { BEGIN } from '../../../support/harness.ts';
import { openShop } from '../../../support/shop.ts';
import { onNode, withinHarness } from '../../../support/stories/on-node.ts';
import { simulatorStage } from '../../../support/stories/simulator-stage.ts';
import { act, type Told } from '../../../support/stories/stage.ts';
import { STORIES, type Story } from '../../../support/stories/stories.ts';

/** Where depth alone decides, every number of blocks is the same, too. */
const FINALITY = { 'the checkpoint of its amount': undefined, 'twelve blocks': '0=12' } as const;

const storyOf = (told: readonly Told[]) =>
  told.map(({ type, data }) => `${type.slice(9)} ${data.checkout.status}`);

describe('the story of a payment', () => {
  const standOf = useEvmStand(BEGIN);

  async function onSimulator(story: Story, hasCheckpoints: boolean): Promise<Told[]> {
    return withinHarness({}, async (harness) =>
      act(await simulatorStage(harness, await openShop(harness)), story, hasCheckpoints),
    );
  }

  for (const [rule, rules] of Object.entries(FINALITY))
    for (const [name, story] of Object.entries(STORIES))
      it(`${name} has equal events on the simulator and on a node, final by ${rule}`, async () => {
        const simulated = await onSimulator(story, rules === undefined);
        expect(storyOf(simulated)).to.deep.equal(story.tells);
        expect(await onNode(standOf(), story, rules)).to.deep.equal(simulated);
      });
});

for (const network of EVM_NETWORK_IDS.filter((id) => id !== 'ethereum'))
  describe(`the story of a payment on ${NETWORKS[network].name}`, () => {
    const standOf = useEvmStand(BEGIN, network);

    for (const [name, story] of Object.entries(STORIES))
      it(`${name} has the same events on a node of chain ${NETWORKS[network].chainId}`, async () => {
        const told = await onNode(standOf(), story);
        expect(storyOf(told)).to.deep.equal(story.tells);
        for (const { data } of told) expect(data.payment.network).to.equal(network);
        const { settlement } = told.at(-1)?.data ?? {};
        expect(settlement).to.include({ coin: 'USDC', network });
      });
  });
