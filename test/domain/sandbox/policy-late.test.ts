import { expect } from 'chai';
import type { PolicyChoice } from '../../../src/domain/payments/lifecycle/policy.ts';
import { checkInvariants } from '../../support/invariants.ts';
import { eventsOf, postScenario, type ScenarioReport } from '../../support/scenarios.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the policy late: refund', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(async () => {
    await checkInvariants(harness.ctx.db);
    await harness.close();
  });

  const runScript = async (
    policy: PolicyChoice,
    script: object[],
    pay_amount = '10.00',
  ): Promise<ScenarioReport> =>
    (await postScenario(harness, { payment: { pay_amount, policy }, script })).report;
  const transfer = (at: string, amount?: string) => ({ at, do: 'transfer', ...(amount && { amount }) });
  const statuses = (story: ScenarioReport) => story.transitions.map(({ to }) => to);
  const late: PolicyChoice = { late: 'refund' };

  it('refunds late money once all of it is confirmed', async () => {
    const story = await runScript(late, [transfer('61m')]);
    expect(eventsOf(story).slice(1)).to.deep.equal([
      '1:00:00 failed EXPIRED',
      '1:01:00 funds_received EXPIRED late',
      '1:03:24 refunded REFUNDED late',
    ]);
    expect(story.events.at(-1)?.data.refund).to.include({
      amount: '10.00',
      currency: 'USDC',
      coin: 'USDC',
      network: 'ethereum',
      reason: 'late',
    });
  });

  it('refunds a part that was in time together with late money', async () => {
    const story = await runScript(late, [transfer('1m', '4'), transfer('61m', '6')]);
    expect(statuses(story)).to.deep.equal(['WAITING', 'PENDING', 'EXPIRED', 'EXPIRED', 'REFUNDED']);
    expect(story.payment).to.include({ amount_received: '10.00', amount_refunded: '10.00' });
    expect(story.payment.actually_paid).to.equal(null);
  });

  it('does not refund a part that was in time without late money', async () => {
    const story = await runScript(late, [transfer('1m', '4')]);
    expect(story.payment).to.include({ status: 'EXPIRED', amount_refunded: '0' });
  });

  it('refunds two late parts together when both are confirmed', async () => {
    const story = await runScript(late, [transfer('61m', '4'), transfer('62m', '7')]);
    expect(eventsOf(story).slice(1)).to.deep.equal([
      '1:00:00 failed EXPIRED',
      '1:01:00 funds_received EXPIRED late underpaid',
      '1:02:00 funds_received EXPIRED late overpaid',
      '1:04:24 refunded REFUNDED late overpaid',
    ]);
    expect(story.payment.amount_refunded).to.equal('11');
  });

  it('money at the deadline is late, money a second before is not', async () => {
    const atTheDeadline = await runScript(late, [transfer('60m')]);
    expect(atTheDeadline.payment).to.deep.include({ status: 'REFUNDED', exceptions: ['late'] });
    expect(eventsOf(atTheDeadline).some((line) => line.includes('funds_received'))).to.equal(true);
    expect((await runScript(late, [transfer('3599s')])).payment.status).to.equal('SETTLED');
  });

  it('refunds late money that comes after the first was returned, each time', async () => {
    const story = await runScript(late, [transfer('61m'), transfer('2h', '3'), transfer('3h', '4')]);
    expect(eventsOf(story).slice(-4)).to.deep.equal([
      '2:00:00 funds_received REFUNDED late overpaid',
      '2:02:24 refunded REFUNDED late overpaid',
      '3:00:00 funds_received REFUNDED late overpaid',
      '3:02:24 refunded REFUNDED late overpaid',
    ]);
    expect(story.payment).to.include({ amount_received: '17', amount_refunded: '17' });
  });

  it('money that was seen in time is not late when it confirms late', async () => {
    const story = await runScript(late, [transfer('59m'), { at: '61m', do: 'reorg', depth: 20 }]);
    expect(story.payment).to.deep.include({ status: 'SETTLED', exceptions: ['reorged'] });
  });

  it('late money beside a full payment in time is kept or refunded as an excess', async () => {
    const script = [transfer('59m'), transfer('61m', '3')];
    const kept = await runScript(late, script);
    expect(kept.payment).to.include({ status: 'SETTLED', amount_received: '13', amount_refunded: '0' });
    const returned = await runScript({ ...late, overpaid: 'refund_excess' }, script);
    expect(returned.payment).to.include({ status: 'SETTLED', amount_refunded: '3' });
  });
});
