import { createHarness, type Harness } from '../support/harness.ts';
import { openShop } from '../support/shop.ts';
import { checkScript, type Script } from './check.ts';
import { EXAMPLES } from './examples.ts';
import { disableWebhooks } from './facts.ts';
import { giveAddress, lose, pay, refund, scriptOf, send, wait, type Choice, type Steps } from './scripts.ts';

/** Found by the model or by review, and fixed in the service or the model. */
describe('fixed counterexamples', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    await disableWebhooks(harness.ctx);
  });
  after(() => harness.close());
  const check = async (one: Script) => checkScript(harness.ctx, (await openShop(harness)).caller, one);

  it('all confirmed money is refunded while more is unconfirmed: still settled, and the rest can be refunded too', () =>
    check(
      scriptOf([
        [1, pay(100)],
        [200, pay(100)],
        [1, refund],
        [200, refund],
      ]),
    ));

  it('an expired payment is not refunded while a part of its money is unconfirmed: that part could not be refunded later', () =>
    check(
      scriptOf([
        [1, pay(40)],
        [3700, { do: 'wait' }],
        [86_400, pay(50)],
        [1, refund],
        [200, refund],
      ]),
    ));

  it('an excess that confirms on two networks at the same time is refunded in two parts', () =>
    check(
      scriptOf(
        [
          [200, pay(100)],
          [4000, pay(100)],
          [0, pay(100, 'USDT tron')],
          [27, { do: 'mine', blocks: 11 }],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('an excess in two transfers goes back whole, though the last alone would be too little to send', () =>
    check(
      scriptOf(
        [
          [1, pay(120, 'ETH ethereum')],
          [1, pay('unit', 'ETH ethereum')],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('a rate lock that ends after the settlement starts no chain', () =>
    check(
      scriptOf(
        [
          [200, pay(100, 'USDT tron')],
          [200, lose(0)],
          [701, pay(100)],
          [526, pay(100)],
          [1, pay(100)],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('networks on which transfers confirm at the same time are synced in a fixed order, however old their jobs are', () =>
    check(
      scriptOf(
        [
          [0, pay(100)],
          [600, pay(95)],
          [300, pay(100, 'USDT tron')],
          [300, pay(100, 'USDT tron')],
          [22, { do: 'reorg', depth: 60 }],
          [0, { do: 'mine', blocks: 20 }],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('a refund after a part of the settled money was dropped', () =>
    check(
      scriptOf([
        [1, pay(40)],
        [1, pay(60)],
        [200, lose(0)],
        [1, refund],
      ]),
    ));

  it('a refund of an excess is lost after it was paid: what was settled is not sent back beyond what came', () =>
    check(
      scriptOf(
        [
          [0, pay('asked', 'ETH ethereum')],
          [4000, pay('asked', 'ETH ethereum')],
          [200, lose(1)],
          [4000, pay('asked', 'ETH ethereum')],
          [200, { do: 'mine', blocks: 1 }],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('a refund does not wait for, and is not lost with, a transfer that went back before it', () =>
    check(
      scriptOf(
        [
          [300, pay('asked', 'ETH ethereum')],
          [4000, pay('asked', 'ETH ethereum')],
          [14, pay('asked', 'USDC polygon')],
          [126, lose(0)],
          [0, pay('unit', 'ETH ethereum')],
        ],
        { minutes: 5, late: 'refund' },
      ),
    ));

  it('refunds of two coins that are sent at the same moment, when the first alone is as much as came', () =>
    check(
      scriptOf(
        [
          [1, pay('asked', 'ETH ethereum')],
          [169, pay(60, 'USDC polygon')],
          [1300, { do: 'fail_conversion' }],
          [2286, pay(60, 'ETH ethereum')],
          [2087, refund],
          [765, lose(1)],
          [111, giveAddress],
        ],
        { price: '25' },
      ),
    ));

  it('dust that came before late money goes back with it, after a settled payment was sent back', () =>
    check(
      scriptOf(
        [
          [1, pay(100)],
          [200, refund],
          [200, pay('unit', 'ETH ethereum')],
          [4000, pay(50, 'ETH ethereum')],
          [300, wait],
        ],
        { late: 'refund', overpaid: 'refund_excess' },
      ),
    ));

  it('dust that a conversion leaves goes back with the rest of an excess', () =>
    check(
      scriptOf(
        [
          [300, pay('asked', 'ETH ethereum')],
          [0, pay('asked', 'ETH ethereum')],
          [0, pay('asked')],
          [200, wait],
        ],
        { minutes: 5, overpaid: 'refund_excess' },
      ),
    ));

  it('dust that a lost part of an excess left behind waits for what can go with it', () =>
    check(
      scriptOf(
        [
          [300, pay('asked', 'ETH ethereum')],
          [0, pay('asked', 'ETH ethereum')],
          [0, pay('asked')],
          [200, { do: 'reorg', depth: 20 }],
          [0, lose(1)],
          [300, giveAddress],
          [900, pay('asked', 'ETH ethereum')],
          [300, wait],
        ],
        { minutes: 5, overpaid: 'refund_excess' },
      ),
    ));

  it('a tolerance of 100 % waits for confirmations', () =>
    check(
      scriptOf(
        [
          [1, pay(1)],
          [100, { do: 'reorg', depth: 1000 }],
        ],
        {
          underpaid: 'accept',
          underpaid_tolerance_percent: 100,
        },
      ),
    ));

  for (const [name, example] of Object.entries(EXAMPLES))
    it(`the service agrees with the example ${name}`, () => check(example));
});

describe('fixed counterexamples of slow blocks', () => {
  const check = async (steps: Steps, choice: Choice) => {
    const harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '2400' });
    await disableWebhooks(harness.ctx);
    try {
      await checkScript(harness.ctx, (await openShop(harness)).caller, scriptOf(steps, choice));
    } finally {
      await harness.close();
    }
  };

  it('what a refund would have sent back is converted when what was converted is lost', () =>
    check(
      [
        [200, pay('asked', 'ETH ethereum')],
        [0, pay('asked', 'ETH ethereum')],
        [0, pay('asked', 'USDT tron')],
        [0, pay('asked', 'USDT tron')],
        [136_175, lose(2)],
      ],
      { overpaid: 'refund_excess' },
    ));

  it('an excess goes back in two parts where money of another network frees the second', () =>
    check(
      [
        [0, pay('asked', 'USDC ethereum')],
        [0, pay('asked', 'USDT tron')],
        [26_999, pay('asked', 'ETH ethereum')],
        [1_760, send(40, 'ETH ethereum')],
        [67, lose(1)],
        [138, { do: 'mine', blocks: 20 }],
      ],
      { overpaid: 'refund_excess' },
    ));

  it('what holds a rate no longer is missing when it is quoted again at that moment', () =>
    check(
      [
        [0, pay(40, 'USDT tron')],
        [2_000, pay('asked', 'USDT tron')],
      ],
      {},
    ));
});
