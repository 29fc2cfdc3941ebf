import { expect } from 'chai';
import { linksOf } from '../../support/docs-pages.ts';
import { send, type Listening } from '../../support/http.ts';
import { servedHarness } from '../../support/served-harness.ts';

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

describe('the documentation as it is served', () => {
  let server: Listening;
  servedHarness((opened) => ({ server } = opened));
  const get = (path: string, headers: Record<string, string> = {}) => send(server, 'GET', path, headers);

  it('allows its own files only, and is compared before it is used again', async () => {
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/errors',
      '/docs/reference/payments',
      '/docs/search?q=refund',
    ]) {
      const { status, headers } = await get(path);
      expect(status, path).to.equal(200);
      expect(headers).to.include({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      });
      expect(headers).to.not.have.any.keys('set-cookie', 'x-powered-by');
    }
  });

  it('is a 304 for whoever has it already', async () => {
    const { headers } = await get('/docs/errors');
    const again = await get('/docs/errors', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    const other = await get('/docs/states', { 'if-none-match': String(headers.etag) });
    expect(other.status).to.equal(200);
  });

  it('is compressed as the client accepts it', async () => {
    const { text } = await get('/docs/errors');
    for (const encoding of ['br', 'gzip']) {
      const response = await fetch(`${server.url}/docs/errors`, { headers: { 'Accept-Encoding': encoding } });
      expect(response.headers.get('content-encoding')).to.equal(encoding);
      expect(await response.text()).to.equal(text);
    }
  });

  it('names its style and script by their content, and sends them under another name as well', async () => {
    const { text } = await get('/docs');
    const files = [...text.matchAll(/(?:href|src)="(\/docs\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files).to.have.lengthOf(2);
    for (const file of files) {
      const own = await get(file);
      expect([own.status, own.headers['cache-control']]).to.deep.equal([
        200,
        'public, max-age=31536000, immutable',
      ]);
      const other = await get(file.replace(/v=\w+/, 'v=00000000000000000000'));
      expect([other.status, other.headers['cache-control'], other.text]).to.deep.equal([
        200,
        'no-cache',
        own.text,
      ]);
    }
  });

  it('finds what has all words, headings first, and says so when nothing has', async () => {
    const found = async (query: string) => {
      const { text } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
      return { text, links: linksOf(/<div id="results">(.*)<\/main>/s.exec(text)?.[1] ?? '') };
    };
    expect((await found('idempotency_conflict')).links[0]).to.equal('/docs/errors#idempotency_conflict');
    expect((await found('EXPIRED')).links.slice(0, 2)).to.include('/docs/states#expired');
    expect((await found('rotate secret')).links).to.include('/docs/reference/webhooks#rotateWebhookSecret');
    expect((await found('receiver check')).links).to.include(
      '/docs/receive-webhooks#turn-webhooks-on-and-check-the-receiver',
    );
    expect((await found('payment zzzzz')).text).to.include('Nothing has all of these words');
    expect((await found('')).text).to.include('Type one word');
  });

  it('finds what readers look for by its usual name, and marks it', async () => {
    const expected = {
      'api key': ['/docs/reference#authentication', 'your <mark>API</mark> <mark>key</mark>'],
      timeout: ['/docs/errors#request_timeout', 'request_<mark>timeout</mark>'],
      svix: ['/docs/receive-webhooks#write-a-receiver', '<mark>Svix</mark>'],
      currency: ['/docs/reference/payments#createPayment-body', '<mark>currency</mark>'],
      409: ['/docs/errors#idempotency_conflict', '<mark>409</mark> Conflict'],
    };
    for (const [query, [address, hit]] of Object.entries(expected)) {
      const { text } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
      const [, first = ''] = /<ul class="found">\s*<li>(.*?)<\/li>/s.exec(text) ?? [];
      expect(linksOf(first), query).to.deep.equal([address]);
      expect(first, query).to.include(hit);
    }
  });

  it('shows what was searched for as text, whatever it is', async () => {
    const query = '"><script>alert(1)</script>&amp;';
    const { text, status } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
    expect(status).to.equal(200);
    expect(text).to.not.include('<script>alert');
    expect(text).to.include('value="&#34;&#62;&#60;script');
    expect((await get('/docs/search?q=%FF%')).status).to.equal(200);
    expect((await get(`/docs/search?q=${'word+'.repeat(500)}`)).status).to.equal(200);
  });

  it('says of an unknown address that it has no such page, and where the others are', async () => {
    for (const path of ['/docs/none', '/docs/errors/none', '/docs/../etc/passwd', '/docs/%00', '/DOCS/x']) {
      const { status, text, headers } = await get(path);
      expect(status, path).to.equal(404);
      if (!path.includes('..'))
        expect(text, path).to.include('There is no such page').and.include('/docs/errors');
      expect(headers['content-security-policy'], path).to.be.a('string');
    }
  });

  it('is where the address of the service leads', async () => {
    const { status, headers } = await get('/');
    expect([status, headers.location]).to.deep.equal([302, '/docs']);
  });
});

describe('the limit of the documentation', () => {
  let server: Listening;
  servedHarness((opened) => ({ server } = opened), { RATE_LIMIT_SCALE: '0.01' });

  it('is counted for an address, and not for what every page loads', async () => {
    for (let request = 0; request < 3; request += 1)
      expect((await send(server, 'GET', '/docs', {})).status).to.equal(200);
    const { status, headers, text } = await send(server, 'GET', '/docs/errors', {});
    expect(status).to.equal(429);
    expect(headers['retry-after']).to.match(/^\d+$/);
    expect(text).to.include('<h1>');
    expect((await send(server, 'GET', '/docs/assets/docs.css', {})).status).to.equal(200);
  });
});
