import { openShop } from '../support/shop.ts';
import { switchOffWebhooks } from './service.ts';
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

/** What the model found (the first five) or what reading found and the model holds now; each was mended, in the service or the model. */
describe('counterexamples, mended', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    await switchOffWebhooks(harness.ctx);
  });
  after(() => harness.close());
  const check = async (one: Script) => checkScript(harness.ctx, (await openShop(harness)).caller, one);

  it('all that is confirmed goes back while more is on its way: settled still, and that can go back as well', () =>
    check(
      script([
        [1, pay(1000)],
        [200, pay(1000)],
        [1, refund],
        [200, refund],
      ]),
    ));

  it('an expired payment is not refunded while a part of its money is unconfirmed: it would be stuck', () =>
    check(
      script([
        [1, pay(400)],
        [3700, { do: 'wait' }],
        [86_400, pay(500)],
        [1, refund],
        [200, refund],
      ]),
    ));

  it('too much that confirms on two networks at one moment goes back in two parts', () =>
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

  it('a rate lock that ends after the payment was settled begins no chain', () =>
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

  it('networks on which something confirms at one moment are looked at in one order, however old their schedule is', () =>
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

  it('a refund after a part of what was settled has vanished', () =>
    check(
      script([
        [1, pay(400)],
        [1, pay(600)],
        [200, { do: 'replace', which: 0 }],
        [1, refund],
      ]),
    ));

  it('a tolerance of everything waits for confirmations', () =>
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
