import { expect } from 'chai';
import { hiddenField, openBrowser } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { endPause, pauseMerchant } from '../../support/paused.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import {
  makeTill,
  openTillBrowser,
  pairBrowser,
  pairingOf,
  paymentsOf,
  PIN,
  type TillBrowser,
} from '../../support/tills.ts';
import { liveChainKey } from '../../../src/domain/chain/chain-key.ts';
import type { Till } from '../../../src/domain/tills/till.ts';

describe('a till', () => {
  let harness: Harness;
  let shop: Shop;
  let till: Till;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    shop = await openShop(harness);
    till = await makeTill(harness);
  });
  afterEach(() => harness.close());

  const payment = async (id: string) =>
    (await harness.api('get', `/v1/payment/${id}`)).body as Record<string, unknown>;
  const pay = async (id: string) => {
    await shop.pay(id);
    await shop.mine(64);
  };

  it('pairs a device by a link, opens it by the PIN, sells, shows the code, and says that it was paid', async () => {
    const browser = openBrowser(harness);
    const link = await pairingOf(harness, till);
    expect((await browser.get(link)).text)
      .to.contain('Counter 1')
      .and.contain('Make it the till');
    const paired = await browser.post(link);
    expect([paired.status, paired.location]).to.deep.equal([303, '/till']);
    expect((await browser.get('/till')).text)
      .to.contain('PIN of this till')
      .and.not.contain('name="amount"');
    expect((await browser.post('/till/open', { pin: PIN })).location).to.equal('/till');
    const { text } = await browser.get('/till');
    expect(text).to.contain('Amount in EUR').and.contain('This is a test payment');
    const sold = await browser.post('/till/sales', { amount: '12,5', nonce: hiddenField(text, 'nonce') });
    expect([sold.status, sold.location]).to.deep.equal([303, '/till/sales/1']);
    const [id = ''] = await paymentsOf(harness, till);
    expect(await payment(id)).to.deep.include({
      order_id: `${till.id}-1`,
      metadata: { till_id: till.id, till: 'Counter 1', sale: '1' },
      status: 'WAITING',
    });
    expect((await payment(id)).price).to.include({ amount: '12.50', currency: 'EUR' });
    const page = (await browser.get('/till/sales/1')).text;
    expect(page)
      .to.contain('Sale 1: 12.50 EUR')
      .and.contain('id="code-full"')
      .and.contain('data-paid="false"');
    expect(page).to.contain('14.25 USDC');
    await pay(id);
    const paid = (await browser.get('/till/sales/1')).text;
    expect(paid).to.contain('data-paid="true"').and.contain('class="tick"').and.not.contain('id="code-full"');
    expect((await browser.get('/till')).text)
      .to.contain('12.50 EUR')
      .and.contain('data-paid="true"');
  });

  it('says that money was seen, and not that it is paid, while it can still be lost', async () => {
    const browser = await openTillBrowser(harness, till);
    await browser.sell('3');
    const [id = ''] = await paymentsOf(harness, till);
    await shop.pay(id);
    await shop.mine(1);
    const { text } = await browser.get('/till/sales/1');
    expect(text).to.contain('Money seen, not certain yet').and.contain('1 of ');
    expect(text).to.contain('data-paid="false"').and.not.contain('class="tick"');
  });

  it('makes one sale of a form that is sent again, at once and a day later, and another of another form', async () => {
    const browser = await openTillBrowser(harness, till);
    const nonce = hiddenField((await browser.get('/till')).text, 'nonce');
    const sent = await Promise.all([1, 2, 3].map(() => browser.sell('4.20', nonce)));
    expect(sent.map(({ location }) => location)).to.deep.equal(Array(3).fill('/till/sales/1'));
    harness.advance(2 * 86_400);
    await browser.post('/till/open', { pin: PIN });
    expect((await browser.sell('4.20', nonce)).location).to.equal('/till/sales/1');
    expect(await paymentsOf(harness, till)).to.have.length(1);
    expect(await harness.ctx.db('payments').select()).to.have.length(1);
    expect((await browser.sell('4.20')).location).to.equal('/till/sales/2');
    const used = await browser.sell('5', nonce);
    expect(used.status).to.equal(409);
    expect(hiddenField(used.text, 'nonce')).to.not.equal(nonce);
  });

  it('asks again under the same number where no payment could be made, and then makes one', async () => {
    const browser = await openTillBrowser(harness, till);
    const nonce = hiddenField((await browser.get('/till')).text, 'nonce');
    const { adapters } = harness;
    const currencies = adapters.currencies;
    Object.assign(adapters, { currencies: () => Promise.resolve(new Map()) });
    const refused = await browser.sell('4', nonce);
    expect(refused.status).to.equal(503);
    expect(hiddenField(refused.text, 'nonce')).to.equal(nonce);
    expect((await browser.get('/till/sales/1')).text).to.contain('The payment could not be made');
    Object.assign(adapters, { currencies });
    expect((await browser.sell('4', nonce)).location).to.equal('/till/sales/1');
    expect(await paymentsOf(harness, till)).to.have.length(1);
  });

  it('keeps what was typed while its merchant is being moved', async () => {
    const browser = await openTillBrowser(harness, till);
    const nonce = hiddenField((await browser.get('/till')).text, 'nonce');
    await pauseMerchant(harness);
    const refused = await browser.sell('4', nonce);
    expect(refused.status).to.equal(503);
    expect(refused.text).to.include('Nothing was sold').and.include('value="4"');
    expect(hiddenField(refused.text, 'nonce')).to.equal(nonce);
    await endPause(harness);
    expect((await browser.sell('4', nonce)).location).to.equal('/till/sales/1');
  });

  for (const amount of ['', '0', '0.00', '-1', '1e3', '1.234', '1,000.00', 'ten', '1 000', '9'.repeat(19)])
    it(`refuses ${JSON.stringify(amount)} in euros, and sells nothing`, async () => {
      const browser = await openTillBrowser(harness, till);
      expect((await browser.sell(amount)).status).to.equal(400);
      expect(await harness.ctx.db('payments').select()).to.deep.equal([]);
    });

  for (const priceCurrency of ['KWD', null] as const)
    it(`does not guess whether 1,000 is a thousand in ${priceCurrency ?? 'the settlement coin'}`, async () => {
      const own = await makeTill(harness, { priceCurrency });
      const browser = await openTillBrowser(harness, own);
      const refused = await browser.sell('1,000');
      expect([refused.status, refused.text.includes('nothing between thousands')]).to.deep.equal([400, true]);
      expect((await browser.sell('0,125')).status).to.equal(303);
      expect((await browser.sell('1.125')).status).to.equal(303);
      expect(await paymentsOf(harness, own)).to.have.length(2);
    });

  for (const [priceCurrency, typed, amount] of [
    ['JPY', '0500', '500'],
    ['KWD', '1,25', '1.250'],
    [null, '1.2345', '1.2345'],
  ] as const)
    it(`writes ${typed} as ${amount} in ${priceCurrency ?? 'the settlement coin'}`, async () => {
      const own = await makeTill(harness, { priceCurrency });
      const browser = await openTillBrowser(harness, own);
      await browser.sell(typed);
      const [id = ''] = await paymentsOf(harness, own);
      const { price, pay_amount } = await payment(id);
      expect((price as { amount: string } | null)?.amount ?? pay_amount).to.equal(amount);
    });

  it('changes the coin, and offers those of the till alone', async () => {
    const methods = [
      { coin: 'USDC', network: 'ethereum' },
      { coin: 'BTC', network: 'bitcoin' },
    ] as const;
    const own = await makeTill(harness, { methods });
    const browser = await openTillBrowser(harness, own);
    await browser.sell('10');
    const { text } = await browser.get('/till/sales/1');
    expect(text).to.contain('value="BTC"').and.not.contain('value="SOL"');
    const chosen = await browser.post('/till/sales/1/coin', { coin: 'BTC', network: 'bitcoin' });
    expect(chosen.location).to.equal('/till/sales/1');
    expect((await browser.get('/till/sales/1')).text).to.match(/\d BTC/);
    expect((await browser.post('/till/sales/1/coin', { coin: 'SOL', network: 'solana' })).status).to.equal(
      404,
    );
  });

  it('cancels an open sale, and not one that money has come for', async () => {
    const browser = await openTillBrowser(harness, till);
    await browser.sell('1');
    await browser.sell('2');
    const [first = '', second = ''] = await paymentsOf(harness, till);
    expect((await browser.post('/till/sales/1/cancel')).location).to.equal('/till/sales/1');
    expect(await payment(first)).to.include({ status: 'EXPIRED' });
    expect((await browser.get('/till/sales/1')).text).to.contain('Cancelled');
    await shop.pay(second);
    const refused = await browser.post('/till/sales/2/cancel');
    expect([refused.status, refused.text]).to.satisfy(
      ([status, text]: [number, string]) => status === 409 && text.includes('It was not cancelled'),
    );
    expect((await payment(second)).status).to.equal('PENDING');
  });

  it('says of money that came too late that it has not paid, and not that it was too little', async () => {
    const browser = await openTillBrowser(harness, till);
    await browser.sell('2');
    const [id = ''] = await paymentsOf(harness, till);
    harness.advance(26 * 3_600);
    await harness.work();
    await shop.send(id, {
      coin: 'USDC',
      network: 'ethereum',
      amount: (await shop.payment(id)).pay_amount,
    });
    await shop.mine(64);
    await browser.post('/till/open', { pin: PIN });
    for (const path of ['/till', '/till/sales/1']) {
      const { text } = await browser.get(path);
      expect(text, path).to.contain('Not paid, money came').and.not.contain('Too little came');
    }
  });

  it('says that it does not know whether money has come while nobody reads the network', async () => {
    const UNREAD = 'The service does not read';
    const browser = await openTillBrowser(harness, till);
    await browser.sell('2');
    expect((await browser.get('/till/sales/1')).text).to.not.contain(UNREAD);
    Object.assign(harness.adapters, { isSimulated: false });
    expect((await browser.get('/till/sales/1')).text)
      .to.contain(UNREAD)
      .and.contain('Waiting for the money');
    const now = harness.ctx.now();
    await harness.ctx
      .db('chain_cursors')
      .insert({ chain: liveChainKey('ethereum'), head: 1, scanned_until: now, read_at: now });
    expect((await browser.get('/till/sales/1')).text).to.not.contain(UNREAD);
    harness.advance(900);
    expect((await browser.get('/till/sales/1')).text).to.contain(UNREAD);
    await browser.post('/till/sales/1/cancel');
    expect((await browser.get('/till/sales/1')).text).to.not.contain(UNREAD);
  });

  it('sells nothing of a suspended shop', async () => {
    const browser = await openTillBrowser(harness, till);
    await harness.ctx.db('merchants').update({ suspended_at: harness.ctx.now() });
    expect((await browser.sell('1')).status).to.equal(403);
    expect(await harness.ctx.db('till_sales').select()).to.deep.equal([]);
  });

  it('of a live shop says no TEST, and looks different', async () => {
    const live = await harness.addMerchant({ name: 'Live shop', mode: 'live' });
    const browser = await openTillBrowser(harness, await makeTill(harness, { merchantId: live.id }));
    const { text } = await browser.get('/till');
    expect(text).to.contain('class="till live').and.not.contain('TEST');
    const test: TillBrowser = await openTillBrowser(harness, till);
    expect((await test.get('/till')).text)
      .to.contain('class="till test')
      .and.contain('[TEST]');
  });

  it('several of a shop sell at once, each with its own numbers', async () => {
    const other = await makeTill(harness, { name: 'Counter 2' });
    const browsers = [
      await openTillBrowser(harness, till),
      await openTillBrowser(harness, till, 'Phone'),
      await openTillBrowser(harness, other),
    ];
    const sold = await Promise.all(browsers.map((browser) => browser.sell('1')));
    expect(sold.map(({ status }) => status)).to.deep.equal([303, 303, 303]);
    expect(await paymentsOf(harness, till)).to.have.length(2);
    expect(await paymentsOf(harness, other)).to.have.length(1);
    const [, , third] = browsers;
    expect((await third?.get('/till/sales/2'))?.status).to.equal(404);
  });

  it('of a browser that is none shows nothing but how to become one', async () => {
    for (const path of ['/till', '/till/sales/1', '/till/close', '/till/closes/1']) {
      const answer = await openBrowser(harness).get(path);
      expect([answer.status, answer.text.includes('This device is no till')], path).to.deep.equal([
        403,
        true,
      ]);
    }
    expect((await pairBrowser(harness, till)).cookies.size).to.equal(1);
  });
});
