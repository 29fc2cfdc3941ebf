import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { createWebhookClient, type WebhookClient } from '../../src/domain/webhooks/client/client.ts';
import { newWebhookSecret } from '../../src/platform/secret-box.ts';
import { signWebhook } from '../../src/sdk/index.ts';
import { createPayment, send } from '../support/http.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { filesBelow } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import {
  build,
  endAll,
  installHelpers,
  ROOT,
  startNode,
  startProgram,
  type Service,
} from '../processes/service.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { atPresent, createPresentHarness, deliverForReal } from './real-deliveries.ts';

interface Example {
  readonly folder: string;
  /** Below the project's root; the last one is started. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
  /** Null: it is of Node. */
  readonly language: Language | null;
}

const EXAMPLES: readonly Example[] = [
  ...['node', 'express', 'fastify'].map((name) => ({
    folder: `receiver-${name}`,
    files: [`examples/receiver-${name}/receiver.mjs`],
    packages: name === 'node' ? [] : [name],
    language: null,
  })),
  {
    folder: 'receiver-next',
    files: ['examples/receiver-next/route.mjs', 'test/examples/route-host.mjs'],
    packages: [],
    language: null,
  },
  ...Object.entries(LANGUAGES).map(([folder, language]) => ({
    folder,
    files: filesBelow(`examples/${folder}`),
    packages: [],
    language,
  })),
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
    // test/sdk/package.test.ts, test/sdk/bundles.slow.test.ts and test/examples/shop.test.ts run these.
    const others = ['handle-once', 'receiver-edge', 'shop'];
    expect(folders).to.have.members([...EXAMPLES.map((example) => example.folder), ...others]);
  });
});

for (const example of EXAMPLES) {
  const missing = example.language?.missing ?? null;
  const suite = missing === null ? describe : describe.skip;
  suite(`examples/${example.folder}${missing === null ? '' : `, not run: ${missing}`}`, () => {
    const previous = newWebhookSecret();
    let harness: Harness;
    let client: WebhookClient;
    let folder: string;
    let receiver: Service;
    let url: string;
    let event: { id: string; sequence?: number };

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
      example.language?.prepare(folder);
    });
    beforeEach(async () => {
      event = JSON.parse(await realBody());
      await start();
    });
    afterEach(endAll);
    after(async () => {
      await client.close();
      await harness.close();
      await rm(folder, { recursive: true });
    });

    async function start(
      secrets = [harness.merchant.webhookSecret, previous],
      variable?: string,
    ): Promise<void> {
      const port = await freePort();
      receiver = run(secrets.join(), port, variable);
      await receiver.says(example.language?.listening ?? /listening on port \d+/);
      url = `http://127.0.0.1:${port}/hooks`;
    }
    const stop = async () => {
      receiver.signal('SIGKILL');
      await receiver.ended();
    };
    const run = (secrets: string, port: number, variable = 'WEBHOOK_SECRET'): Service => {
      const { language, files } = example;
      const env = { PORT: String(port), [variable]: secrets };
      return language === null
        ? startNode([basename(files.at(-1) ?? '')], env, { cwd: folder })
        : startProgram(language.command(port), { ...env, ...language.env(folder) }, { cwd: folder });
    };

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
      it(`does not serve with the secrets ${JSON.stringify(secrets)}`, async () => {
        const port = await freePort();
        const refused = run(secrets, port);
        // PHP reads its program with each request.
        if (example.folder === 'receiver-php') {
          await refused.says(/Development Server/);
          expect((await client.post(`http://127.0.0.1:${port}/hooks`, {}, '{}')).statusCode).to.equal(500);
        }
        await refused.says(/(?:TypeError: a webhook|a webhook secret)/);
        expect(refused.output()).not.to.match(/listening|running on|hunter2/);
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

    it('accepts what either of its secrets signed, also under the older name of the variable', async () => {
      expect(await deliver({ secrets: [previous] })).to.equal(200);
      await stop();
      await start([previous], 'WEBHOOK_SECRETS');
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
      const { ask, close } = await atPresent(harness);
      const examined = await ask('/v1/webhooks/examine', { url });
      expect(examined, JSON.stringify(examined)).to.include({ passed: true, url });
      for (const { expected, status_code } of examined.cases)
        expect(status_code).to.equal(expected === '2xx' ? 200 : 401);
      const tested = await ask('/v1/webhooks/test', { url, type: 'checkout.refunded' });
      expect(tested.delivered).to.equal(true);
      await receiver.says('checkout.refunded 5: order test-order is REFUNDED');
      await close();
    });

    if (example.language !== null) {
      it('fulfils an order once by what the service delivers: a duplicate, and a rotated secret', async () => {
        const present = await createPresentHarness();
        try {
          await stop();
          await start([present.merchant.webhookSecret]);
          await deliverForReal(present, url, 'order 7');
          expect(receiver.output().match(/order 7 is sent/g)).to.have.length(1);
        } finally {
          await present.close();
        }
      });

      it('remembers what it handled, also when it is killed, and says which events are late', async () => {
        const first = event;
        expect(await deliver()).to.equal(200);
        await receiver.says('checkout.created 1');
        await stop();
        await start();
        expect(await deliver()).to.equal(200);
        event = { ...first, id: 'evt_00000000000000000000000003', sequence: 3 };
        expect(await deliver()).to.equal(200);
        event = { ...first, id: 'evt_00000000000000000000000002', sequence: 2 };
        expect(await deliver()).to.equal(200);
        await receiver.says('checkout.created 2: order order 1 is WAITING, late');
        expect(receiver.output()).to.not.include('checkout.created 1');
        expect(receiver.output()).to.not.include('checkout.created 3: order order 1 is WAITING, late');
      });
    }
  });
}
