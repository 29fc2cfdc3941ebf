import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { send, type Listening } from '../../support/http.ts';
import { servedHarness } from '../../support/served-harness.ts';

const run = promisify(execFile);

describe('the SDK as the service offers it', () => {
  let server: Listening;
  let folder: string;
  servedHarness((opened) => ({ server } = opened));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'test-sdk-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is installed by the line of the quick start, and needs no other package', async () => {
    const page = await send(server, 'GET', '/docs/quick-start');
    const [, path = ''] =
      /npm install .*?\$PAYMENT_CHECKOUT_URL(\/[\w./-]+)/.exec(page.text.replaceAll(/<[^>]*>/g, '')) ?? [];
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    // Port 1 is never open: whatever else it asked for would fail.
    const npm = [
      'install',
      '--no-audit',
      '--no-fund',
      '--registry=http://127.0.0.1:1',
      `${server.url}${path}`,
    ];
    await run('npm', npm, { cwd: folder });
    const code = `
      import { PaymentCheckout } from 'payment-checkout/client';
      import { verifyWebhook } from 'payment-checkout/webhooks';
      const client = new PaymentCheckout({ apiKey: 'sk_test_${'a'.repeat(32)}', baseUrl: '${server.url}' });
      console.log((await client.status()).status, typeof verifyWebhook);`;
    await writeFile(join(folder, 'use.js'), code);
    expect((await run(process.execPath, ['use.js'], { cwd: folder })).stdout.trim()).to.equal('ok function');
    const help = await run(join(folder, 'node_modules/.bin/payment-checkout'), ['--help'], { cwd: folder });
    expect(help.stdout).to.include('listen');
  });

  it('is the same bytes each time, and 304 for who has them', async () => {
    const ask = (headers = {}) => send(server, 'GET', '/docs/payment-checkout.tgz', headers);
    const first = await ask();
    expect(first.status).to.equal(200);
    expect(first.headers['content-type']).to.equal('application/gzip');
    expect(Number(first.headers['content-length'])).to.be.below(250_000);
    const { status } = await ask({ 'If-None-Match': String(first.headers.etag) });
    expect(status).to.equal(304);
    expect((await ask()).headers.etag).to.equal(first.headers.etag);
  });
});
