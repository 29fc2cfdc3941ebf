import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { TRANSITIONS, type Transition } from '../../src/domain/payments/states.ts';
import { createExchange } from '../../src/domain/webhooks/exchange.ts';
import { newWebhookSecret } from '../../src/domain/webhooks/secrets.ts';
import { signatureHeaders } from '../../src/domain/webhooks/sign.ts';
import { KNOWN_VARIABLES, readConfig } from '../../src/platform/config.ts';
import { startReceiver, type ReceivedRequest } from '../support/receivers.ts';
import { ROOT } from './service.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const README = read('README.md');

/** The rows of the table whose head begins with `first`, cells trimmed. */
function table(first: string): string[][] {
  const lines = README.split('\n');
  const head = lines.findIndex((line) => new RegExp(`^\\| ${first} +\\|`).test(line));
  const rows = lines.slice(head + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('README', () => {
  it('lists every variable that is read, in their order', () => {
    expect(table('variable').map(([name]) => name)).to.deep.equal([...KNOWN_VARIABLES]);
  });

  it('tells the defaults as they are', () => {
    const config = readConfig({ DATABASE_URL: 'postgres://db/x' });
    const defaultOf = Object.fromEntries(table('variable').map(([name = '', , value]) => [name, value]));
    expect(defaultOf).to.include({
      PORT: String(config.port),
      HOST: `${config.host} (\`npm run dev\`: 127.0.0.1)`,
      PUBLIC_URL: config.publicUrl.replace(String(config.port), 'PORT'),
      WORKER_CONCURRENCY: String(config.workerConcurrency),
      WEBHOOK_RETRY_SECONDS: config.webhookRetrySeconds.join(','),
      WEBHOOK_TIMEOUT_SECONDS: String(config.webhookTimeoutSeconds),
      RATE_LIMIT_SCALE: String(config.rateLimitScale),
      MAINTENANCE: String(config.maintenance),
      LOG_LEVEL: config.logLevel,
    });
  });

  it('tells how a payment moves as the table of transitions does', () => {
    const transitions = Object.entries<Transition>(TRANSITIONS);
    expect(table('cause')).to.deep.equal(
      transitions.map(([cause, { from, to, event }]) => [cause, from.join(', '), to, event]),
    );
  });

  it('names commands, files and processes that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...README.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name);
    expect(commands).to.include.members(['dev', 'build', 'merchants', 'smoke', 'bench', 'lint']);
    expect(Object.keys(scripts)).to.include.members(commands).and.include('test');
    const programs = [...README.matchAll(/node\s+dist\/processes\/([\w-]+)\.js/g)].map(([, name]) => name);
    expect(programs).to.include.members(['release', 'web', 'worker', 'worker-health', 'merchants']);
    for (const name of programs)
      expect(existsSync(join(ROOT, `src/processes/${name}.ts`)), name).to.equal(true);
    for (const [, path = ''] of README.matchAll(
      /`((?:src|test|domain|http|background|platform|\.ci)\/[^`*]+)`/g,
    ))
      expect(
        [path, `src/${path}`].some((file) => existsSync(join(ROOT, file))),
        path,
      ).to.equal(true);
  });

  it('has a Procfile beside it whose processes exist', () => {
    const lines = read('Procfile').trim().split('\n');
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal(['web', 'worker', 'release']);
    for (const line of lines) {
      const [, name = ''] = /: node dist\/processes\/([\w-]+)\.js$/.exec(line) ?? [];
      expect(existsSync(join(ROOT, `src/processes/${name}.ts`)), line).to.equal(true);
    }
  });

  it('has a docker-compose.yml beside it that hands every variable on', () => {
    const compose = read('docker-compose.yml');
    const handed = [...compose.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name);
    // The container's own port and address are the defaults.
    const needed = KNOWN_VARIABLES.filter((name) => name !== 'PORT' && name !== 'HOST');
    expect(handed).to.include.members(needed);
    expect(new Set([...handed, 'NODE_ENV'])).to.deep.equal(new Set([...needed, 'NODE_ENV']));
  });

  describe('its code that verifies a webhook', () => {
    type IsGenuine = (rawBody: Buffer, headers: ReceivedRequest['headers'], secret: string) => boolean;
    const secret = newWebhookSecret();
    let folder: string;
    let isGenuine: IsGenuine;
    before(async () => {
      const [, code = ''] = /```js\n(.*?)```/s.exec(README) ?? [];
      folder = await mkdtemp(join(tmpdir(), 'test-readme-'));
      const file = join(folder, 'verify.mjs');
      await writeFile(file, code);
      ({ isGenuine } = (await import(pathToFileURL(file).href)) as { isGenuine: IsGenuine });
    });
    after(() => rm(folder, { recursive: true }));

    /** Sends a signed event as a worker does, and answers what arrived. */
    async function deliver(now: Date): Promise<ReceivedRequest> {
      const receiver = await startReceiver();
      const exchange = createExchange({ allowPrivate: true, timeoutMs: 5_000, userAgent: 'test' });
      const body = JSON.stringify({ id: 'evt_1', metadata: { orderId: 'é 漢字' } });
      const headers = signatureHeaders({ eventId: 'evt_1', body, secrets: [secret], now });
      await exchange.post(receiver.url, headers, body);
      const [request] = await receiver.waitFor(1);
      await exchange.close();
      await receiver.close();
      if (request === undefined) throw new Error('nothing arrived');
      return request;
    }

    it('takes a request that we really signed and sent', async () => {
      const { rawBody, headers } = await deliver(new Date());
      expect(isGenuine(rawBody, headers, secret)).to.equal(true);
    });

    it('refuses another body, another secret, an old request, and one without signature', async () => {
      const { rawBody, headers } = await deliver(new Date());
      expect(isGenuine(Buffer.concat([rawBody, Buffer.from(' ')]), headers, secret)).to.equal(false);
      expect(isGenuine(rawBody, headers, newWebhookSecret())).to.equal(false);
      expect(isGenuine(rawBody, { ...headers, 'x-webhook-signature': 'zz' }, secret)).to.equal(false);
      expect(isGenuine(rawBody, { ...headers, 'x-webhook-timestamp': 'soon' }, secret)).to.equal(false);
      expect(isGenuine(rawBody, {}, secret)).to.equal(false);
      const old = await deliver(new Date(Date.now() - 301_000));
      expect(isGenuine(old.rawBody, old.headers, secret)).to.equal(false);
    });
  });
});
