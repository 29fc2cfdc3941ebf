import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect } from 'chai';
import { PAGE_SCRIPT } from '../../../src/domain/checkout/page/document.ts';
import { paymentIn } from '../../support/checkout.ts';
import { createPayment, send, type Answer, type Listening } from '../../support/http.ts';
import { allowEmbedding } from '../../support/embedding.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { servedHarness } from '../../support/served-harness.ts';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example:8443';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The origins whose pages may show this response in a frame. */
function framedBy({ headers }: Answer): string {
  const policy = String(headers['content-security-policy']).split('; ');
  const [directive = '', ...others] = policy.filter((one) => one.startsWith('frame-ancestors '));
  expect(others).to.deep.equal([]);
  // Beside frame-ancestors it has no effect, and without it, it would refuse every shop.
  expect(headers).to.not.have.property('x-frame-options');
  return directive.replace('frame-ancestors ', '');
}

describe('the checkout page in a frame', () => {
  let harness: Harness;
  let server: Listening;
  let embedding: TestMerchant;
  let other: TestMerchant;
  servedHarness((opened) => ({ harness, server } = opened));
  before(async () => {
    embedding = await harness.addMerchant();
    other = await harness.addMerchant();
    await allowEmbedding(harness, embedding.id, [SHOP, 'http://127.0.0.1:8080']);
    await allowEmbedding(harness, other.id, [OTHER]);
  });

  const get = (path: string, headers = {}) => send(server, 'GET', path, headers);
  const pageOf = async ({ apiKey }: TestMerchant): Promise<Answer> =>
    get(`/checkout/${(await createPayment(harness, {}, apiKey)).token_id}`);

  it("is allowed to the origins of the payment's merchant, and to no others", async () => {
    expect(framedBy(await pageOf(embedding))).to.equal(`${SHOP} http://127.0.0.1:8080`);
    expect(framedBy(await pageOf(other))).to.equal(OTHER);
    expect(framedBy(await pageOf(harness.merchant))).to.equal("'none'");
  });

  it('names the origins to its script, and only where there are any', async () => {
    expect((await pageOf(embedding)).text).to.include(` data-embed="${SHOP} http://127.0.0.1:8080"`);
    expect((await pageOf(other)).text).to.include(` data-embed="${OTHER}"`);
    expect((await pageOf(harness.merchant)).text).to.not.include('data-embed');
  });

  it('keeps the rest of its policy', async () => {
    const rest = ({ headers }: Answer) =>
      String(headers['content-security-policy']).replace(/frame-ancestors [^;]*/, '');
    expect(rest(await pageOf(embedding))).to.equal(rest(await pageOf(harness.merchant)));
  });

  it('takes nothing from the row that is no origin: no directive begins in it, none ends', async () => {
    const merchant = await harness.addMerchant();
    const hostile = [
      'https://a.example; script-src *',
      "https://b.example;script-src 'unsafe-inline'",
      'https://c.example, https://d.example',
      '*',
      'https://*.example',
      "'self'",
      'https:',
      'data:',
      'https://e.example/path',
      'https://f.example"><script>',
      'https://g.example\r\nX: y',
      '',
    ];
    await allowEmbedding(harness, merchant.id, [...hostile, SHOP]);
    const page = await pageOf(merchant);
    expect(framedBy(page)).to.equal(SHOP);
    expect(page.text).to.include(` data-embed="${SHOP}"`);
    await allowEmbedding(harness, merchant.id, hostile);
    expect(framedBy(await pageOf(merchant))).to.equal("'none'");
  });

  it('stays in the frame when a form answers without a script', async () => {
    const { token_id } = await createPayment(harness, {}, embedding.apiKey);
    const post = (form: string, body: string) =>
      send(server, 'POST', `/checkout/${token_id}/${form}`, FORM, body);
    const answers = [await post('transaction', 'tx=nothing'), await post('coin', 'coin=NO&network=NO')];
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 400]);
    for (const answer of answers) expect(framedBy(answer)).to.equal(`${SHOP} http://127.0.0.1:8080`);
    const { token_id: expired } = await paymentIn(harness, 'expired-partly');
    const refused = await send(server, 'POST', `/checkout/${expired}/refund-address`, FORM, 'address=x');
    expect([refused.status, framedBy(refused)]).to.deep.equal([400, "'none'"]);
  });

  it('is allowed to all for a message that passes: nobody knows then whose page it stands for', async () => {
    const closed = await createHarness({ MAINTENANCE: 'true', RATE_LIMIT_SCALE: '0.01' });
    try {
      const answers = [];
      for (let n = 0; n < 4; n += 1)
        answers.push(await closed.api('get', `/checkout/${'A'.repeat(32)}`, null));
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 503, 503, 429]);
      for (const { text, headers } of [answers[0], answers[3]].flatMap((one) => one ?? [])) {
        expect(String(headers['content-security-policy'])).to.match(/frame-ancestors \*$/);
        expect(text)
          .to.include(`{type:'checkout.shown'}`)
          .and.not.match(/<form|<input|<button/);
      }
    } finally {
      await closed.close();
    }
  });

  it('is refused to all for what is no page of a payment', async () => {
    const { token_id } = await createPayment(harness, {}, embedding.apiKey);
    for (const path of [`/checkout/${'A'.repeat(32)}`, '/nothing', `/checkout/${token_id}/status`])
      expect(framedBy(await get(path)), path).to.equal("'none'");
    const body = 'tx='.padEnd(2_000, 'x');
    const tooLong = await send(server, 'POST', `/checkout/${token_id}/transaction`, FORM, body);
    expect([tooLong.status, framedBy(tooLong)]).to.deep.equal([413, "'none'"]);
  });
});

describe('GET /checkout.js', () => {
  let harness: Harness;
  let server: Listening;
  servedHarness((opened) => ({ harness, server } = opened));

  const HEADERS = {
    'cache-control': 'public, max-age=3600',
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  };

  /** The body as it is on the wire. */
  const fetched = async (headers: Record<string, string>, method = 'GET', path = '/checkout.js') => {
    const outgoing = request(`${server.url}${path}`, { method, headers, agent: false });
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return { status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) };
  };

  it('is one small file for pages of every origin, below 3 kB compressed', async () => {
    const plain = await fetched({});
    expect(plain.status).to.equal(200);
    expect(plain.headers).to.include(HEADERS).and.not.have.any.keys('content-encoding', 'set-cookie');
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await fetched({ 'accept-encoding': encoding });
      expect(headers).to.include({ ...HEADERS, 'content-encoding': encoding });
      expect(body.length, encoding).to.be.within(1, 2_999);
      expect(decompress(body).toString()).to.equal(plain.body.toString());
      const page = await fetched({ 'accept-encoding': encoding }, 'GET', PAGE_SCRIPT.path);
      expect(decompress(page.body).toString(), "the page's own").to.equal(PAGE_SCRIPT.content);
    }
  });

  it('needs no other file, and is the same text as a script and as a module', async () => {
    const text = (await fetched({})).body.toString();
    expect(text, 'the service, whose pages it frames').to.include(
      `'${new URL(harness.ctx.config.publicUrl).origin}'`,
    );
    const own = text.replace(harness.ctx.config.publicUrl, '');
    expect(own).to.not.match(/\bimport\b|\bexport\b|\beval\b|new Function|innerHTML|https?:\/\//);
    // oxlint-disable-next-line typescript/no-implied-eval
    expect(() => new Function(text)).to.not.throw();
  });

  it('answers 304 to who has it, whatever the encoding, and 404 below it', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { headers } = await fetched({ 'accept-encoding': encoding });
      const again = await fetched({ 'accept-encoding': encoding, 'if-none-match': String(headers.etag) });
      expect([again.status, again.body.length], encoding).to.deep.equal([304, 0]);
      expect(again.headers).to.include({ etag: headers.etag, 'cache-control': HEADERS['cache-control'] });
    }
    expect((await fetched({ 'if-none-match': '"another"' })).status).to.equal(200);
    const head = await fetched({}, 'HEAD');
    expect([head.status, head.body.length]).to.deep.equal([200, 0]);
    expect((await send(server, 'GET', '/checkout.js/x')).status).to.equal(404);
  });
});
