import { request } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { endAll, freePort } from './service.ts';
import { createStand, type Stand, type Web } from './stand.ts';

const PASSWORD = 'a long word for operators';
const GUESSES = 2_000;
const GUESSES_AT_ONCE = 50;

describe("the operators' door", function () {
  this.timeout(90_000);
  let stand: Stand;
  before(async () => {
    stand = await createStand({ ADMIN_PASSWORD: PASSWORD, RATE_LIMIT_SCALE: '1' });
  });
  afterEach(endAll);
  after(() => stand.close());

  it('looks at few of 2,000 guesses, and logs those without what was tried', async () => {
    const web = await stand.startWeb();
    const statuses: number[] = [];
    const guess = async (i: number) => {
      const answer = await enter(web.port, `guess-number-${i}`);
      statuses.push(answer.status);
      await answer.text();
    };
    for (let i = 0; i < GUESSES; i += GUESSES_AT_ONCE)
      await Promise.all(Array.from({ length: GUESSES_AT_ONCE }, (_, j) => guess(i + j)));
    const lookedAt = statuses.filter((status) => status === 401).length;
    expect(lookedAt).to.be.within(5, 12);
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(GUESSES - lookedAt);

    // The right password is no way past the wait that has just begun, and counts nothing as a guess.
    await until('a guess is looked at', async () => (await enter(web.port, 'guess-number-x')).status === 401);
    const early = await enter(web.port, PASSWORD);
    expect(early.status).to.equal(429);
    expect(Number(early.headers.get('retry-after'))).to.be.within(1, 60);
    const lines = () => web.output().match(/^.*"operator sign-in failed".*$/gm) ?? [];
    await until('each guess that was looked at is in the log', () => lines().length === lookedAt + 1);
    expect(JSON.parse(lines().at(-1) ?? '')).to.include({
      level: 'warn',
      address: '127.0.0.1',
      failures: lookedAt + 1,
    });
    expect(web.output()).to.not.match(/guess-number|Z3Vlc3Mt/);
    // Another address of this machine is not concerned.
    expect(await statusFrom('127.0.0.2', web.port, PASSWORD)).to.equal(200);
    expect(await statusFrom('127.0.0.2', web.port, 'wrong')).to.equal(401);
  });

  it('lets an operator in who waited', async () => {
    const web = await stand.startWeb();
    const wrong = Array.from({ length: 5 }, () => 'wrong');
    const statuses = await enterInARow(web.port, [...wrong, PASSWORD]);
    expect(statuses).to.deep.equal([...wrong.map(() => 401), 429]);
    await until('the second is over', async () => (await enter(web.port, PASSWORD)).status === 200);
    const metrics = await (await enter(web.port, PASSWORD)).text();
    expect(metrics).to.include('operator_sign_ins_failed_total{outcome="failed"} 5');
    expect(metrics).to.match(/operator_sign_ins_failed_total\{outcome="refused"\} \d+/);
  });

  it('is on ADMIN_PORT alone, probes without a password among it', async () => {
    const adminPort = await freePort();
    const web = await stand.startWeb({ ADMIN_PORT: String(adminPort) });
    for (const path of ['/metrics', '/admin/queues', '/admin/queues/api/queues'])
      expect((await enter(web.port, PASSWORD, path)).status, path).to.equal(404);
    // Load balancers look where they send requests.
    for (const path of ['/livez', '/readyz'])
      await until(`${path} is 200`, async () => {
        return (await fetch(`http://127.0.0.1:${web.port}${path}`)).status === 200;
      });
    for (const path of ['/metrics', '/admin/queues/', '/admin/queues/api/queues']) {
      expect((await fetch(`http://127.0.0.1:${adminPort}${path}`)).status, path).to.equal(401);
      expect((await enter(adminPort, PASSWORD, path)).status, path).to.equal(200);
    }
    for (const path of ['/v1/status', '/checkout/x', '/'])
      expect((await enter(adminPort, PASSWORD, path)).status, path).to.equal(404);
    await expectProbes(adminPort, web);
  });

  it('serves probes on ADMIN_PORT also when no password opens the rest', async () => {
    const adminPort = await freePort();
    await stand.startWeb({ ADMIN_PORT: String(adminPort), ADMIN_PASSWORD: '' });
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${adminPort}${path}`)).status;
    expect(await Promise.all(['/livez', '/readyz', '/metrics', '/admin/queues'].map(get))).to.deep.equal([
      200, 200, 404, 404,
    ]);
  });

  it('has the metrics of a worker on its ADMIN_PORT, behind the password, and no board', async () => {
    const adminPort = await freePort();
    await stand.startWorker({ ADMIN_PORT: String(adminPort) });
    expect((await fetch(`http://127.0.0.1:${adminPort}/metrics`)).status).to.equal(401);
    expect((await enter(adminPort, PASSWORD, '/admin/queues')).status).to.equal(404);
    const measured = [
      /^relay_pass_duration_seconds_count\{outcome="done"\} [1-9]/m,
      /^jobs_total\{job="chain.observe",outcome="done"\} [1-9]/m,
      /^job_lateness_seconds_count\{job="chain.observe"\} [1-9]/m,
      /^queue_jobs\{queue="refunds",state="waiting"\} 0$/m,
      /^queue_workers\{queue="refunds"\} 1$/m,
      /^chain_head_age_seconds\{network="bitcoin"\} \d/m,
      /^partition_end_seconds\{table="deliveries"\} [1-9]/m,
      /^db_pool_wait_seconds_count\{outcome="served"\} [1-9]/m,
    ];
    await until('everything that a worker does is measured', async () => {
      const text = await (await enter(adminPort, PASSWORD)).text();
      return measured.every((pattern) => pattern.test(text));
    });
  });

  it('is not ready without Postgres, and alive', async () => {
    const [adminPort, nobody] = [await freePort(), await freePort()];
    await stand.startWeb({
      ADMIN_PORT: String(adminPort),
      ADMIN_PASSWORD: '',
      DATABASE_URL: `postgres://u@127.0.0.1:${nobody}/x`,
    });
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${adminPort}${path}`)).status;
    expect(await Promise.all(['/livez', '/readyz'].map(get))).to.deep.equal([200, 503]);
  });
});

/** No limit counts them: 500 in a row are all answered, and web drains with a last answer to them. */
async function expectProbes(port: number, web: Web): Promise<void> {
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  for (let i = 0; i < 250; i += 1)
    for (const path of ['/livez', '/readyz']) {
      const { status } = await get(path);
      if (status !== 200) throw new Error(`${path} returned ${status}`);
    }
  expect(await (await get('/readyz')).json()).to.deep.equal({ status: 'ready' });
  web.signal('SIGTERM');
  expect(await web.ended()).to.equal(0);
}

/** Pipelined, so that the wait of a second is not over before the next is read. Returns the statuses. */
async function enterInARow(port: number, passwords: readonly string[]): Promise<number[]> {
  const heads = passwords.map(
    (password) =>
      `GET /metrics HTTP/1.1\r\nHost: web\r\nAuthorization: Basic ${btoa(`admin:${password}`)}\r\n`,
  );
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(`${heads.join('\r\n')}Connection: close\r\n\r\n`);
  const answers = (await socket.toArray()).join('');
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

function enter(port: number, password: string, path = '/metrics'): Promise<Response> {
  const Authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization } });
}

/** Linux answers on all of 127.0.0.0/8; fetch cannot choose the address that it calls from. */
async function statusFrom(localAddress: string, port: number, password: string): Promise<number> {
  const auth = `admin:${password}`;
  const call = request({ host: '127.0.0.1', port, localAddress, path: '/metrics', auth }).end();
  const [answer] = (await once(call, 'response')) as [{ statusCode: number; resume(): void }];
  answer.resume();
  return answer.statusCode;
}
