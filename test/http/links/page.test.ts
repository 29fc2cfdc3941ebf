import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { suspendMerchant } from '../../../src/domain/merchants/suspend.ts';
import { allowEmbedding } from '../../support/embedding.ts';
import { hiddenField } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { buyByLink, createLink, openLink, pathOf, postLink, type Link } from '../../support/links.ts';
import { endPause, pauseMerchant } from '../../support/paused.ts';
import { openShop, type Shop } from '../../support/shop.ts';

describe('the page of a payment link', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    shop = await openShop(harness);
  });
  afterEach(() => harness.close());

  const payments = async () => (await harness.ctx.db('payments').orderBy('id')) as Record<string, unknown>[];
  /** Ids sort by time. */
  const buy = (link: Link, form: object = {}) => {
    harness.advance(1);
    return buyByLink(harness, link, form);
  };
  const read = async (id: string) =>
    (await harness.api('get', `/v1/links/${id}`)).body as Record<string, unknown>;

  it('shows what is sold, and its form creates a payment and leads to its checkout page', async () => {
    const link = await createLink(harness, { title: 'Tea & <b>cake</b>', description: 'For two' });
    const { text, nonce } = await openLink(harness, link);
    expect(text)
      .to.contain('Tea &#38; &#60;b&#62;cake&#60;/b&#62;')
      .and.contain('For two')
      .and.contain('Pay 10.50 USDC');
    expect(text).to.contain('This is a test payment').and.not.contain('<script');
    const { status, headers } = await postLink(harness, link, { nonce, price: '0' });
    expect(status).to.equal(303);
    const page = await harness.api('get', String(headers.location), null).expect(200);
    expect(page.text).to.contain('10.50 USDC');
    const [payment] = await payments();
    expect(payment).to.deep.include({
      order_id: link.id,
      link_id: link.id,
      pay_amount: '10.50',
      metadata: { link_id: link.id },
      cancel_url: link.url,
    });
    expect(await read(link.id)).to.include({ uses: 1 });
  });

  it('has a policy that runs no script of a text, sets no cookie and says nothing to other sites', async () => {
    const link = await createLink(harness);
    const { headers } = await harness.api('get', pathOf(link), null).expect(200);
    expect(headers).to.include({
      'referrer-policy': 'origin',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    });
    expect(headers['content-security-policy'])
      .to.contain("default-src 'none'")
      .and.contain("frame-ancestors 'none'");
    expect(headers).to.not.have.property('set-cookie');
  });

  it('creates one payment of a form that is sent twice, and two of two forms', async () => {
    const link = await createLink(harness, { stock: 2 });
    const { nonce } = await openLink(harness, link);
    const sent = await Promise.all([1, 2, 3].map(() => postLink(harness, link, { nonce, price: '0' })));
    expect(new Set(sent.map(({ headers }) => headers.location)).size).to.equal(1);
    expect(await payments()).to.have.length(1);
    expect(await read(link.id)).to.include({ uses: 1, stock_left: 1 });
    await buy(link);
    expect(await payments()).to.have.length(2);
  });

  it('leads the buyer of the last one to their payment, also by a second click', async () => {
    const link = await createLink(harness, { stock: 1 });
    const { nonce } = await openLink(harness, link);
    const [first, second] = await Promise.all(
      [1, 2].map(() => postLink(harness, link, { nonce, price: '0' })),
    );
    const third = await postLink(harness, link, { nonce, price: '0' });
    expect([second?.headers.location, third.headers.location]).to.deep.equal([
      first?.headers.location,
      first?.headers.location,
    ]);
    expect(first?.status).to.equal(303);
  });

  it('of two buyers of the last one tells one that it is sold', async () => {
    const link = await createLink(harness, { stock: 1 });
    const forms = await Promise.all([1, 2, 3, 4].map(() => openLink(harness, link)));
    const answers = await Promise.all(
      forms.map(({ nonce }) => postLink(harness, link, { nonce, price: '0' })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).to.deep.equal([303, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.text)
      .to.contain('Sold out')
      .and.contain('Tea');
    expect(await payments()).to.have.length(1);
    expect(await read(link.id)).to.include({ uses: 1, stock_left: 0, is_open: false });
    expect((await harness.api('get', pathOf(link), null).expect(200)).text).to.contain('Sold out');
  });

  it('sells an item again once its payment has expired, was cancelled or sent back', async () => {
    const link = await createLink(harness, { stock: 1, expiration_minutes: 5 });
    await buy(link);
    harness.advance(5 * 60);
    await harness.work();
    expect(await read(link.id)).to.include({ uses: 0, stock_left: 1 });
    await buy(link);
    const cancelled = String((await payments()).at(-1)?.id);
    await harness.api('post', `/v1/payment/${cancelled}/cancel`).expect(200);
    expect(await read(link.id)).to.include({ uses: 0, is_open: true });
    await buy(link);
    const paid = String((await payments()).at(-1)?.id);
    await shop.pay(paid);
    await harness.work();
    await shop.mine(12);
    expect(await shop.payment(paid)).to.include({ status: 'SETTLED' });
    harness.advance(24 * 3600);
    await harness.work();
    expect(await read(link.id)).to.include({ uses: 1, is_open: false });
    await shop.refund(paid);
    await harness.work();
    expect((await shop.payment(paid)).status).to.equal('REFUNDED');
    expect(await read(link.id)).to.include({ uses: 0, stock_left: 1 });
  });

  it('keeps an item from late money: that goes back', async () => {
    const link = await createLink(harness, { max_uses: 1, expiration_minutes: 5 });
    await buy(link);
    const late = String((await payments()).at(-1)?.id);
    harness.advance(6 * 60);
    await harness.work();
    expect(await buy(link)).to.be.a('string');
    await shop.pay(late);
    await harness.work();
    await shop.mine(12);
    expect((await shop.payment(late)).status).to.equal('REFUNDED');
    expect(await read(link.id)).to.include({ uses: 1 });
  });

  it('lets customers choose among several prices, or an amount within its bounds', async () => {
    const sizes = await createLink(harness, {
      prices: [
        { name: 'S', amount: '1' },
        { name: 'L', amount: '2.50' },
      ],
    });
    await buy(sizes, { price: '1' });
    const open = await createLink(harness, { open_amount: { min: '5', max: '500' } });
    await buy(open, { amount: '7.25' });
    const [large, donated] = await payments();
    expect(large).to.deep.include({
      pay_amount: '2.50',
      order_description: 'Tea: L',
      metadata: { link_id: sizes.id, option: 'L' },
    });
    expect(donated).to.include({ pay_amount: '7.25' });
    for (const amount of ['4.99', '500.01', '-6', '1e2', '', '7.25 '.repeat(50)]) {
      const { nonce } = await openLink(harness, open);
      const { status, text } = await postLink(harness, open, { nonce, amount });
      expect([status, text.includes('Please check what you have entered')], amount).to.deep.equal([
        400,
        true,
      ]);
    }
    for (const price of ['2', '-1', 'constructor', '', ' 0', '0x0', '1e0'])
      expect(await buy(sizes, { price }), price).to.equal(null);
    expect(await payments()).to.have.length(2);
  });

  it('takes a price in money, converted when the payment is created', async () => {
    const link = await createLink(harness, { prices: [{ amount: '11.40' }], price_currency: 'EUR' });
    expect((await openLink(harness, link)).text).to.contain('11.40 EUR');
    await buy(link);
    const [payment] = await payments();
    expect(payment?.price).to.include({ amount: '11.40', currency: 'EUR' });
  });

  it("asks the shop's questions, and keeps the answers in the payment's metadata", async () => {
    const fields = [
      { key: 'name', label: 'Your <name>', required: true, max_length: 10 },
      { key: 'note', label: 'Note' },
    ];
    const link = await createLink(harness, { fields });
    const { text } = await openLink(harness, link);
    expect(text).to.contain('Your &#60;name&#62;').and.contain('(optional)');
    await buy(link, { field_name: ' Åsa "x" ', field_note: '', field_other: 'no' });
    expect((await payments())[0]?.metadata).to.deep.equal({ link_id: link.id, name: 'Åsa "x"' });
    for (const field_name of ['', '12345678901', 'a\0b']) {
      const { nonce } = await openLink(harness, link);
      const answer = await postLink(harness, link, {
        nonce,
        price: '0',
        field_name,
        field_note: '"><script>',
      });
      expect(answer.status, JSON.stringify(field_name)).to.equal(400);
      expect(answer.text).to.contain('&#34;&#62;&#60;script&#62;').and.not.contain('<script');
    }
    expect(await payments()).to.have.length(1);
  });

  it('thanks with its own text, or leads to the URL of the shop', async () => {
    const thanked = await createLink(harness, { thank_you: 'See <you> soon' });
    const led = await createLink(harness, { success_url: 'https://shop.example/thanks' });
    for (const link of [thanked, led]) await buy(link);
    expect((await payments()).map(({ success_url }) => success_url)).to.deep.equal([
      `${thanked.url}/thanks`,
      'https://shop.example/thanks',
    ]);
    const { text } = await harness.api('get', `${pathOf(thanked)}/thanks`, null).expect(200);
    expect(text).to.contain('See &#60;you&#62; soon').and.contain('Thank you!').and.not.contain('<form');
    await harness.api('get', `${pathOf(led)}/thanks`, null).expect(404);
  });

  it('says that it is over once it was archived, has ended, or its merchant is suspended', async () => {
    const archived = await createLink(harness);
    const ended = await createLink(harness, { expires_at: new Date(harness.ctx.now().getTime() + 60_000) });
    const suspended = await createLink(harness);
    const links = [archived, ended, suspended];
    const nonces = await Promise.all(links.map(async (link) => (await openLink(harness, link)).nonce));
    await harness.api('post', `/v1/links/${archived.id}/archive`).expect(200);
    harness.advance(60);
    await suspendMerchant(harness.ctx.db, harness.merchant.id, harness.ctx.now(), null);
    for (const [at, link] of links.entries()) {
      const { text } = await openLink(harness, link);
      expect(text).to.contain('No more payments are taken here').and.not.contain('<form');
      const answer = await postLink(harness, link, { nonce: nonces[at], price: '0' });
      expect([answer.status, answer.text.includes('No more payments')]).to.deep.equal([409, true]);
    }
    expect(await payments()).to.have.length(0);
  });

  it('is not found by another token, and takes no form of another site, or without its nonce', async () => {
    const link = await createLink(harness);
    const { nonce } = await openLink(harness, link);
    await harness.api('get', `/l/${'x'.repeat(32)}`, null).expect(404);
    await harness.api('get', '/l/%00', null).expect(404);
    await postLink(harness, link, { nonce, price: '0' }).set('Sec-Fetch-Site', 'cross-site').expect(403);
    await postLink(harness, link, { price: '0' }).expect(400);
    await postLink(harness, link, { nonce: 'a', price: '0' }).expect(400);
    expect(await payments()).to.have.length(0);
  });

  it('takes the longest answers that it asks for, in every script', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const fields = keys.map((key) => ({ key, label: key, max_length: 500 }));
    const link = await createLink(harness, { fields });
    const answers = Object.fromEntries(keys.map((key) => [`field_${key}`, '住'.repeat(500)]));
    expect(await buy(link, answers)).to.be.a('string');
    expect((await payments())[0]?.metadata).to.include({ a: '住'.repeat(500), e: '住'.repeat(500) });
  });

  it('lets one address hold three items without paying, of a form that is sent again too', async () => {
    const limited = await createHarness({ RATE_LIMIT_SCALE: '1', SIMULATOR_BLOCK_SECONDS: '1' });
    try {
      const own = await openShop(limited);
      const link = await createLink(limited, { stock: 10 });
      const { nonce } = await openLink(limited, link);
      const form = { nonce, price: '0' };
      expect((await postLink(limited, link, form)).status).to.equal(303);
      const others = await Promise.all([1, 2, 3, 4].map(() => openLink(limited, link)));
      const sent = await Promise.all(
        others.map((other) => postLink(limited, link, { nonce: other.nonce, price: '0' })),
      );
      expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([303, 303, 429, 429]);
      expect((await postLink(limited, link, form)).status, 'again').to.equal(303);
      const read = async () => (await limited.api('get', `/v1/links/${link.id}`)).body as object;
      expect(await read()).to.include({ uses: 3, stock_left: 7 });
      const paid = (await limited.ctx.db('payments').first('id')) as { id: string };
      await own.pay(paid.id);
      await own.mine(12);
      expect(await buyByLink(limited, link), 'once one is paid').to.be.a('string');
      const free = await createLink(limited);
      expect(await buyByLink(limited, free)).to.be.a('string');
      expect(await limited.ctx.db('link_holds').where({ link_id: free.id })).to.deep.equal([]);
    } finally {
      await limited.close();
    }
  });

  it('is shown in a frame of the origins that its merchant allows, and tells them that it is there', async () => {
    const link = await createLink(harness);
    const policyOf = async () =>
      String((await harness.api('get', pathOf(link), null).expect(200)).headers['content-security-policy']);
    expect(await policyOf()).to.contain("frame-ancestors 'none'");
    await allowEmbedding(harness, harness.merchant.id, ['https://shop.example']);
    expect(await policyOf()).to.contain('frame-ancestors https://shop.example');
    const { text } = await openLink(harness, link);
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
    expect(script).to.contain('checkout.shown');
    const hash = createHash('sha256').update(script).digest('base64');
    expect(await policyOf()).to.contain(`'sha256-${hash}'`);
  });

  it('limits the payments of one address', async () => {
    const limited = await createHarness({ RATE_LIMIT_SCALE: '1' });
    try {
      const link = await createLink(limited);
      const statuses: number[] = [];
      for (let click = 0; click < 11; click += 1) {
        const nonce = String(click).padStart(32, '0');
        statuses.push((await postLink(limited, link, { nonce, price: '0' })).status);
      }
      expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 303), 429]);
    } finally {
      await limited.close();
    }
  });

  it('of a live merchant whose network nobody serves says that it cannot be paid now, and holds nothing', async () => {
    const { apiKey } = await harness.addMerchant({ mode: 'live' });
    const link = await createLink(harness, { stock: 1 }, apiKey);
    const { text, nonce } = await openLink(harness, link);
    expect(text).to.not.contain('This is a test payment');
    const { status, headers } = await postLink(harness, link, { nonce, price: '0' });
    expect([status, headers['retry-after']]).to.deep.equal([503, '5']);
    const { body } = await harness.api('get', `/v1/links/${link.id}`, apiKey).expect(200);
    expect(body).to.include({ uses: 0, stock_left: 1 });
    expect(await payments()).to.have.length(0);
  });

  it('keeps what was entered while its merchant is being moved, and buys it once they can be paid', async () => {
    const moving = await createHarness();
    try {
      const open_amount = { min: '1', max: '9' };
      const fields = [{ key: 'size', label: 'Size', required: true, max_length: 20 }];
      const link = await createLink(moving, { prices: undefined, open_amount, fields });
      const { nonce } = await openLink(moving, link);
      await pauseMerchant(moving);
      const entered = { nonce, amount: '4', field_size: 'M' };
      const { status, headers, text } = await postLink(moving, link, entered);
      expect([status, headers['retry-after']]).to.deep.equal([503, '5']);
      expect(text).to.include('nothing was bought').and.include('value="4"').and.include('value="M"');
      expect(hiddenField(text, 'nonce')).to.equal(nonce);
      await endPause(moving);
      expect((await postLink(moving, link, entered)).status).to.equal(303);
    } finally {
      await moving.close();
    }
  });

  it('has an image code of its address, as SVG and as PNG', async () => {
    const link = await createLink(harness);
    const svg = await harness.api('get', `${pathOf(link)}/code.svg`, null).expect(200);
    expect(svg.headers['content-type']).to.match(/^image\/svg\+xml/);
    expect(String(svg.body)).to.match(/^<svg /);
    const image = await harness.api('get', `${pathOf(link)}/code.png`, null).expect(200);
    expect(image.headers['content-type']).to.equal('image/png');
    expect((image.body as Buffer).subarray(1, 4).toString()).to.equal('PNG');
    await harness.api('get', `/l/${'x'.repeat(32)}/code.png`, null).expect(404);
  });
});
