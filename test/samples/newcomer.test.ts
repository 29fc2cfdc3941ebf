import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { verifyWebhook, type WebhookEvent } from '../../src/sdk/index.ts';
import { createCheckout, type Checkout, type Terminal } from '../processes/checkout.ts';
import { linksOf, textOf } from '../support/docs-pages.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { startProgram } from './programs.ts';

/** To which the quick start forwards events. */
const RECEIVER_PORT = 4000;

/** What a newcomer does who knows the address of the service, a key, and nothing else. */
describe('the quick start at /docs', () => {
  let checkout: Checkout;
  let terminal: Terminal;
  let project: string;
  let variables: Record<string, string>;
  const events: WebhookEvent[] = [];
  let secret = '';
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const verified = verifyWebhook({
        rawBody: Buffer.concat(chunks),
        headers: request.headers,
        secrets: secret,
      });
      if (verified.ok) events.push(verified.event);
      response.writeHead(verified.ok ? 200 : 401).end();
    });
  });

  before(async () => {
    checkout = await createCheckout();
    terminal = checkout.npm(['run', 'dev'], {
      PORT: String(await freePort()),
      SIMULATOR_AUTOPAY_SECONDS: 'off',
      SIMULATOR_BLOCK_SECONDS: '0.2',
      RATE_LIMIT_SCALE: '100',
    });
    await terminal.says('Stop with Ctrl-C');
    const { base_url: url, api_key: key } = checkout.facts();
    project = mkdtempSync(join(tmpdir(), 'test-newcomer-'));
    writeFileSync(join(project, 'package.json'), '{ "private": true }');
    variables = {
      PAYMENT_CHECKOUT_URL: url,
      PAYMENT_CHECKOUT_KEY: key,
      XDG_STATE_HOME: join(project, 'state'),
      XDG_CONFIG_HOME: join(project, 'config'),
    };
  });
  after(async () => {
    receiver.close();
    terminal.pressCtrlC();
    await terminal.ended();
    await checkout.remove();
    rmSync(project, { recursive: true, force: true });
  });

  const start = (commands: string) => startProgram(['sh', '-c', `cd '${project}'\n${commands}`], variables);
  const run = async (commands: string) => {
    const program = start(commands);
    expect(await program.ended(), program.output()).to.equal(0);
    return program.printed();
  };

  it('leads from nothing to a payment, its webhooks and a refund, by what it shows alone', async () => {
    const blocks = await codeOfQuickStart(variables['PAYMENT_CHECKOUT_URL'] ?? '');
    const block = (part: string) => blocks.find((code) => code.includes(part)) ?? expect.fail(part);

    await run(block('npm install'));
    const listening = start(block('payment-checkout listen'));
    await listening.says('Forwarding the events');
    secret = /whsec_[\w+/=]+/.exec(listening.output())?.[0] ?? '';
    receiver.listen(RECEIVER_PORT, '127.0.0.1');
    await once(receiver, 'listening');
    const types = () => events.map(({ type }) => type);
    try {
      const created = await run(block('"pay_amount"'));
      expect(created).to.include(`${variables['PAYMENT_CHECKOUT_URL']}/checkout/`);
      variables['PAYMENT_ID'] = /pay_\w{26}/.exec(created)?.[0] ?? expect.fail(created);

      expect(await run(block('/transfers'))).to.match(/SETTLED\s*$/);
      await until('the webhook arrives', () => types().includes('checkout.settled'));

      await run(block('payments refund'));
      await until('the refund is seen', () => types().includes('checkout.refunded'));
    } finally {
      await listening.end();
    }
    expect(types()).to.deep.equal([
      'checkout.created',
      'checkout.pending',
      'checkout.processing',
      'checkout.settled',
      'checkout.refunded',
    ]);
    expect(new Set(events.map(({ data }) => data.checkout.id))).to.deep.equal(
      new Set([variables['PAYMENT_ID']]),
    );
  });
});

/** The code of the page to which the first page of the documentation leads. */
async function codeOfQuickStart(url: string): Promise<string[]> {
  const read = async (path: string) => (await fetch(new URL(path, url))).text();
  const path = linksOf(await read('/docs')).find((link) => link.endsWith('/quick-start'));
  const page = await read(path ?? expect.fail('the first page has no link to the quick start'));
  return [...page.matchAll(/<pre\b[^>]*>(.*?)<\/pre>/gs)].map(([, code = '']) => textOf(code));
}
