import { expect } from 'chai';
import { paymentsSection } from '../../../../src/domain/ops/status/payments.ts';
import { statusText } from '../../../../src/domain/ops/status/section.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { openShop } from '../../../support/shop.ts';

const HOUR = 3_600;

describe('payments in the status of a cell', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    const shop = await openShop(harness);
    for (const [count, seconds] of [
      [1, 30 * HOUR],
      [2, 2 * HOUR],
      [3, 0],
    ] as const) {
      for (let made = 0; made < count; made += 1) await shop.create();
      harness.advance(seconds);
    }
  });
  after(() => harness.close());

  it('are those of the last hour and of the last day, and an estimate of all', async () => {
    const { db } = harness.ctx;
    await db.raw('ANALYZE payments');
    const { facts, lines, isBad } = await paymentsSection.read(harness.ctx);
    expect(facts).to.deep.equal({ last_hour: 3, last_day: 5, estimate: 6 });
    expect(isBad).to.equal(false);
    expect(lines).to.deep.equal(['3 in the last hour, 5 in the last day, some 6 in all']);
    const text = statusText([{ name: 'payments', facts, lines, isBad }]);
    expect(text.split('\n').at(-1)).to.equal(`Nothing is wrong. Payments: ${lines.join('')}.`);
  });
});
