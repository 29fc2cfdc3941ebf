import { expect } from 'chai';
import type { PolicyChoice } from '../../../src/domain/payments/lifecycle/policy.ts';
import { asWritten, compare, plain, subtract } from '../../../src/platform/values/money.ts';
import { checkInvariants } from '../../support/invariants.ts';
import { createPayment, expectError } from '../../support/http.ts';
import { eventsOf, postScenario, type ScenarioReport } from '../../support/scenarios.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** Of USDC: money that differs from what is needed by less is neither too little nor too much. */
const DUST = '0.001';
const DEFAULTS = { underpaid: 'wait', underpaid_tolerance_percent: 0, late: 'honour', overpaid: 'keep' };

describe('the policy of a payment', () => {
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

  describe('underpaid: accept', () => {
    const accept = (underpaid_tolerance_percent: number): PolicyChoice => ({
      underpaid: 'accept',
      underpaid_tolerance_percent,
    });
    for (const [percent, payAmount, amount, isEnough] of [
      [5, '10.00', '9.50', true],
      [5, '10.00', '9.499001', true],
      [5, '10.00', '9.499', false],
      [0, '10.00', '10.00', true],
      [0, '10.00', '9.999001', true],
      [0, '10.00', '9.999', false],
      [0.5, '0.2', '0.199', true],
      [0.5, '0.2', '0.198', false],
      [33.3333, '3', '2.000001', true],
      [33.3333, '3', '1.999002', true],
      [33.3333, '3', '1.999001', false],
      [100, '10.00', '0.000001', true],
    ] as const)
      it(`${percent} % of ${payAmount}: ${amount} is ${isEnough ? '' : 'not '}enough`, async () => {
        const story = await runScript(accept(percent), [transfer('1m', amount)], payAmount);
        expect(story.payment.status).to.equal(isEnough ? 'SETTLED' : 'EXPIRED');
        expect(story.payment.exceptions).to.deep.equal(
          compare(subtract(payAmount, amount), DUST) < 0 ? [] : ['underpaid'],
        );
        expect(story.payment.actually_paid).to.equal(isEnough ? asWritten(plain(amount), payAmount) : null);
      });

    it('a tolerance of 100 % still waits for a transfer and its confirmations', async () => {
      const paid = await runScript(accept(100), [transfer('1m', '1')]);
      expect(eventsOf(paid)).to.deep.equal([
        '0:00:00 created WAITING',
        '0:01:00 pending PENDING underpaid',
        '0:03:24 processing PROCESSING underpaid',
        '0:03:24 settled SETTLED underpaid',
      ]);
      expect((await runScript(accept(100), [])).payment.status).to.equal('EXPIRED');
    });

    it('the tolerance without accept has no effect', async () => {
      const story = await runScript({ underpaid_tolerance_percent: 5 }, [transfer('1m', '9.99')]);
      expect(story.payment.status).to.equal('EXPIRED');
    });
  });

  describe('overpaid: refund_excess', () => {
    const excess: PolicyChoice = { overpaid: 'refund_excess' };

    it('refunds the excess once the payment is settled', async () => {
      const story = await runScript(excess, [transfer('1m', '12.50')]);
      expect(eventsOf(story).slice(2)).to.deep.equal([
        '0:03:24 processing PROCESSING overpaid',
        '0:03:24 settled SETTLED overpaid',
        '0:03:24 refunded SETTLED overpaid',
      ]);
      expect(story.events.at(-1)?.data.refund).to.include({ amount: '2.5', reason: 'overpaid' });
    });

    it('refunds money after settlement too, each time', async () => {
      const story = await runScript(excess, [transfer('1m'), transfer('1h', '3'), transfer('2h', '4')]);
      expect(eventsOf(story).slice(3)).to.deep.equal([
        '0:03:24 settled SETTLED',
        '1:00:00 funds_received SETTLED overpaid',
        '1:02:24 refunded SETTLED overpaid',
        '2:00:00 funds_received SETTLED overpaid',
        '2:02:24 refunded SETTLED overpaid',
      ]);
      expect(story.payment).to.include({ amount_received: '17', amount_refunded: '7' });
    });

    it('refunds the rest of a settled payment when it is confirmed', async () => {
      const story = await runScript(excess, [transfer('1m'), transfer('2m', '5')]);
      expect(eventsOf(story).slice(-3)).to.deep.equal([
        '0:03:24 processing PROCESSING overpaid',
        '0:03:24 settled SETTLED overpaid',
        '0:04:24 refunded SETTLED overpaid',
      ]);
    });

    it('after a refund by the merchant still refunds all that comes above the price', async () => {
      const story = await runScript(excess, [
        transfer('1m'),
        { at: '1h', do: 'refund', amount: '3.00' },
        transfer('2h', '5'),
      ]);
      expect(story.payment).to.include({ amount_received: '15', amount_refunded: '8' });
    });

    it('does not refund an expired payment', async () => {
      const story = await runScript({ ...excess, late: 'refund' }, [transfer('1m', '4')]);
      expect(story.payment).to.include({ status: 'EXPIRED', amount_refunded: '0' });
    });
  });

  it('is complete in every event of the payment', async () => {
    const story = await runScript({ late: 'refund' }, [transfer('90m')]);
    for (const { data } of story.events)
      expect(data.checkout.policy).to.deep.equal({ ...DEFAULTS, late: 'refund' });
    const plain = await runScript({}, []);
    expect(plain.events[0]?.data.checkout.policy).to.deep.equal(DEFAULTS);
  });

  it("is the merchant's default where the payment does not set it", async () => {
    const { apiKey } = await harness.addMerchant({
      policy: { late: 'refund', underpaid: 'accept', underpaid_tolerance_percent: 2 },
    });
    const play_ = async (policy: PolicyChoice) =>
      (
        await harness
          .api('post', '/v1/sandbox/scenarios', apiKey)
          .send({ payment: { pay_amount: '10', policy }, script: [] })
          .expect(200)
      ).body as ScenarioReport;
    expect((await play_({})).events[0]?.data.checkout.policy).to.deep.equal({
      ...DEFAULTS,
      late: 'refund',
      underpaid: 'accept',
      underpaid_tolerance_percent: 2,
    });
    expect(
      (await play_({ late: 'honour', underpaid_tolerance_percent: 1 })).events[0]?.data.checkout.policy,
    ).to.deep.equal({ ...DEFAULTS, underpaid: 'accept', underpaid_tolerance_percent: 1 });
  });

  it('is accepted by POST /v1/payment, and an invalid field is named', async () => {
    await createPayment(harness, { policy: { underpaid: 'accept', underpaid_tolerance_percent: 0.1 } });
    await createPayment(harness, { policy: {} });
    const faults: [unknown, string, string][] = [
      [{ underpaid: 'ignore' }, 'policy.underpaid', 'enum'],
      [{ late: true }, 'policy.late', 'enum'],
      [{ overpaid: '' }, 'policy.overpaid', 'enum'],
      [{ underpaid_tolerance_percent: -0.1 }, 'policy.underpaid_tolerance_percent', 'minimum'],
      [{ underpaid_tolerance_percent: 100.1 }, 'policy.underpaid_tolerance_percent', 'maximum'],
      [{ underpaid_tolerance_percent: '1' }, 'policy.underpaid_tolerance_percent', 'type'],
      [{ tolerance: 1 }, 'policy.tolerance', 'additionalProperties'],
      ['keep', 'policy', 'type'],
      [null, 'policy', 'type'],
    ];
    for (const [policy, field, constraint] of faults) {
      const body = { pay_amount: '1', order_id: 'o', policy };
      expectError(harness, await harness.api('post', '/v1/payment').send(body), 400, { field, constraint });
    }
  });
});
