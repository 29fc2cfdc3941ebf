import { openShop } from '../support/shop.ts';
import { disableWebhooks } from './service.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import type { Network } from './chain.ts';
import { checkScript, type Script } from './check.ts';
import type { Action, Terms } from './terms.ts';

const policy: Terms['policy'] = {
  underpaid: 'wait',
  underpaid_tolerance_percent: 0,
  late: 'honour',
  overpaid: 'keep',
};
const script = (steps: [after: number, action: Action][], choice: Partial<Terms['policy']> = {}): Script => ({
  terms: { cents: 1000, minutes: 60, policy: { ...policy, ...choice } },
  steps: steps.map(([after, action]) => ({ after, action })),
});
const pay = (cents: number, network: Network = 'ethereum'): Action => ({ do: 'transfer', cents, network });
const refund: Action = { do: 'refund', cents: null };

/** Found by the model (the first five) or by review, and fixed in the service or the model. */
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
      script([
        [1, pay(1000)],
        [200, pay(1000)],
        [1, refund],
        [200, refund],
      ]),
    ));

  it('an expired payment is not refunded while a part of its money is unconfirmed: that part could not be refunded later', () =>
    check(
      script([
        [1, pay(400)],
        [3700, { do: 'wait' }],
        [86_400, pay(500)],
        [1, refund],
        [200, refund],
      ]),
    ));

  it('an excess that confirms on two networks at the same time is refunded in two parts', () =>
    check(
      script(
        [
          [200, pay(1000)],
          [4000, pay(1000)],
          [0, pay(1000, 'tron')],
          [27, { do: 'mine', blocks: 11 }],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('a rate lock that ends after the settlement starts no chain', () =>
    check(
      script(
        [
          [200, pay(1000, 'tron')],
          [200, { do: 'replace', which: 0 }],
          [701, pay(1000)],
          [526, pay(1000)],
          [1, pay(1000)],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('networks on which transfers confirm at the same time are synced in a fixed order, however old their jobs are', () =>
    check(
      script(
        [
          [0, pay(1000)],
          [600, pay(949)],
          [300, pay(1000, 'tron')],
          [300, pay(1000, 'tron')],
          [22, { do: 'reorg', depth: 60 }],
          [0, { do: 'mine', blocks: 20 }],
        ],
        { overpaid: 'refund_excess' },
      ),
    ));

  it('a refund after a part of the settled money was dropped', () =>
    check(
      script([
        [1, pay(400)],
        [1, pay(600)],
        [200, { do: 'replace', which: 0 }],
        [1, refund],
      ]),
    ));

  it('a tolerance of 100 % waits for confirmations', () =>
    check(
      script(
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
});
