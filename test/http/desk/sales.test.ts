import { expect } from 'chai';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { eachShop } from '../../support/each-shop.ts';
import { ExchangeStand } from '../../support/exchange-stand.ts';
import type { Harness } from '../../support/harness.ts';

describe('a sale that the exchange has refused, at the desk', () => {
  let harness: Harness;
  let stand: ExchangeStand;
  let bob: DeskPerson;
  let id: string;
  eachShop(async (opened) => {
    ({ harness } = opened);
    stand = await ExchangeStand.open(harness, opened.shop);
  });
  beforeEach(async () => {
    bob = await joinDesk(harness, 'bob@shop.example', { role: 'support', merchantId: stand.merchant.id });
    id = await stand.paid();
    stand.kraken.fault = (method) =>
      method === 'AddOrder' ? { error: 'EOrder:<b>Insufficient funds' } : null;
    for (let i = 0; i < 3; i += 1) {
      await stand.work(id);
      harness.advance(600);
    }
    stand.kraken.fault = () => null;
  });
  afterEach(() => stand.close());

  const page = (rest = '') => `/dashboard/${stand.merchant.id}/payments/${id}${rest}`;
  const decide = (person: DeskPerson, decision: string) => person.post(page('/sale'), { decision });
  const entries = () =>
    harness.ctx.db('operator_actions').where({ command: 'sale decided' }).select('actor', 'details');

  it('stands on the page of its payment, with the reason and two buttons', async () => {
    const { text } = await bob.get(page());
    expect(text).to.include('To be sold at the exchange').and.include('1 ETH.').and.include('It waits: ');
    expect(text).to.include('&#60;b&#62;Insufficient').and.not.include('<b>Insufficient');
    expect(text).to.include('Sell it now').and.include('Settle it as it came, now');
  });

  it('is tried again at a click, once, which the audit log says', async () => {
    const done = await decide(bob, 'retry');
    expect([done.status, done.location]).to.deep.equal([303, page('?said=decided')]);
    expect((await bob.get(page('?said=decided'))).text)
      .to.include('Decided.')
      .and.not.include('Sell it now');
    await stand.work(id);
    expect(await stand.real.statusOf(id)).to.equal('SETTLED');
    expect((await stand.resource(id)).settlement.mode).to.equal('exchange');
    const again = await decide(bob, 'retry');
    expect(again.status).to.equal(409);
    expect(again.text).to.include('Nothing of the payment waits to be sold any more.');
    const details = { payment_id: id, decision: 'retry', sales: 1 };
    expect(await entries()).to.deep.equal([{ actor: bob.id, details }]);
  });

  it('is settled as it came where a person says so', async () => {
    await decide(bob, 'as_received');
    await stand.work(id);
    expect((await stand.resource(id)).settlement).to.deep.equal({
      mode: 'as_received',
      coin: 'ETH',
      network: 'ethereum',
      amount: '1',
    });
  });

  it('waits for who may decide of money, and for one of the two decisions', async () => {
    const reader = await joinDesk(harness, 'eve@shop.example', {
      role: 'read-only',
      merchantId: stand.merchant.id,
    });
    const { text } = await reader.get(page());
    expect(text).to.include('It waits: ').and.not.include('Sell it now');
    expect((await decide(reader, 'retry')).status).to.equal(403);
    expect((await decide(bob, 'sell')).status).to.equal(409);
    const other = await joinDesk(harness, 'kim@other.example', { role: 'owner' });
    expect((await decide(other, 'retry')).status).to.equal(404);
    expect(await entries()).to.deep.equal([]);
  });
});
