import { expect } from 'chai';
import { joinDesk, type DeskPerson } from '../../../support/desk.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { createPayment } from '../../../support/http.ts';

describe('the policies of a merchant at the desk', () => {
  let harness: Harness;
  let owner: DeskPerson;
  before(async () => {
    harness = await createHarness();
    owner = await joinDesk(harness, 'owner@shop.example');
  });
  after(() => harness.close());

  const path = () => `/dashboard/${harness.merchant.id}/settings/policy`;
  const stored = async () =>
    (await harness.ctx.db('merchants').where({ id: harness.merchant.id }).first<{ policy: object }>('policy'))
      ?.policy;
  const form = { underpaid: 'accept', tolerance: '1,5', late: 'refund', overpaid: 'refund_excess' };

  it('are said with what they mean in figures of the settlement coin', async () => {
    const { text } = await owner.get(path());
    expect(text).to.include('98.00 USDC pay for 100.00 USDC').and.include('the page asks for 2.00 more');
    expect(text)
      .to.match(/id="underpaid-wait"[^>]*checked/)
      .and.match(/id="late-honour"[^>]*checked/);
  });

  it('are those of payments that are created afterwards, and written down with what was before', async () => {
    const saved = await owner.post(path(), form);
    expect([saved.status, saved.location]).to.deep.equal([303, `${path()}?said=saved`]);
    const policy = {
      underpaid: 'accept',
      underpaid_tolerance_percent: 1.5,
      late: 'refund',
      overpaid: 'refund_excess',
    };
    expect(await stored()).to.deep.equal(policy);
    harness.advance(10);
    const { id } = await createPayment(harness);
    const payment = await harness.ctx.db('payments').where({ id }).first<{ policy: object }>('policy');
    expect(payment?.policy).to.deep.equal(policy);
    const entry = await harness.ctx
      .db('operator_actions')
      .where({ command: 'policy changed' })
      .orderBy('id', 'desc')
      .first<Record<string, unknown>>();
    expect(entry).to.include({ actor: owner.id, kind: 'person', merchant_id: harness.merchant.id });
    expect(entry?.details).to.deep.equal({ before: {}, after: policy });
    expect((await owner.get(path())).text)
      .to.match(/id="underpaid-accept"[^>]*checked/)
      .and.include('98.50 USDC pay');
  });

  for (const [what, wrong] of [
    ['a tolerance above all', { tolerance: '101' }],
    ['a tolerance below nothing', { tolerance: '-1' }],
    ['a tolerance that is no number', { tolerance: 'some' }],
    ['a choice that there is not', { late: 'never' }],
    ['no choice', { overpaid: '' }],
  ] as const)
    it(`are refused as the API refuses them: ${what}`, async () => {
      const before = await stored();
      const answer = await owner.post(path(), { ...form, ...wrong });
      expect(answer.status).to.equal(400);
      expect(answer.text).to.match(/role="alert">(underpaid_tolerance_percent|late|overpaid) must be/);
      expect(await stored()).to.deep.equal(before);
    });

  it('are shown to everybody else without a button', async () => {
    const reader = await joinDesk(harness, 'reader@shop.example', { role: 'read-only' });
    const { text } = await reader.get(path());
    expect(text).to.include('Only owners change this').and.not.include('>Save<');
    expect(text).to.match(/<fieldset class="choices" disabled/);
  });
});
