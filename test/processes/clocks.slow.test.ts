import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Environment } from '../../src/platform/config/config.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { endAll, freePort, startProcess } from './service.ts';
import { createStand, type Stand, type Web } from './stand.ts';

const SHIFTED_CLOCK = fileURLToPath(new URL('../support/shifted-clock.mjs', import.meta.url));
/** docs/webhooks.md: what receivers allow. */
const TOLERANCE_SECONDS = 300;
/** What the corrected time may differ from this process's, on a busy machine. */
const CORRECTED_SECONDS = 3;
const PAYMENTS = 10;
const EVENTS_OF_A_PAYMENT = 3;

describe('a machine whose clock is off', function () {
  this.timeout(120_000);
  let stand: Stand;
  let receiver: Receiver;
  let folder: string;
  before(async () => {
    stand = await createStand({ SIMULATOR_AUTOPAY_SECONDS: '' });
    await stand.rows(`UPDATE merchants SET webhooks_enabled = true, webhook_url = 'http://127.0.0.1:9/'`);
    folder = await mkdtemp(join(tmpdir(), 'test-clocks-'));
  });
  beforeEach(async () => {
    // Like a merchant's: a timestamp beyond the tolerance is refused.
    receiver = await startReceiver({
      answer: (request) => ({ status: skewOf(request) <= TOLERANCE_SECONDS ? 200 : 400 }),
    });
  });
  afterEach(async () => {
    await endAll();
    await receiver.close();
  });
  after(async () => {
    await stand.close();
    await rm(folder, { recursive: true });
  });

  let machines = 0;
  /** A machine with such a clock: the variables of its processes, and what sets its clock. */
  const machine = (seconds: number) => {
    machines += 1;
    const file = join(folder, `machine-${machines}`);
    const setClock = (shift: number) => writeFileSync(file, String(shift));
    setClock(seconds);
    const env: Environment = { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, SHIFT_FILE: file };
    return { env, setClock };
  };

  const create = async (web: Web): Promise<string> => {
    const body = { pay_amount: '10.50', order_id: 'clocks', callback_url: receiver.url };
    const created = await web.api('POST', '/v1/payment', body);
    expect(created.status).to.equal(201);
    return ((await created.json()) as { id: string }).id;
  };
  const pay = async (web: Web): Promise<string> => {
    const id = await create(web);
    const paid = await web.api('POST', `/v1/sandbox/payments/${id}/transfers`, {});
    expect(paid.status).to.equal(201);
    return id;
  };
  const statusOf = async (id: string) =>
    (await stand.rows<{ status: string }>('SELECT status FROM payments WHERE id = ?', [id]))[0]?.status;
  const isSettled = async (id: string) => (await statusOf(id)) === 'SETTLED';

  /** Payments are made, paid and settled; every one of their events arrives, signed with the right time. */
  const assertDelivers = async (web: Web) => {
    const before = receiver.requests.length;
    const startedAt = Date.now();
    const ids: string[] = [];
    for (let i = 0; i < PAYMENTS; i += 1) ids.push(await pay(web));
    await until('all payments are settled', async () => {
      const settled = await Promise.all(ids.map(isSettled));
      return settled.every(Boolean);
    });
    await receiver.waitFor(before + PAYMENTS * EVENTS_OF_A_PAYMENT, { timeoutMs: 30_000 });
    await until('nothing is left to deliver', async () => {
      const [row] = await stand.rows<{ count: string }>(
        `SELECT count(*) FROM deliveries WHERE status <> 'delivered' AND payment_id = ANY (?)`,
        [ids],
      );
      return Number(row?.count) === 0;
    });
    const sent = receiver.requests.filter(({ rawBody }) => ids.some((id) => rawBody.includes(id)));
    expect(sent).to.have.length.of.at.least(PAYMENTS * EVENTS_OF_A_PAYMENT);
    // Between what came before it and what came after it, however long that took.
    const mayDifferMs = CORRECTED_SECONDS * 1000;
    for (const request of sent)
      expect(signedAt(request)).to.be.within(
        startedAt - mayDifferMs,
        request.receivedAt.getTime() + mayDifferMs,
      );
  };

  /** A payment expires at its deadline, and not before. */
  const assertExpiresInTime = async (web: Web) => {
    const id = await create(web);
    const deadline = Date.now() + 6_000;
    await stand.rows(
      `WITH payment AS (UPDATE payments SET expires_at = to_timestamp(?), deadline_at = to_timestamp(?)
         WHERE id = ? RETURNING id, deadline_at)
       UPDATE scheduled_jobs SET run_at = deadline_at, visible_at = deadline_at FROM payment WHERE key = id`,
      [deadline / 1000, deadline / 1000, id],
    );
    await until('it expires', async () => (await statusOf(id)) === 'EXPIRED');
    const seenAt = Date.now();
    expect(seenAt).to.be.at.least(deadline);
    const [event] = await stand.rows<{ created_at: Date }>(
      `SELECT created_at FROM events WHERE payment_id = ? ORDER BY sequence DESC LIMIT 1`,
      [id],
    );
    expect(event?.created_at.getTime()).to.be.within(deadline, seenAt + CORRECTED_SECONDS * 1000);
  };

  it("works by the database's time while its clock is up to 30 s off", async () => {
    const off = [5, 25, -25].map((seconds) => machine(seconds).env);
    const web = await stand.startWeb(off[2]);
    const workers = await Promise.all(off.map((env) => stand.startWorker(env)));
    await assertExpiresInTime(web);
    await stand.startWorker();
    await assertDelivers(web);
    for (const [i, said] of ['5.0 s ahead of', '25.0 s ahead of', '25.0 s behind'].entries())
      expect(workers[i]?.output()).to.include(`${said} the database server's`);
  });

  for (const seconds of [600, -600])
    it(`refuses to start a worker whose clock is ${seconds} s off, and others do its work`, async () => {
      const { env } = machine(seconds);
      const [web] = await Promise.all([stand.startWeb(), stand.startWorker()]);
      const worker = startProcess('worker', { ...stand.env, ...env });
      await worker.says(/(?:600|599)\.\d s (?:ahead of|behind) the database server's/);
      expect(worker.output()).to.include('NTP');
      expect(await worker.ended()).to.equal(1);
      await assertExpiresInTime(web);
      await assertDelivers(web);
    });

  it('is set while a worker runs: the worker stops, and goes on when the clock is right', async () => {
    const { env, setClock } = machine(0);
    const web = await stand.startWeb();
    const worker = await stand.startWorker(env);
    await assertDelivers(web);
    setClock(600);
    await worker.says('no work is taken until the clock is right');
    const id = await pay(web);
    // What another worker's sweep enqueues must wait as well: the one of a worker without these queues.
    const relay = await stand.startWorker({ WORKER_QUEUES: 'clean-up' });
    await until('the payment waits in a queue', async () => {
      const rows = await stand.rows(`SELECT FROM bullmq.job WHERE state = 'waiting'`);
      return rows.length > 0;
    });
    relay.signal('SIGTERM');
    expect(await relay.ended()).to.equal(0);
    expect(await isSettled(id)).to.equal(false);
    const errors = () =>
      worker
        .output()
        .split('\n')
        .filter((line) => /"level":"error".*"message":"The system clock/.test(line));
    expect(errors()).to.have.lengthOf(1);
    setClock(0);
    await worker.says('work goes on');
    await until('the payment is settled', () => isSettled(id));
    expect(errors(), 'it is logged once').to.have.lengthOf(1);
    setClock(-20);
    await worker.says(/20\.\d s behind the database server's/);
    await assertDelivers(web);
  });

  it('takes a web process out of the load balancer, whose answers stay right', async () => {
    const { env, setClock } = machine(600);
    const ADMIN_PORT = String(await freePort());
    const ADMIN_PASSWORD = 'a long word for operators';
    const web = await stand.startWeb({ ...env, ADMIN_PORT, ADMIN_PASSWORD });
    await stand.startWorker();
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${ADMIN_PORT}${path}`, {
        headers: { Authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}` },
      });
    const offset = async () =>
      Number(/^clock_offset_seconds (\S+)$/m.exec(await (await ask('/metrics')).text())?.[1]);
    const status = async () =>
      (await (await web.api('GET', '/v1/status')).json()) as { status: string; timestamp: string };
    const secondsFromNow = (time: string) => Math.abs(Date.parse(time) - Date.now()) / 1000;

    expect((await ask('/readyz')).status).to.equal(503);
    expect((await ask('/livez')).status).to.equal(200);
    expect(await offset()).to.be.closeTo(600, CORRECTED_SECONDS);
    expect((await status()).status).to.equal('degraded');
    expect(secondsFromNow((await status()).timestamp)).to.be.lessThan(CORRECTED_SECONDS);
    await assertDelivers(web);

    setClock(-10);
    await until('it is ready', async () => (await ask('/readyz')).status === 200);
    expect(await offset()).to.be.closeTo(-10, CORRECTED_SECONDS);
    expect((await status()).status, 'more than 2 s off').to.equal('degraded');
    setClock(0);
    await until('the status is ok', async () => (await status()).status === 'ok');
    expect(await offset()).to.be.closeTo(0, CORRECTED_SECONDS);
  });

  it('hinders no command of operators, which warns them', async () => {
    const { env } = machine(600);
    const ops = startProcess('ops', { ...stand.env, ...env }, ['stuck', '--json']);
    expect(await ops.ended()).to.equal(0);
    expect(ops.printed()).to.equal('{"stuck":[]}\n');
    expect(ops.output()).to.match(/s ahead of the database server's/);
  });
});

/** How far the timestamp of a webhook is from this process's time, in seconds. */
function skewOf(request: ReceivedRequest): number {
  return Math.abs(request.receivedAt.getTime() - signedAt(request)) / 1000;
}

/** The time that a webhook says it was signed at, in milliseconds. */
function signedAt({ headers }: ReceivedRequest): number {
  return Number(headers['x-webhook-timestamp']) * 1000;
}
