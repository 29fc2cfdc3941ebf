import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { addressIn } from '../../support/checkout.ts';
import { createPayment, pay, send, type Answer, type Listening } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { servedHarness } from '../../support/served-harness.ts';

const MARKUP = `</title></style><script>alert(1)</script><img src=x onerror="alert(2)"> & ' " <!-- ]]> \${1}`;
const ESCAPED =
  '&#60;/title&#62;&#60;/style&#62;&#60;script&#62;alert(1)&#60;/script&#62;' +
  '&#60;img src=x onerror=&#34;alert(2)&#34;&#62; ' +
  '&#38; &#39; &#34; &#60;!-- ]]&#62; ${1}';
/** Changes the direction of what follows, until the end of its paragraph. */
const OVERRIDE = '\u202egnp.exe\u2066';

/** The only images that a page has: of coins and networks, from one address of ours, and its codes. */
const OWN_IMAGE =
  /<img\s+class="(?:symbol"\s+src="\/checkout\/assets\/\w{20}\.svg#\w+"\s+width="20"\s+height="20"\s+alt=""|(?:qr \w+|self)"\s+id="code-\w+"\s+alt="[^"]+"\s+width="\d+"\s+height="\d+"\s+decoding="sync"\s+src="data:image\/png;base64,[\w+/=]+")\s*\/?>/g;

describe('the checkout page', () => {
  let harness: Harness;
  let server: Listening;
  servedHarness((opened) => ({ harness, server } = opened), { SIMULATOR_BLOCK_SECONDS: '1' });

  const open = (token: string): Promise<Answer> => send(server, 'GET', `/checkout/${token}`);
  const pageOf = async (fields: object = {}, apiKey?: string): Promise<string> => {
    const { token_id } = await createPayment(harness, fields, apiKey);
    const page = await open(token_id);
    expect(page.status).to.equal(200);
    return page.text;
  };
  const LINKS = { success_url: 'https://shop.example/thanks', cancel_url: 'https://shop.example/cart' };
  const refreshes = (text: string) => text.includes('http-equiv="refresh"');

  it('is at checkout_url and shows what the customer pays, for what, where to and until when', async () => {
    const payment = await createPayment(harness, { order_description: 'Two shirts', ...LINKS });
    const { status, text, headers } = await open(payment.token_id);
    expect(payment.checkout_url).to.match(new RegExp(`/checkout/${payment.token_id}$`));
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    const { rows } = (await harness.ctx.db.raw('SELECT address FROM payments WHERE id = ?', [
      payment.id,
    ])) as {
      rows: { address: string }[];
    };
    for (const shown of [
      'Shop',
      'Two shirts',
      '<span id="amount" class="copy">10.50</span> USDC',
      '<bdi dir="ltr">USDC</bdi> on <bdi dir="ltr">Ethereum</bdi>',
      '<bdi dir="ltr">Ethereum</bdi> address',
      'Money sent on another network is lost.',
      'datetime="2026-01-31T13:00:00.000Z"',
      'order 1',
      'Waiting for your payment',
      'href="https://shop.example/cart"',
    ])
      expect(text).to.include(shown);
    expect(addressIn(text).toLowerCase()).to.equal(rows[0]?.address);
    expect(text).to.not.include('https://shop.example/thanks');
    expect(refreshes(text)).to.equal(true);
  });

  it('without a script: a link ends the reloading, in the language of the page, and another reloads it', async () => {
    const { token_id } = await createPayment(harness);
    const linkIn = (text: string) => /<noscript\s*><p>\s*<a href="([^"]+)">([^<]+)</.exec(text)?.slice(1);
    for (const [query, still, stop, reload] of [
      ['', '?still', 'Stop reloading this page', 'Reload this page'],
      ['?lang=de', '?lang=de&still', 'Seite nicht mehr neu laden', 'Seite neu laden'],
    ] as const) {
      const { text } = await open(`${token_id}${query}`);
      expect(refreshes(text)).to.equal(true);
      expect(linkIn(text)).to.deep.equal([`/checkout/${token_id}${still.replace('&', '&#38;')}`, stop]);
      const { text: held } = await open(`${token_id}${still}`);
      expect(refreshes(held)).to.equal(false);
      expect(linkIn(held)).to.deep.equal([`/checkout/${token_id}${query}`, reload]);
    }
  });

  it('once settled: says so, links to success_url, asks for no money and no longer reloads', async () => {
    const payment = await createPayment(harness, LINKS);
    await pay(harness, payment.id);
    const { text } = await open(payment.token_id);
    expect(text)
      .to.include('Paid. Thank you!')
      .and.include('href="https://shop.example/thanks?payment_id=pay_');
    expect(text).to.not.match(/id="address"|https:\/\/shop\.example\/cart/);
    expect(refreshes(text)).to.equal(false);
    expect(text).to.not.include('Stop reloading');
  });

  it('once expired: says so, asks for no more money, and still leads back to the shop', async () => {
    const payment = await createPayment(harness, { expiration_minutes: 5, ...LINKS });
    harness.advance(300);
    await harness.work();
    const { text } = await open(payment.token_id);
    expect(text).to.include('This payment has expired').and.include('href="https://shop.example/cart"');
    expect(text).to.not.match(/id="address"|href="ethereum:/);
  });

  it('escapes markup in the name of the merchant, the description and the order', async () => {
    const { apiKey } = await harness.addMerchant({ name: MARKUP });
    const text = await pageOf({ order_id: MARKUP, order_description: MARKUP }, apiKey);
    expect(text).to.include(`<title>Waiting for your payment · Payment to ${ESCAPED}</title>`);
    expect(text).to.include(`<h1 dir="auto">${ESCAPED}</h1>`);
    expect(text).to.include(`<span class="description" dir="auto">${ESCAPED}</span>`);
    expect(text).to.include(`<dd dir="auto">${ESCAPED}</dd>`);
    expect(text.split(ESCAPED)).to.have.length(5);
    expect(text.match(/<script/g)).to.have.length(1);
    const images = text.match(/<img/g) ?? [];
    expect(images, 'our own').to.have.lengthOf(text.match(OWN_IMAGE)?.length ?? 0);
  });

  it('escapes the characters of a URL, so that a link gets no further attribute', async () => {
    const text = await pageOf({ cancel_url: `https://shop.example/?a="onclick="alert(1)&b='<b>` });
    expect(text).to.include('href="https://shop.example/?a=%22onclick=%22alert(1)&#38;b=%27%3Cb%3E">');
  });

  it('keeps a right-to-left override within its own paragraph, where it changes nothing else', async () => {
    const { apiKey } = await harness.addMerchant({ name: OVERRIDE });
    const text = await pageOf({ order_id: OVERRIDE, order_description: OVERRIDE }, apiKey);
    // Each is the whole text of a block: direction ends where a block ends (Unicode TR 9, paragraphs).
    const blocks = [...text.matchAll(/<(?:h1|span class="description"|dd) dir="auto">([^<]*)<\//g)];
    expect(blocks.map(([, content]) => content)).to.deep.equal([OVERRIDE, OVERRIDE, OVERRIDE]);
    expect(text.split(OVERRIDE)).to.have.length(4);
    expect(text, 'a title has no blocks').to.include('· Payment to gnp.exe</title>');
  });

  it('isolates the merchant’s name within a sentence, and shows a description in full', async () => {
    const { apiKey } = await harness.addMerchant({ name: OVERRIDE });
    const description = '\u202e<b>'.repeat(250);
    const text = await pageOf({ order_description: description, ...LINKS }, apiKey);
    expect(text).to.include(`Cancel and go back to <bdi>${OVERRIDE}</bdi>`);
    expect(text).to.include(`dir="auto">${'\u202e&#60;b&#62;'.repeat(250)}</span>`);
    expect(text).to.match(/bdi ?\{\s*display: ?inline-block/);
  });

  it('has one script and one style, and its headers allow no other but that of later states', async () => {
    const { id, token_id } = await createPayment(harness);
    const { text, headers } = await open(token_id);
    expect(text).to.not.match(/javascript:|\son\w+="|\sstyle="|<iframe/i);
    expect(text.match(/<img/gi)).to.have.lengthOf(text.match(OWN_IMAGE)?.length ?? 0);
    expect(text.match(/<link/gi)).to.have.length(1);
    expect(text).to.match(/<link rel="icon" href="\/checkout\/assets\/\w+\.svg">/);
    const hashesOf = (tag: string, page: string) =>
      [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(
        ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
      );
    await pay(harness, id);
    const [style, later] = hashesOf('style', (await open(token_id)).text);
    expect(hashesOf('style', text)).to.deep.equal([style]);
    const csp = String(headers['content-security-policy']);
    expect(csp.split('; ')).to.have.members([
      "default-src 'none'",
      `style-src ${style} ${later}`,
      `script-src ${hashesOf('script', text).join()} 'strict-dynamic' 'self'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(headers).to.include({
      'cache-control': 'no-store',
      'referrer-policy': 'origin',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
    expect(headers).to.not.have.property('x-powered-by');
  });

  describe('404, as a page with the same headers', () => {
    const TOKENS = [
      'x',
      'A'.repeat(32),
      'A'.repeat(5_000),
      '%00',
      '%',
      '%ff',
      '..%2f..',
      '%3Cscript%3Ealert(1)%3C/script%3E',
      `pay_${'0'.repeat(26)}`,
      '__proto__',
      '',
    ];
    for (const token of TOKENS)
      it(token.slice(0, 40) || 'no token', async () => {
        const { status, text, headers } = await open(token);
        expect(status).to.equal(404);
        expect(text).to.include('Page not found').and.not.include('<script');
        expect(headers['content-type']).to.equal('text/html; charset=utf-8');
        expect(headers['content-security-policy']).to.match(/^default-src 'none'/);
      });

    it("a payment's id opens no page, and its token is no id", async () => {
      const { id, token_id } = await createPayment(harness);
      expect((await open(id)).status).to.equal(404);
      await harness.api('get', `/v1/payment/${token_id}`).expect(404);
    });
  });

  it('says nothing about payments at paths that never were one', async () => {
    for (const path of ['/nothing', '/checkout', '/index.php']) {
      const { status, text } = await send(server, 'GET', path);
      expect([path, status]).to.deep.equal([path, 404]);
      expect(text)
        .to.include('There is nothing at this address.')
        .and.not.match(/payment|merchant/i);
    }
    expect((await open('A'.repeat(32))).text).to.include('There is no such payment.');
  });

  it('returns 429 with a page, counted for each address, above 300 requests a minute', async () => {
    const strict = await createHarness({ RATE_LIMIT_SCALE: '0.01' });
    try {
      const statuses = [];
      for (let n = 0; n < 5; n += 1) {
        const { status, text } = await strict.api('get', `/checkout/${'A'.repeat(32)}`, null);
        statuses.push(status);
        if (status === 429) expect(text).to.include('Too many requests').and.include('http-equiv="refresh"');
      }
      expect(statuses).to.deep.equal([404, 404, 404, 429, 429]);
    } finally {
      await strict.close();
    }
  });

  it('treats HEAD like GET, without the body', async () => {
    const { token_id } = await createPayment(harness);
    const head = await send(server, 'HEAD', `/checkout/${token_id}`);
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect(head.headers['content-length']).to.equal((await open(token_id)).headers['content-length']);
  });
});
