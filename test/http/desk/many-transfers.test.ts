import { expect } from 'chai';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { copyTransfers } from '../../support/many-transfers.ts';
import { openShop } from '../../support/shop.ts';

/** Bytes of a page: that of an ordinary payment has half of it. */
const MOST_BYTES = 80_000;

describe('pages of a payment with 20,000 transfers', () => {
  let harness: Harness;
  let ann: DeskPerson;
  let id: string;
  before(async () => {
    harness = await createHarness();
    const shop = await openShop(harness);
    id = await shop.create();
    await shop.pay(id, { amount: '3' });
    await shop.mine(20);
    harness.advance(86_400);
    await harness.work();
    await copyTransfers(harness, id);
    ann = await joinDesk(harness, 'ann@shop.example');
  });
  after(() => harness.close());

  const path = (rest = '') => `/dashboard/${harness.merchant.id}/payments/${id}${rest}`;

  it('show a hundred things of its timeline at the desk, and link to what is next', async () => {
    const { text } = await ann.get(path('?show=all'));
    expect(text.length).to.be.below(MOST_BYTES);
    const [, timeline = ''] = text.split('id="timeline"');
    expect(timeline.match(/<tr>/g)).to.have.lengthOf(101);
    const next = /href="([^"]*after=[^"]*)"/.exec(timeline)?.[1] ?? '';
    const then = (await ann.get(next.replaceAll('&#38;', '&'))).text.split('id="timeline"')[1] ?? '';
    expect(then.match(/<tr>/g)).to.have.lengthOf(101);
    expect(then).not.to.equal(timeline);
  });

  it('say before a refund that it sends the largest of them', async () => {
    const form = await ann.get(path('/refund'));
    expect(form.text).to.include('Left to refund: 12.99 USDC').and.include('sends the 1,000 largest');
    const shown = await ann.post(path('/refund/preview'), { to: 'address', address: `0x${'1'.repeat(40)}` });
    expect(shown.text).to.include('12.99 USDC').and.include('sends the 1,000 largest');
    for (const { text } of [form, shown]) expect(text.length).to.be.below(MOST_BYTES);
  });

  it('show the customer five of them', async () => {
    const [row] = await harness.ctx.db('payments').where({ id }).select<{ token_id: string }[]>('token_id');
    const { text } = await harness.api('get', `/checkout/${row?.token_id ?? ''}`, null).expect(200);
    expect(text.length).to.be.below(MOST_BYTES);
    expect(new Set(text.match(/0x[0-9a-f]{64}/g)).size).to.be.within(1, 5);
  });
});
