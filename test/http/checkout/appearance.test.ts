import { createHash } from 'node:crypto';
import { expect } from 'chai';
import supertest from 'supertest';
import { accentOf } from '../../../src/domain/checkout/markup/accent.ts';
import { ALL_LANGUAGES } from '../../../src/domain/languages/languages.ts';
import { addressIn, CHECKOUT_STATES, paymentIn } from '../../support/checkout.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { logo } from '../../support/images.ts';

const HUMAN = 'Mozilla/5.0';

describe("a merchant's appearance on the checkout page", () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.ctx.db('merchant_faces').delete());
  after(() => harness.close());

  const choose = async (choices: object) => {
    await harness.api('put', '/v1/checkout/appearance').send(choices).expect(200);
  };
  const open = (token: string, query = '') =>
    supertest(harness.app).get(`/checkout/${token}${query}`).set('User-Agent', HUMAN);
  const pageIn = async (state: string, fields: object = {}, query = '') => {
    const payment = await paymentIn(harness, state, fields);
    const { text, headers } = await open(payment.token_id, query).expect(200);
    return { payment, text, headers };
  };
  const methodsIn = (text: string) =>
    [
      ...text.matchAll(
        /name="coin" value="(\w+)"\s*\/?><input\s+type="hidden"\s+name="network"\s+value="(\w+)"/g,
      ),
    ].map(([, coin, network]) => `${coin} ${network}`);
  const columnsOf = (id: string) =>
    harness.ctx.db('payments').where({ id }).first('coin', 'network', 'address', 'sequence');

  it('has the name that they chose, in heading, title and texts', async () => {
    await choose({ name: '<b>Ōtsuka & Sons' });
    const { text } = await pageIn('settled');
    const name = '&#60;b&#62;Ōtsuka &#38; Sons';
    expect(text).to.include(`<h1 dir="auto">${name}</h1>`);
    expect(text).to.match(new RegExp(`<title>[^<]*Payment to ${name}</title>`));
    expect(text).to.include(`<bdi>${name}</bdi> has your payment`).and.not.include('>Shop<');
  });

  it('has the accent colour in both schemes, in a style that the policy allows by its hash alone', async () => {
    await choose({ accent_color: '#ffee00' });
    const { text, headers } = await pageIn('waiting');
    const { light, dark } = accentOf('#ffee00');
    const [, style = ''] = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, content]) => content);
    for (const accent of [light, dark])
      expect(style, 'as it is on buttons').to.include(
        `--accent:${accent};--brand:#ffee00;--on-brand:#000000`,
      );
    const policy = String(headers['content-security-policy']);
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy)
      .to.match(/style-src 'sha256-[^']+' 'sha256-[^']+' 'sha256-[^']+';/)
      .and.include(`'sha256-${hash}'`);
    expect(policy).to.include("img-src 'self'").and.not.include('unsafe');
    await choose({});
    const plain = await pageIn('waiting');
    expect(plain.text.match(/<style>/g)).to.have.length(1);
    expect(plain.headers['content-security-policy']).to.match(/style-src 'sha256-[^']+' 'sha256-[^']+';/);
  });

  it('shows the logo with its size, which is also the icon', async () => {
    const { body } = await harness
      .api('put', '/v1/checkout/logo')
      .set('Content-Type', 'image/png')
      .send(await logo(400, 100));
    const { pathname } = new URL(body.logo.url as string);
    const { text } = await pageIn('waiting');
    expect(text).to.match(
      new RegExp(`<img\\s+class="logo broad"\\s+src="${pathname}"\\s+width="160"\\s+height="40"\\s+alt=""`),
    );
    expect(text).to.include(`<link rel="icon" href="${pathname}">`);
  });

  it('has an icon of its own without one, for browsers that name it or not', async () => {
    const { text } = await pageIn('waiting');
    const path = /<link rel="icon" href="([^"]+)">/.exec(text)?.[1] ?? '';
    for (const [url, kept] of [
      [path, 'public, max-age=31536000, immutable'],
      ['/favicon.ico', 'public, max-age=86400'],
    ] as const) {
      const { status, headers } = await supertest(harness.app).get(url);
      expect([status, headers['content-type'], headers['cache-control']], url).to.deep.equal([
        200,
        'image/svg+xml; charset=utf-8',
        kept,
      ]);
      expect(Number(headers['content-length'])).to.be.below(500);
    }
  });

  it('shows a symbol of every coin and network, from one image', async () => {
    const { text } = await pageIn('waiting');
    const named = [...text.matchAll(/class="symbol"\s+src="([^"#]+)#(\w+)"/g)];
    expect(new Set(named.map(([, path]) => path)).size).to.equal(1);
    const { text: image } = await supertest(harness.app)
      .get(named[0]?.[1] ?? '')
      .buffer(true)
      .parse((response, done) => {
        let content = '';
        response.on('data', (part: Buffer) => (content += part.toString()));
        response.on('end', () => done(null, content));
      })
      .then(({ body }) => ({ text: body as string }));
    for (const [, , id] of named) expect(image).to.include(`<view id="${id}"`);
    expect(named.length).to.be.at.least(9);
  });

  it('shows the price in the display currency too, as the language writes it, and nowhere near the amount', async () => {
    await choose({ display_currency: 'EUR' });
    const { text } = await pageIn('waiting', { pay_amount: '1234.50' }, '?lang=de');
    const about =
      /<span class="about small"\s*>(.*?)<\/span\s*>\s*<\/span>\s*<span class="description"/s.exec(
        text,
      )?.[1] ?? '';
    expect(about.replaceAll(/<[^>]+>/g, '')).to.equal('etwa≈ 1.082,90 EUR');
    expect(text.match(/\bEUR\b/g)).to.have.length(1);
    await choose({ display_currency: 'JPY' });
    expect((await pageIn('waiting')).text).to.match(/≈ <\/span>1,591 JPY/);
    expect((await pageIn('waiting', { pay_amount: '0.001' })).text).to.not.include('≈');
  });

  it('is shown without that price when there are no rates, in every language', async () => {
    await choose({ display_currency: 'EUR' });
    const fails = () => Promise.reject(new Error('no rates'));
    const { createApp } = await import('../../../src/http/app.ts');
    const { ctx, adapters, sandbox, health } = harness;
    const app = createApp(ctx, {
      redis: null,
      admin: null,
      sandbox,
      health,
      adapters: { ...adapters, currencies: fails },
    });
    const { token_id } = await paymentIn(harness, 'waiting');
    for (const { id } of ALL_LANGUAGES) {
      const { text, status } = await supertest(app).get(`/checkout/${token_id}?lang=${id}`);
      expect([status, text.includes('≈')]).to.deep.equal([200, false]);
    }
  });

  describe('with the methods that they offer', () => {
    const METHODS = [
      { coin: 'USDT', network: 'tron' },
      { coin: 'BTC', network: 'bitcoin' },
      { coin: 'USDC', network: 'ethereum' },
      { coin: 'USDT', network: 'ethereum' },
    ];

    it('shows these alone, in their order', async () => {
      await choose({ methods: METHODS });
      const { text } = await pageIn('waiting');
      expect(methodsIn(text)).to.deep.equal([
        'USDT ethereum',
        'BTC bitcoin',
        'USDC ethereum',
        'USDC ethereum',
      ]);
      expect(addressIn(text)).to.match(/^0x/);
    });

    it('refuses any other, and takes those', async () => {
      await choose({ methods: METHODS });
      const { payment } = await pageIn('waiting');
      const before = await columnsOf(payment.id);
      const select = (coin: string, network: string) =>
        supertest(harness.app)
          .post(`/checkout/${payment.token_id}/coin`)
          .type('form')
          .send({ coin, network });
      for (const [coin, network] of [
        ['ETH', 'ethereum'],
        ['USDT', 'polygon'],
      ] as const) {
        const { text } = await select(coin, network).expect(400);
        expect(text).to.include('That cannot be chosen');
      }
      expect(await columnsOf(payment.id)).to.deep.equal(before);
      await select('USDT', 'tron').expect(303);
      expect((await columnsOf(payment.id)).coin).to.equal('USDT');
    });

    for (const { id: language } of ALL_LANGUAGES)
      it(`${language}: shows no address before the choice when the settlement coin is none of them`, async () => {
        const methods = METHODS.filter(({ coin }) => coin !== 'USDC');
        await choose({ methods });
        const { payment, text } = await pageIn('waiting', {}, `?lang=${language}`);
        expect(methodsIn(text)).to.deep.equal(methods.map(({ coin, network }) => `${coin} ${network}`));
        const { address } = await columnsOf(payment.id);
        expect(text.toLowerCase()).to.not.include(String(address).toLowerCase());
        expect(text).to.not.match(/id="(amount|address|wallet|show-code)"|class="qr |ethereum:0x/);
        expect(text).to.include('class="deadline"');
        await supertest(harness.app)
          .post(`/checkout/${payment.token_id}/coin`)
          .type('form')
          .send(methods[1])
          .expect(303);
        const { text: chosen } = await open(payment.token_id, `?lang=${language}`);
        expect(addressIn(chosen)).to.match(/^tb1/);
      });

    it('asks for the rest in the coin that came, offered or not', async () => {
      await choose({ methods: METHODS.slice(0, 2) });
      const { text } = await pageIn('underpaid');
      expect(addressIn(text)).to.match(/^0x/);
      expect(text).to.include('Still to send');
    });

    it('has chosen the only one when a person opens the page, and asks nobody else', async () => {
      await choose({ methods: METHODS.slice(1, 2) });
      const payment = await paymentIn(harness, 'waiting');
      const bot = await supertest(harness.app)
        .get(`/checkout/${payment.token_id}`)
        .set('User-Agent', 'Slackbot');
      expect(methodsIn(bot.text)).to.deep.equal(['BTC bitcoin']);
      expect((await columnsOf(payment.id)).coin).to.equal('USDC');
      const { text } = await open(payment.token_id).expect(200);
      expect(addressIn(text)).to.match(/^tb1/);
      expect(methodsIn(text), 'nothing else to choose').to.deep.equal([]);
      expect(text).to.include('<p class="method">');
    });

    it('shows one button for the only one while there are no rates', async () => {
      await choose({ methods: METHODS.slice(1, 2) });
      const { createApp } = await import('../../../src/http/app.ts');
      const { ctx, adapters, sandbox, health } = harness;
      const rates = () => Promise.reject(new Error('no rates'));
      const app = createApp(ctx, {
        redis: null,
        admin: null,
        sandbox,
        health,
        adapters: { ...adapters, rates },
      });
      const { token_id } = await paymentIn(harness, 'waiting');
      const { text, status } = await supertest(app).get(`/checkout/${token_id}`).set('User-Agent', HUMAN);
      expect([status, methodsIn(text)]).to.deep.equal([200, ['BTC bitcoin']]);
    });

    it('says that nothing can be paid where the time to choose is over', async () => {
      await choose({ methods: METHODS.slice(0, 2) });
      const payment = await paymentIn(harness, 'waiting', { expiration_minutes: 5 });
      harness.advance(301);
      const { text } = await open(payment.token_id);
      expect(text)
        .to.include('The time to pay is over')
        .and.not.match(/id="address"|name="coin"/);
    });

    it('changes the version of pages that are open', async () => {
      const { payment } = await pageIn('waiting');
      const version = async () =>
        (await supertest(harness.app).get(`/checkout/${payment.token_id}/status`)).body.version as string;
      const before = await version();
      expect(await version()).to.equal(before);
      await choose({ methods: METHODS });
      expect(await version()).to.not.equal(before);
    });
  });

  describe('with a support link', () => {
    const FINAL = Object.keys(CHECKOUT_STATES).filter((state) => state !== 'waiting');
    for (const state of FINAL)
      it(`${state}: leads there`, async () => {
        await choose({ support_url: 'https://shop.example/help?a=1&b=2' });
        const { text } = await pageIn(state);
        expect(text).to.match(
          /<a class="button ?\w*\s*" id="contact" target="_top" href="https:\/\/shop\.example\/help\?a=1&#38;b=2"/,
        );
        expect(text).to.include('Contact <bdi>Shop</bdi>');
        expect(text.match(/id="(contact|success|cancel|help)"/g)?.length).to.equal(
          new Set(text.match(/id="(contact|success|cancel|help)"/g)).size,
        );
      });

    it('is the main step where there is no other, and names the order in a mail', async () => {
      await choose({ support_url: 'mailto:help@shop.example' });
      const { text } = await pageIn('replaced', { cancel_url: undefined, order_id: 'A 7&b' });
      expect(text).to.include(
        '<a class="button main" id="contact" target="_top" href="mailto:help@shop.example?subject=A%207%26b"',
      );
    });

    it('links to nothing else, whatever the row holds', async () => {
      await choose({ support_url: 'https://shop.example/', accent_color: '#123456' });
      await harness.ctx
        .db('merchant_faces')
        .update({ support_url: 'javascript:alert(1)', accent_color: '#123;}p{color:red' });
      const { text } = await pageIn('failed');
      expect(text).to.not.match(/javascript:|id="contact"|#123;/);
    });
  });
});
