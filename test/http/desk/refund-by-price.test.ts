import { expect } from 'chai';
import { hiddenField, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { countRows, pay, type Payment } from '../../support/http.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('a refund by price at the desk', () => {
  let harness: Harness;
  let bob: DeskPerson;
  let id: string;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    bob = await joinDesk(harness, 'bob@shop.example', { role: 'support' });
    const order = { price_amount: '10.50', price_currency: 'EUR', order_id: 'order 1' };
    id = ((await harness.api('post', '/v1/payment').send(order).expect(201)).body as Payment).id;
    await pay(harness, id);
  });
  afterEach(() => harness.close());

  const path = (rest = '') => `/dashboard/${harness.merchant.id}/payments/${id}${rest}`;
  const FIELDS = ['amount', 'currency', 'reason', 'to', 'address', 'mark', 'form'];
  const preview = async (fields: Record<string, string>) => {
    const shown = await bob.post(path('/refund/preview'), { to: 'sender', ...fields });
    const kept = FIELDS.map((name) => [name, hiddenField(shown.text, name)] as const);
    return { ...shown, form: Object.fromEntries(kept) };
  };
  const refunds = () =>
    harness.ctx
      .db('refunds')
      .select<{ amount: string; coin_amount: string; price: Record<string, unknown> | null }[]>();
  /** Moves what a USDC costs on the market of the merchant, in dollars. */
  const move = (USDC: string) =>
    harness.api('post', '/v1/sandbox/rates').send({ rates: { USDC } }).expect(200);

  it('offers the currency of the payment before the others, behind its coin', async () => {
    const { text } = await bob.get(path('/refund'));
    const options = [...text.matchAll(/<option value="([A-Z]+)"/g)].map(([, value]) => value);
    expect(options.slice(0, 3)).to.deep.equal(['USDC', 'EUR', 'USD']);
    expect(options.filter((value) => value === 'EUR')).to.have.length(1);
  });

  it('shows coins, rate and its age, and is made at the rate of the refund, which the payment tells', async () => {
    const before = await countRows(harness);
    const { text, form } = await preview({ amount: '5.00', currency: 'EUR' });
    expect(text).to.include('5.00 EUR').and.include('5.7 USDC').and.include('0.877192982456140351');
    expect(text)
      .to.match(/The rate is of .*2026-01-31.* 0 seconds old/s)
      .and.include('simulator');
    expect(await countRows(harness)).to.deep.equal(before);
    await move('1.005');
    expect((await bob.post(path('/refund'), form)).location).to.equal(path('?said=refunded'));
    const [made, ...others] = await refunds();
    expect(others).to.deep.equal([]);
    expect(made?.price).to.include({ amount: '5.00', currency: 'EUR', rate: '0.881578947368421053' });
    expect(made?.coin_amount).to.equal('5.671642');
    const shown = (await bob.get(path())).text;
    expect(shown).to.include('5.00 EUR').and.include('0.881578947368421053');
    const [written] = await harness.ctx
      .db('operator_actions')
      .where({ command: 'refund accepted' })
      .select<{ details: object }[]>('details');
    expect(written?.details).to.include({ price: '5.00 EUR', amount: '5.671642 USDC' });
  });

  it('is not made where the rate has moved by more than a hundredth since it was shown', async () => {
    for (const [shown, later] of [
      ['1', '1.011'],
      ['1.011', '1'],
    ] as const) {
      await move(shown);
      const { form } = await preview({ amount: '5.00', currency: 'EUR' });
      await move(later);
      const refused = await bob.post(path('/refund'), form);
      expect([refused.status, refused.text.includes('has changed since it was shown')]).to.deep.equal([
        400,
        true,
      ]);
    }
    expect(await refunds()).to.deep.equal([]);
  });

  it('is made of nothing but what was shown: another price, place or mark', async () => {
    const { form } = await preview({ amount: '5.00', currency: 'EUR' });
    const { mark = '' } = form;
    for (const other of [
      { ...form, amount: '5.01' },
      { ...form, currency: 'USD' },
      { ...form, currency: 'USDC' },
      { ...form, to: 'address', address: ADDRESS },
      ...['', mark.replace(/:.*/, ''), mark.replace(/:.*/, ':x'), mark.replace(/:.*/, ':0')].map(
        (changed) => ({
          ...form,
          mark: changed,
        }),
      ),
    ]) {
      const refused = await bob.post(path('/refund'), other);
      expect(refused.status, JSON.stringify(other)).to.equal(400);
    }
    expect(await refunds()).to.deep.equal([]);
  });

  it('without a fresh rate is refused, when it is shown and when it is made, and nothing is stored', async () => {
    const { form } = await preview({ amount: '5.00', currency: 'EUR' });
    Object.assign(harness.adapters, { currencies: () => Promise.resolve(new Map()) });
    const before = await countRows(harness);
    const unshown = await preview({ amount: '5.00', currency: 'EUR', reason: 'late' });
    expect(unshown.status).to.equal(503);
    expect(unshown.text)
      .to.include('There is no rate now')
      .and.include('value="5.00"')
      .and.include('value="late"');
    expect(unshown.text).to.match(/<option value="EUR" selected>/);
    const unmade = await bob.post(path('/refund'), form);
    expect([unmade.status, unmade.text.includes('Nothing was refunded')]).to.deep.equal([503, true]);
    expect(await countRows(harness)).to.deep.equal(before);
    const inCoins = await preview({ amount: '5', currency: 'USDC' });
    expect((await bob.post(path('/refund'), inCoins.form)).status).to.equal(303);
  });

  for (const [what, fields, message] of [
    ['more decimals than its currency has', { amount: '5.5', currency: 'JPY' }, 'at most 0 decimals in JPY'],
    ['more than is left', { amount: '11.00', currency: 'EUR' }, 'must not be more than what is left'],
    ['a currency that nobody knows', { amount: '5', currency: 'XXX' }, 'currency is not known'],
    ['thousands', { amount: '1,000', currency: 'JPY' }, 'price_amount'],
  ] as const)
    it(`says that it cannot be ${what}`, async () => {
      const refused = await preview(fields);
      expect([refused.status, refused.text.includes(message)]).to.deep.equal([400, true]);
      expect(await refunds()).to.deep.equal([]);
    });

  it('is all that is left where no amount is entered', async () => {
    const { form, text } = await preview({ amount: '', currency: 'EUR' });
    expect(text).to.include('11.97 USDC');
    await bob.post(path('/refund'), form);
    expect((await refunds()).map(({ amount, price }) => [amount, price])).to.deep.equal([['11.97', null]]);
  });
});
