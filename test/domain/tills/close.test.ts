import { expect } from 'chai';
import type { Till } from '../../../src/domain/tills/till.ts';
import { hiddenField } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { makeTill, openTillBrowser, paymentsOf, type TillBrowser } from '../../support/tills.ts';

describe("a day's close", () => {
  let harness: Harness;
  let shop: Shop;
  let till: Till;
  let browser: TillBrowser;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    shop = await openShop(harness);
    till = await makeTill(harness);
    browser = await openTillBrowser(harness, till);
  });
  afterEach(() => harness.close());

  const sell = async (amount: string) => {
    const { location = '' } = await browser.sell(amount);
    const number = Number(location.split('/').at(-1));
    return (await paymentsOf(harness, till))[number - 1] ?? '';
  };
  const pay = async (...ids: string[]) => {
    for (const id of ids) await shop.pay(id);
    await shop.mine(64);
  };
  const close = (number: number, by = '') => browser.post('/till/close', { number: String(number), by });
  const totals = async () =>
    (await harness.ctx.db('till_closes').orderBy('number')) as {
      number: number;
      closed_by: string;
      totals: { count: number; prices: unknown[]; coins: unknown[]; refunds: unknown[] };
    }[];

  it('counts what was paid since the last one, by price and by coin, and says who closed and when', async () => {
    const [first, second] = [await sell('10'), await sell('2.50')];
    await browser.post('/till/sales/2/coin', { coin: 'BTC', network: 'bitcoin' });
    await sell('7');
    await shop.pay(first);
    await shop.pay(second);
    await shop.mine(64);
    await shop.mine(6, 'bitcoin');
    const { text } = await browser.get('/till/close');
    expect(text)
      .to.contain('12.50 EUR')
      .and.match(/Not counted, still open: <span[^>]*>1/);
    expect((await close(Number(hiddenField(text, 'number')), 'Ann')).location).to.equal('/till/closes/1');
    const [closed] = await totals();
    expect(closed).to.include({ number: 1, closed_by: 'Ann' });
    expect(closed?.totals).to.deep.include({
      count: 2,
      prices: [{ currency: 'EUR', count: 2, amount: '12.50' }],
      refunds: [],
    });
    const { pay_amount } = await shop.payment(first);
    expect(closed?.totals.coins).to.deep.include({ coin: 'USDC', network: 'ethereum', amount: pay_amount });
    expect(closed?.totals.coins).to.have.length(2);
    const page = (await browser.get('/till/closes/1')).text;
    expect(page).to.contain('on <bdi>Tablet</bdi>').and.contain('<bdi>Ann</bdi>').and.contain(first);
  });

  it('counts a payment that is paid late in the next one, and each in exactly one', async () => {
    const [first, late] = [await sell('1'), await sell('2')];
    await pay(first);
    await close(1);
    harness.advance(3_600);
    await harness.work();
    expect((await shop.payment(late)).status).to.equal('EXPIRED');
    await shop.send(late, {
      coin: 'USDC',
      network: 'ethereum',
      amount: (await shop.payment(late)).pay_amount,
    });
    await shop.mine(64);
    await browser.post('/till/open', { pin: '274953' });
    await close(2);
    await close(3);
    expect((await totals()).map((one) => one.totals.prices)).to.deep.equal([
      [{ currency: 'EUR', count: 1, amount: '1.00' }],
      [{ currency: 'EUR', count: 1, amount: '2.00' }],
      [],
    ]);
  });

  it('closes once where the form is sent twice, at once, and by two devices', async () => {
    await pay(await sell('1'));
    const other = await openTillBrowser(harness, till, 'Phone');
    const sent = await Promise.all([close(1), close(1), other.post('/till/close', { number: '1', by: '' })]);
    expect(sent.map(({ location }) => location)).to.deep.equal(Array(3).fill('/till/closes/1'));
    expect(await totals()).to.have.length(1);
    expect((await close(1)).location).to.equal('/till/closes/1');
    for (const number of ['0', '3', 'x', '-1']) {
      const answer = await browser.post('/till/close', { number, by: '' });
      expect(answer.status, number).to.equal(409);
    }
    expect(await totals()).to.have.length(1);
  });

  it('counts every payment once while payments settle and devices close at the same time', async () => {
    const ids: string[] = [];
    for (const amount of ['1', '2', '4', '8', '16', '32']) ids.push(await sell(amount));
    for (const id of ids) await shop.pay(id);
    let number = 0;
    const closing = async () => {
      for (let round = 0; round < 6; round += 1) {
        number += 1;
        await close(number);
      }
    };
    await Promise.all([closing(), shop.mine(64)]);
    await close(number + 1);
    const sums = (await totals()).flatMap(({ totals: { prices } }) => prices as { amount: string }[]);
    expect(sums.reduce((sum, { amount }) => sum + Number(amount), 0)).to.equal(63);
    expect((await totals()).reduce((sum, one) => sum + one.totals.count, 0)).to.equal(6);
  });

  it('says what of it was sent back by then, and keeps its numbers when more is later', async () => {
    const id = await sell('10');
    await pay(id);
    await shop.refund(id, { amount: '1' });
    await harness.work();
    await close(1);
    const [before] = await totals();
    expect(before?.totals.refunds).to.deep.equal([{ currency: 'USDC', amount: '1' }]);
    await shop.refund(id, { amount: '2' });
    await harness.work();
    expect((await totals())[0]).to.deep.equal(before);
  });

  it('gives up what nobody has paid for 35 days, and nothing else', async () => {
    await sell('1');
    await pay(await sell('2'));
    harness.advance(36 * 86_400);
    await harness.work();
    await browser.post('/till/open', { pin: '274953' });
    await sell('3');
    await close(1);
    const rows = (await harness.ctx.db('till_sales').orderBy('number')) as { close_number: number | null }[];
    expect(rows.map(({ close_number }) => close_number)).to.deep.equal([0, 1, null]);
    expect((await browser.get('/till/closes/0')).status).to.equal(404);
  });

  it('escapes what was typed, and keeps no control characters of it', async () => {
    await close(1, '<script>alert(1)</script>\u0000\u202e' + '𝄞'.repeat(80));
    const { text } = await browser.get('/till/closes/1');
    expect(text).to.contain('&#60;script&#62;').and.not.contain('<script>alert');
    expect((await totals())[0]?.closed_by).to.have.length.below(121);
  });
});
