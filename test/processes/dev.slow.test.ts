import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { findRunningEmbeddedPostgres } from '../../dev/embedded-postgres/find.ts';
import { findServer } from '../../dev/embedded-postgres/pid-file.ts';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres/start.ts';
import { ENGINES } from '../support/engines.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { hang, startReceiver } from '../support/receivers.ts';
import { createCheckout, type Checkout, type Terminal } from './checkout.ts';
import { freePort } from './service.ts';

describe('npm run dev', function () {
  this.timeout(90_000);
  let checkout: Checkout;
  let dataDir: string;
  let port: string;
  let terminals: Terminal[];
  before(async () => {
    checkout = await createCheckout();
    dataDir = join(checkout.folder, '.data/postgres');
  });
  beforeEach(async () => {
    port = String(await freePort());
    terminals = [];
  });
  afterEach(() => {
    for (const terminal of terminals) if (!terminal.isOver()) terminal.killAll();
  });
  after(async () => {
    if (existsSync(dataDir)) await (await startEmbeddedPostgres({ dataDir, log: () => undefined })).stop();
    await checkout.remove();
  });

  function dev(env: Record<string, string> = {}): Terminal {
    const terminal = checkout.npm(['run', 'dev'], { PORT: port, ...env });
    terminals.push(terminal);
    return terminal;
  }

  const api = (path: string, init: RequestInit = {}) =>
    fetch(`${checkout.facts().base_url}${path}`, {
      ...init,
      headers: { 'X-API-Key': checkout.facts().api_key, 'Content-Type': 'application/json' },
    });

  it('names a faulty variable and leaves nothing running', async () => {
    const service = dev({ WEBHOOK_RETRY_SECOND: '5', LOG_LEVEL: 'loud' });
    expect(await service.ended()).to.equal(1);
    expect(service.output())
      .to.include(
        'WEBHOOK_RETRY_SECOND is not a variable of this service: did you mean WEBHOOK_RETRY_SECONDS?',
      )
      .and.include('LOG_LEVEL must be one of error, warn, info, debug')
      .and.not.include('    at ');
    expect(existsSync(dataDir)).to.equal(false);
  });

  it('answers and writes its facts, shares its database, keeps its port, and ends all of it with Ctrl-C', async () => {
    const service = dev();
    await service.says('Stop with Ctrl-C');
    const facts = checkout.facts();
    expect(Object.keys(facts)).to.deep.equal([
      'base_url',
      'api_key',
      'merchant_id',
      'webhook_secret',
      'database_url',
      'bull_board_url',
      'admin_password',
    ]);
    expect(facts.base_url).to.equal(`http://localhost:${port}`);
    for (const fact of [`${facts.base_url}/docs`, facts.api_key, facts.webhook_secret])
      expect(service.output()).to.include(fact);
    expect(await (await api('/v1/status')).json()).to.include({
      status: 'ok',
      authenticated: true,
      merchant_id: facts.merchant_id,
      simulated: true,
    });
    const secrets = (await (await api('/v1/webhooks/secrets')).json()) as { secret: string };
    expect(secrets.secret).to.equal(facts.webhook_secret);
    const board = await fetch(facts.bull_board_url, {
      headers: { Authorization: `Basic ${btoa(`admin:${facts.admin_password}`)}` },
    });
    expect(board.status).to.equal(200);
    const [link = ''] = /http:\/\/localhost:\d+\/dashboard\/links\/[\w-]+/.exec(service.output()) ?? [];
    const use = () =>
      fetch(link, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    const signedIn = await use();
    const Cookie = signedIn.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
    const desk = await fetch(`${facts.base_url}/dashboard`, { headers: { Cookie }, redirect: 'manual' });
    expect(desk.headers.get('location')).to.equal(`/dashboard/${facts.merchant_id}`);
    expect((await use()).status, 'it signs in once').to.equal(404);
    expect(await findRunningEmbeddedPostgres(dataDir, 'payment_checkout')).to.equal(facts.database_url);

    const second = dev();
    expect(await second.ended()).to.equal(1);
    const said = second
      .output()
      .split('\n')
      .filter((line) => line !== '' && !/^> |^npm /.test(line));
    expect(said).to.deep.equal([
      `Port ${port} on 127.0.0.1 is taken. Choose another one: PORT=${Number(port) + 1} npm run dev`,
    ]);
    const merchants = checkout.npm(['run', '--silent', 'merchants', '--', 'list', '--json']);
    terminals.push(merchants);
    expect(await merchants.ended()).to.equal(0);
    expect(merchants.output()).to.include(facts.merchant_id);
    expect(checkout.facts(), 'the first one goes on').to.deep.equal(facts);
    expect((await api('/v1/webhooks/config')).status, 'with its database').to.equal(200);

    service.pressCtrlC();
    await service.ended();
    expect(service.output()).to.include('draining').and.not.include('could not drain');
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
  });

  it('after kill -9, of Postgres too, has the same merchant and payments again', async () => {
    const first = dev();
    await first.says('Stop with Ctrl-C');
    const facts = checkout.facts();
    const created = await api('/v1/payment', {
      method: 'POST',
      body: JSON.stringify({ pay_amount: '1', order_id: 'before' }),
    });
    const { id } = (await created.json()) as { id: string };
    first.killAll();
    await first.ended();

    const second = dev();
    await second.says('Stop with Ctrl-C');
    expect(checkout.facts()).to.deep.equal(facts);
    expect((await api(`/v1/payment/${id}`)).status).to.equal(200);
    const server = await findServer(dataDir);
    if (server === null) throw new Error('no Postgres runs');
    second.killAll();
    process.kill(server.pid, 'SIGKILL');
    await second.ended();
    expect(existsSync(join(dataDir, 'postmaster.pid')), 'a stale postmaster.pid').to.equal(true);

    const third = dev();
    await third.says('Stop with Ctrl-C');
    expect((await api(`/v1/payment/${id}`)).status).to.equal(200);
    third.pressCtrlC();
    await third.ended();
  });

  it('npm run merchants starts the database by itself, and ends it again', async () => {
    const args = ['create', '--name', 'x', '--currency', 'USDC', '--network', 'ethereum', '--json'];
    const merchants = checkout.npm(['run', '--silent', 'merchants', '--', ...args]);
    terminals.push(merchants);
    expect(await merchants.ended()).to.equal(0);
    // A terminal shows the log beside the result: it is on standard error.
    const result =
      merchants
        .output()
        .split('\n')
        .find((line) => line.includes('"api_key"')) ?? '';
    expect(JSON.parse(result)).to.have.all.keys('merchant_id', 'api_key', 'webhook_secret');
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
  });

  it('uses DATABASE_URL and REDIS_URL when they are set, and starts no database then', async () => {
    const database = await createTestDatabase();
    const { REDIS_URL } = (await ENGINES.at(-1)?.env()) ?? {};
    const service = dev({ DATABASE_URL: database.url, ...(REDIS_URL === undefined ? {} : { REDIS_URL }) });
    await service.says(`queues on ${REDIS_URL === undefined ? 'postgres' : 'redis'}`);
    await service.says('Stop with Ctrl-C');
    expect(checkout.facts().database_url).to.equal(database.url);
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
    expect(await (await api('/v1/status')).json()).to.include({ authenticated: true });
    service.pressCtrlC();
    await service.ended();
    await database.drop();
  });

  it('ends soon though a webhook hangs', async () => {
    const receiver = await startReceiver({ answer: () => hang });
    const first = dev({ WEBHOOK_TIMEOUT_SECONDS: '600', SIMULATOR_AUTOPAY_SECONDS: 'off' });
    await first.says('Stop with Ctrl-C');
    const config = JSON.stringify({ webhookUrl: receiver.url, enabled: true });
    await api('/v1/webhooks/config', { method: 'PUT', body: config });
    await api('/v1/payment', { method: 'POST', body: JSON.stringify({ pay_amount: '1', order_id: 'x' }) });
    await receiver.waitFor(1);
    first.pressCtrlC();
    await first.ended();
    expect(first.output()).to.include('shutdown incomplete; interrupted jobs run again at the next start');
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
    await receiver.close();
  });
});
