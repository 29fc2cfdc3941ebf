import { expect } from 'chai';
import { setWebhookConfig } from '../../../src/domain/webhooks/endpoints/settings.ts';
import { hiddenField, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { countRows, createPayment, pay } from '../../support/http.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('what people do with a payment at the desk', () => {
  let harness: Harness;
  let bob: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    bob = await joinDesk(harness, 'bob@shop.example', { role: 'support' });
  });
  afterEach(() => harness.close());

  const page = (id: string, rest = '') => `/dashboard/${harness.merchant.id}/payments/${id}${rest}`;
  const settled = async (fields: object = {}) => {
    const { id } = await createPayment(harness, fields);
    await pay(harness, id);
    return id;
  };
  const actionsOf = async (person: DeskPerson) =>
    harness.ctx
      .db('operator_actions')
      .where({ actor: person.id })
      .whereRaw(`details->>'payment_id' IS NOT NULL`)
      .orderBy('number')
      .select<{ command: string; details: object; kind: string; address: string }[]>();
  const refundsOf = (id: string) =>
    harness.ctx
      .db('refunds')
      .where({ payment_id: id })
      .orderBy('place')
      .select<{ coin_amount: string; address: string; reason: string }[]>();
  /** Enters a refund, and returns the form that confirms it. */
  const preview = async (person: DeskPerson, id: string, fields: Record<string, string>) => {
    const shown = await person.post(page(id, '/refund/preview'), fields);
    const kept = ['amount', 'reason', 'to', 'address', 'mark', 'form'].map(
      (name) => [name, hiddenField(shown.text, name)] as const,
    );
    return { ...shown, form: Object.fromEntries(kept) };
  };

  it('cancels one that waits, which its page says, once, with their name in the audit log', async () => {
    const { id } = await createPayment(harness);
    expect((await bob.get(page(id))).text).to.include('Cancel the payment');
    for (let i = 0; i < 2; i += 1) {
      const done = await bob.post(page(id, '/cancel'));
      expect([done.status, done.location]).to.deep.equal([303, `${page(id)}?said=cancelled`]);
    }
    const { text } = await bob.get(page(id, '?said=cancelled'));
    expect(text).to.include('The payment was cancelled.').and.not.include('Cancel the payment');
    const [written, ...others] = await actionsOf(bob);
    expect(others).to.deep.equal([]);
    expect(written).to.deep.include({
      command: 'payment cancelled',
      kind: 'person',
      address: '127.0.0.1',
      details: { payment_id: id },
    });
  });

  it('says why one with enough money is not cancelled', async () => {
    const id = await settled();
    const refused = await bob.post(page(id, '/cancel'));
    expect(refused.status).to.equal(409);
    expect(refused.text).to.include('role="alert"').and.include('cannot be cancelled');
    expect(await actionsOf(bob)).to.deep.equal([]);
  });

  it('shows what a refund would send where, and has then done nothing', async () => {
    const id = await settled();
    const form = await bob.get(page(id, '/refund'));
    expect(form.text).to.include('Left to refund: 10.50 USDC');
    const before = await countRows(harness);
    const { text } = await preview(bob, id, {
      amount: '4.25',
      reason: '<b>late</b>',
      to: 'address',
      address: ADDRESS,
    });
    expect(text).to.include('4.25 USDC').and.include('Ethereum').and.include(ADDRESS);
    expect(text).to.include('No real money is sent.').and.not.include('<b>late');
    const asked = await preview(bob, id, { amount: '4.25', to: 'sender' });
    expect(asked.text).to.match(/<code>0x[0-9a-fA-F]{40}<\/code>/);
    expect(await countRows(harness)).to.deep.equal(before);
    expect(await actionsOf(bob)).to.deep.equal([]);
  });

  it('refunds what was shown, once for two clicks, without the reason and the address in the audit log', async () => {
    const id = await settled();
    const { form } = await preview(bob, id, {
      amount: '4.25',
      reason: 'late',
      to: 'address',
      address: ADDRESS,
    });
    const clicks = await Promise.all([
      bob.post(page(id, '/refund'), form),
      bob.post(page(id, '/refund'), form),
    ]);
    for (const { status, location } of clicks)
      expect([status, location]).to.deep.equal([303, `${page(id)}?said=refunded`]);
    const [refund, ...others] = await refundsOf(id);
    expect(others).to.deep.equal([]);
    expect(refund).to.include({ coin_amount: '4.25', reason: 'late', address: ADDRESS });
    const [written, ...more] = await actionsOf(bob);
    expect(more).to.deep.equal([]);
    expect(written?.details).to.include({ payment_id: id, amount: '4.25 USDC', sent: '4.25 USDC, ethereum' });
    expect(JSON.stringify(written)).to.not.include(ADDRESS).and.not.include('late');
    await harness.work();
    expect((await bob.get(page(id, '?said=refunded'))).text)
      .to.include('The refund was accepted.')
      .and.include(ADDRESS)
      .and.include('COMPLETED');
  });

  it('refunds nothing that differs from what was shown, whatever the form says', async () => {
    const id = await settled();
    const { form } = await preview(bob, id, { to: 'sender' });
    for (const other of [
      { ...form, amount: '1' },
      { ...form, to: 'address', address: ADDRESS },
      { ...form, mark: '' },
    ]) {
      const refused = await bob.post(page(id, '/refund'), other);
      expect(refused.status).to.equal(400);
      expect(refused.text).to.include('has changed since it was shown');
    }
    expect((await bob.post(page(id, '/refund'), { ...form, form: 'x' })).text).to.include('Left to refund');
    await harness.api('post', `/v1/payment/${id}/refund`).send({ amount: '1', to_sender: true }).expect(201);
    expect((await bob.post(page(id, '/refund'), form)).text).to.include('has changed since it was shown');
    expect(await refundsOf(id)).to.have.lengthOf(1);
  });

  it('refunds a part once where two people were shown the same, and tells the second', async () => {
    const id = await settled();
    const ann = await joinDesk(harness, 'ann@shop.example');
    const asked = { amount: '1', to: 'address', address: ADDRESS };
    const forms = [await preview(bob, id, asked), await preview(ann, id, asked)].map(({ form }) => form);
    const [first = {}, second = {}] = forms;
    expect((await bob.post(page(id, '/refund'), first)).location).to.equal(`${page(id)}?said=refunded`);
    expect((await ann.post(page(id, '/refund'), second)).text).to.include('has changed since it was shown');
    expect((await bob.post(page(id, '/refund'), first)).location).to.equal(`${page(id)}?said=refunded`);
    expect(await refundsOf(id)).to.have.lengthOf(1);
    const again = await preview(ann, id, asked);
    expect((await ann.post(page(id, '/refund'), again.form)).location).to.equal(`${page(id)}?said=refunded`);
    expect(await refundsOf(id)).to.have.lengthOf(2);
  });

  it('says what is wrong with a refund, and keeps what was entered', async () => {
    const id = await settled();
    for (const [fields, message] of [
      [{ amount: '11' }, 'amount must not be more than what is left to refund'],
      [{ amount: 'ten' }, 'amount'],
      [{ to: 'address', address: '' }, 'address is missing'],
      [{ to: 'address', address: 'nowhere' }, 'must be an address on ethereum'],
    ] as const) {
      const refused = await bob.post(page(id, '/refund/preview'), { reason: 'a "reason"', ...fields });
      expect(refused.status, message).to.equal(400);
      expect(refused.text).to.include(message).and.include('value="a &#34;reason&#34;"');
    }
    const open = await createPayment(harness);
    const none = await bob.get(page(open.id, '/refund'));
    expect(none.status).to.equal(400);
    expect(none.text)
      .to.include('cannot be refunded')
      .and.not.include('<form method="post" action="/dashboard/mer');
  });

  it('asks for a fresh second factor where the refunds of a payment are large together, also in parts', async () => {
    const id = await settled({ pay_amount: '700' });
    const ask = (amount: string) => preview(bob, id, { amount, to: 'sender' });
    const { form } = await ask('600');
    const small = await ask('300');
    harness.advance(600);
    const confirm = `/dashboard/second-factor?to=${encodeURIComponent(page(id, '/refund'))}`;
    expect((await ask('600')).location).to.equal(confirm);
    expect((await bob.post(page(id, '/refund'), form)).location).to.equal(confirm);
    expect((await bob.post(page(id, '/refund'), small.form)).location).to.equal(`${page(id)}?said=refunded`);
    expect((await ask('201')).location).to.equal(confirm);
    const [first, ...others] = await refundsOf(id);
    expect([first?.coin_amount, others.length]).to.deep.equal(['300', 0]);
    await bob.post('/dashboard/second-factor', { code: bob.code(), to: page(id, '/refund') });
    const { form: proven } = await ask('201');
    expect((await bob.post(page(id, '/refund'), proven)).location).to.equal(`${page(id)}?said=refunded`);
  });

  it('shows the webhooks among what happened, each with a page of its own', async () => {
    const webhooks = { webhookUrl: 'http://127.0.0.1:9/', enabled: true };
    await setWebhookConfig(harness.ctx.db, harness.merchant.id, webhooks, harness.ctx.now());
    const { id } = await createPayment(harness);
    await harness.work();
    const [delivery] = await harness.ctx.db('deliveries').where({ payment_id: id }).pluck<string>('id');
    const { text } = await bob.get(page(id, '?show=webhooks'));
    const [, path = ''] = new RegExp(`href="([^"]*/${delivery ?? ''})"`).exec(text) ?? [];
    expect((await bob.get(path)).text).to.include(id);
  });

  it('acts as the customer of a test payment, once for a second click', async () => {
    const { id } = await createPayment(harness);
    const dan = await joinDesk(harness, 'dan@shop.example', { role: 'developer' });
    expect((await bob.get(page(id))).text).to.not.include('Simulated customer');
    expect((await dan.get(page(id))).text).to.include('Pay 10.50 USDC');
    const paid = await dan.post(page(id, '/simulate'), { do: 'pay' });
    expect(paid.location).to.equal(`${page(id)}?said=simulated`);
    expect((await dan.get(page(id))).text).to.include('Transfer seen');
    const again = await dan.post(page(id, '/simulate'), { do: 'pay' });
    expect([again.status, again.text.includes('The payment has moved on')]).to.deep.equal([409, true]);
    expect((await dan.post(page(id, '/simulate'), { do: 'fly' })).status).to.equal(409);
    const live = await harness.addMerchant({ mode: 'live', name: 'Live' });
    const eve = await joinDesk(harness, 'eve@live.example', { merchantId: live.id });
    expect((await eve.post(page(id, '/simulate'), { do: 'pay' })).status).to.equal(404);
  });
});
