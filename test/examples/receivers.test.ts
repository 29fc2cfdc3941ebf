import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { createWebhookClient, type WebhookClient } from '../../src/domain/webhooks/client/client.ts';
import { newWebhookSecret } from '../../src/domain/webhooks/secrets/secret-box.ts';
import { createApp } from '../../src/http/app.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { signWebhook } from '../../src/sdk/index.ts';
import { createPayment, listen, send } from '../support/http.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { build, endAll, installHelpers, ROOT, startNode, type Service } from '../processes/service.ts';

interface Example {
  readonly folder: string;
  /** Below the project's root; the last one is started. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

const EXAMPLES: readonly Example[] = [
  ...['node', 'express', 'fastify'].map((name) => ({
    folder: `receiver-${name}`,
    files: [`examples/receiver-${name}/receiver.mjs`],
    packages: name === 'node' ? [] : [name],
  })),
  {
    folder: 'receiver-next',
    files: ['examples/receiver-next/route.mjs', 'test/examples/route-host.mjs'],
    packages: [],
  },
];

/** How each example ends a body of 8 MB. */
const REFUSALS: Readonly<Record<string, readonly (number | null)[]>> = {
  'receiver-node': [null],
  'receiver-next': [401],
};

describe('the examples are all run', () => {
  it('each folder of examples/ is in the list', () => {
    const entries = readdirSync(join(ROOT, 'examples'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    // test/sdk/package.test.ts runs this one: it is no receiver of its own.
    const others = ['handle-once'];
    expect(folders).to.have.members([...EXAMPLES.map((example) => example.folder), ...others]);
  });
});

for (const example of EXAMPLES)
  describe(`examples/${example.folder}`, () => {
    const previous = newWebhookSecret();
    let harness: Harness;
    let client: WebhookClient;
    let folder: string;
    let receiver: Service;
    let url: string;
    let event: { id: string };

    before(async () => {
      build();
      // The example's process uses the real clock, so the sender does too.
      harness = await createHarness();
      client = createWebhookClient({ allowPrivate: true, timeoutMs: 5_000, userAgent: 'test' });
      folder = await mkdtemp(join(tmpdir(), 'test-receiver-'));
      installHelpers(folder);
      for (const name of example.packages)
        await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
      for (const file of example.files) await copyFile(join(ROOT, file), join(folder, basename(file)));
    });
    beforeEach(async () => {
      event = JSON.parse(await realBody());
      const secrets = `${harness.merchant.webhookSecret},${previous}`;
      const program = basename(example.files.at(-1) ?? '');
      receiver = startNode([program], { PORT: '0', WEBHOOK_SECRETS: secrets }, { cwd: folder });
      await receiver.says(/listening on port \d+/);
      url = `http://127.0.0.1:${/port (\d+)/.exec(receiver.output())?.[1]}/hooks`;
    });
    afterEach(endAll);
    after(async () => {
      await client.close();
      await harness.close();
      await rm(folder, { recursive: true });
    });

    /** The body of an event of a new payment, as it would be delivered. */
    async function realBody(): Promise<string> {
      const { id } = await createPayment(harness, { metadata: { text: 'é 漢字 €' } });
      const [row] = await harness.ctx
        .db('events')
        .where({ payment_id: id })
        .select<{ body: string }[]>('body');
      return row?.body ?? expect.fail('no event');
    }

    /** Sends the event as a worker does, and returns the status of the response. */
    async function deliver({
      secrets = [harness.merchant.webhookSecret],
      ageSeconds = 0,
      alter = (body: string) => body,
    } = {}): Promise<number | null> {
      const rawBody = JSON.stringify(event);
      const now = new Date(Date.now() - ageSeconds * 1000);
      const headers = signWebhook({ eventId: event.id, rawBody, secrets, now });
      return (await client.post(url, headers, alter(rawBody))).statusCode;
    }
    const handled = () =>
      receiver.output().match(/checkout\.created 1: order order 1 is WAITING/g)?.length ?? 0;

    for (const secrets of ['', ' ', 'hunter2'])
      it(`does not start with the secrets ${JSON.stringify(secrets)}`, async () => {
        const program = basename(example.files.at(-1) ?? '');
        const refused = startNode([program], { PORT: '0', WEBHOOK_SECRETS: secrets }, { cwd: folder });
        await refused.says(/TypeError: a webhook/);
        expect(refused.output()).not.to.match(/listening|hunter2/);
      });

    it('accepts an event, and handles it once when it arrives twice', async () => {
      expect(await deliver()).to.equal(200);
      await receiver.says('checkout.created');
      expect(await deliver()).to.equal(200);
      expect(await deliver()).to.equal(200);
      expect(handled()).to.equal(1);
    });

    it('rejects stale, altered, wrongly signed and unsigned requests, handles none of them, and keeps serving', async () => {
      expect(await deliver({ ageSeconds: 301 })).to.equal(401);
      expect(await deliver({ ageSeconds: -302 })).to.equal(401);
      expect(await deliver({ alter: (body) => body.replace('10.50', '99.50') })).to.equal(401);
      expect(await deliver({ alter: (body) => `${body} ` })).to.equal(401);
      expect(await deliver({ secrets: [newWebhookSecret()] })).to.equal(401);
      expect((await client.post(url, {}, JSON.stringify(event))).statusCode).to.equal(401);
      expect((await client.post(url, {}, '')).statusCode).to.equal(401);
      const reasons = [...receiver.output().matchAll(/refused: (\w+)/g)].map(([, reason]) => reason);
      expect(reasons).to.deep.equal([
        'timestamp_too_old',
        'timestamp_too_new',
        'no_match',
        'no_match',
        'no_match',
        'missing_header',
        'missing_header',
      ]);
      expect(handled()).to.equal(0);
      expect(await deliver()).to.equal(200);
      await receiver.says('checkout.created');
    });

    it('accepts what either of its secrets signed', async () => {
      expect(await deliver({ secrets: [previous] })).to.equal(200);
    });

    it('keeps serving after a sender that disconnects, and after a body that is too large', async () => {
      const { port } = new URL(url);
      const cut = connect(Number(port), '127.0.0.1');
      await once(cut, 'connect');
      cut.end('POST /hooks HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\n{"id":');
      await once(cut.resume(), 'close');
      const target = { url: `http://127.0.0.1:${port}`, close: () => Promise.resolve() };
      const json = { 'Content-Type': 'application/json' };
      const refused = await send(target, 'POST', '/hooks', json, Buffer.alloc(8_000_000)).catch(() => null);
      // node:http ends the connection, a framework with a limit returns 413, a route handler rejects the
      // signature.
      expect(refused?.status ?? null).to.be.oneOf(REFUSALS[example.folder] ?? [null, 413]);
      expect(await deliver()).to.equal(200);
    });

    it('passes every case of POST /v1/webhooks/examine, and accepts a test event', async () => {
      const ctx = { ...harness.ctx, now: systemClock, systemNow: systemClock };
      const server = await listen(
        createApp(ctx, {
          redis: null,
          admin: null,
          adapters: harness.adapters,
          sandbox: null,
          health: harness.health,
        }),
      );
      const ask = (path: string, body: object) =>
        send(
          server,
          'POST',
          path,
          { 'X-API-Key': harness.merchant.apiKey, 'Content-Type': 'application/json' },
          JSON.stringify(body),
        );
      const { body: examined } = await ask('/v1/webhooks/examine', { url });
      expect(examined, JSON.stringify(examined)).to.include({ passed: true, url });
      for (const { expected, status_code } of examined.cases)
        expect(status_code).to.equal(expected === '2xx' ? 200 : 401);
      const { body: tested } = await ask('/v1/webhooks/test', { url, type: 'checkout.refunded' });
      expect(tested.delivered).to.equal(true);
      await receiver.says('checkout.refunded 5: order test-order is REFUNDED');
      await server.close();
    });
  });
