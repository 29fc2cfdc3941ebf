import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { setWebhookConfig } from '../../src/domain/webhooks/endpoints/settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { startProcess, type Service } from './service.ts';
import { createStand, type Stand } from './stand.ts';

/** Where the command is killed: in the middle of a statement, by which it does a step or writes it down. */
const MOMENTS: Readonly<Record<string, readonly [end: 'source' | 'target', when: string]>> = {
  'it is to be announced': ['source', "INSERT ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'announced')"],
  'it is to arrive': ['target', "INSERT ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'arriving')"],
  'writes are to stop': [
    'source',
    'UPDATE ON merchant_moves FOR EACH ROW WHEN (OLD.stopped_until IS NULL AND NEW.stopped_until IS NOT NULL)',
  ],
  'rows are half-way': ['target', 'INSERT ON payments FOR EACH ROW'],
  'rows are nearly there': ['target', 'INSERT ON scheduled_jobs FOR EACH ROW'],
  'it is to be decided': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'moved')"],
  'routes are switched': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'switched')"],
  'its jobs are to go on': ['target', 'DELETE ON merchant_moves FOR EACH ROW'],
  'it has arrived': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'arrived')"],
  'rows are to be forgotten': ['source', 'DELETE ON payments FOR EACH ROW'],
  'it is forgotten': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'forgotten')"],
};
const LOCK = 4711;

describe('a move of a merchant that is killed', function () {
  this.timeout(180_000);
  let stand: Stand;
  let database: TestDatabase;
  let target: Db;
  let receiver: Receiver;
  let folder: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    stand = await createStand({ SIMULATOR_AUTOPAY_SECONDS: 'off', SIMULATOR_BLOCK_SECONDS: '3600' });
    database = await createTestDatabase();
    target = openDb({ url: database.url, poolSize: 5, acquireMs: 10_000, queryMs: 20_000, name: 'test' });
    receiver = await startReceiver();
    folder = await mkdtemp(join(tmpdir(), 'test-cells-'));
    await writeFile(
      join(folder, 'cells.json'),
      JSON.stringify({
        certificate: '/etc/pay.pem',
        default: 'a',
        cells: ['a', 'b'].map((name) => ({
          name,
          webs: ['127.0.0.1:1'],
          environment: { DATABASE_URL: `${name.toUpperCase()}_DATABASE_URL` },
        })),
      }),
    );
    env = {
      ...(stand.env as Record<string, string>),
      A_DATABASE_URL: String(stand.env.DATABASE_URL),
      B_DATABASE_URL: database.url,
      OPS_ACTOR: 'Ann Lee',
    };
    await setWebhookConfig(
      stand.db,
      stand.merchant.id,
      { webhookUrl: receiver.url, enabled: true },
      new Date(),
    );
  });
  afterEach(async () => {
    await stand.close();
    await receiver.close();
    await target.destroy();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const moveBy = (file: string, more: readonly string[]): Service =>
    startProcess(
      'ops',
      env,
      ['merchant', 'move', '--merchant', stand.merchant.id, '--to', 'b', '--file', file].concat(more),
    );
  const move = (...more: string[]): Service => moveBy(join(folder, 'cells.json'), more);
  const succeeds = async (ops: Service) => expect(await ops.ended(), ops.output()).to.equal(0);
  /** Lets a command come to the middle of a statement, and wait there for `goOn`. */
  const waitWhere = async (moment: string, ...more: string[]) => {
    const [end, when] = MOMENTS[moment] ?? ['source', ''];
    const db = end === 'source' ? stand.db : target;
    await db.raw(`CREATE FUNCTION test_wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(${LOCK});
        RETURN coalesce(NEW, OLD);
      END $$`);
    await db.raw(`CREATE TRIGGER a_test_waits BEFORE ${when} EXECUTE FUNCTION test_wait()`);
    // Not of the pool: its transactions end when they are idle.
    const holder = new Client({
      connectionString: end === 'source' ? env.A_DATABASE_URL : env.B_DATABASE_URL,
    });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
    const ops = move(...more);
    const waits = async () => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
      );
      if (rows.length === 0 && ops.isOver()) throw new Error(`it has ended: ${ops.output()}`);
      return rows.length > 0;
    };
    await until('the command waits', waits, 60_000);
    const goOn = async () => {
      await holder.end();
    };
    const forgetMoment = async () => {
      await db.raw(`DROP TRIGGER a_test_waits ON ${/ ON (\w+)/.exec(when)?.[1] ?? ''}`);
      await db.raw('DROP FUNCTION test_wait()');
    };
    return { ops, goOn, forgetMoment };
  };
  /** Kills the command in the middle of a statement that it waits in, and ends its connections. */
  const killWhere = async (moment: string, ...more: string[]) => {
    const { ops, goOn, forgetMoment } = await waitWhere(moment, ...more);
    ops.signal('SIGKILL');
    await ops.ended();
    for (const one of [stand.db, target])
      await one.raw(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name NOT LIKE 'test%' AND pid <> pg_backend_pid()
           AND application_name LIKE 'ops%'`,
      );
    await goOn();
    await forgetMoment();
  };

  for (const moment of Object.keys(MOMENTS))
    it(`goes on when ${moment}: nothing is lost, and nothing is told twice`, async () => {
      const web = await stand.startWeb();
      const worker = await stand.startWorker();
      const create = async () => {
        const body = { pay_amount: '10.50', order_id: 'order-1' };
        const answer = await web.api('POST', '/v1/payment', body);
        return ((await answer.json()) as { id: string }).id;
      };
      const ids = [await create(), await create(), await create()];
      await receiver.waitFor(3);
      if (moment === 'rows are to be forgotten' || moment === 'it is forgotten') {
        await succeeds(move());
        await killWhere(moment, '--forget');
      } else {
        await killWhere(moment);
        await succeeds(move());
      }
      await succeeds(move('--forget'));
      expect(await stand.rows('SELECT FROM payments')).to.deep.equal([]);
      worker.signal('SIGTERM');
      await worker.ended();
      const there = { DATABASE_URL: database.url };
      const [webThere] = [await stand.startWeb(there), await stand.startWorker(there)];
      for (const id of ids) {
        const cancelled = await webThere.api('POST', `/v1/payment/${id}/cancel`, {});
        expect(cancelled.status).to.equal(200);
      }
      expect((await web.api('POST', '/v1/payment', {})).status).to.equal(503);
      await receiver.waitFor(6);
      const told = receiver.requests.map(({ rawBody }) => {
        const { data, sequence } = JSON.parse(rawBody.toString()) as {
          data: { checkout: { id: string } };
          sequence: number;
        };
        return `${data.checkout.id} ${sequence}`;
      });
      expect(told).to.have.members(ids.flatMap((id) => [`${id} 1`, `${id} 2`]));
    });

  const UNDECIDED = Object.keys(MOMENTS).slice(0, 6);
  for (const moment of UNDECIDED)
    it(`goes on by one command of two, with a file of cells each, when ${moment}`, async () => {
      const web = await stand.startWeb();
      const body = { pay_amount: '10.50', order_id: 'order-1' };
      await web.api('POST', '/v1/payment', body);
      const elsewhere = join(folder, 'elsewhere');
      await mkdir(elsewhere);
      await copyFile(join(folder, 'cells.json'), join(elsewhere, 'cells.json'));
      const { ops: first, goOn, forgetMoment } = await waitWhere(moment);
      const second = moveBy(join(elsewhere, 'cells.json'), []);
      const waits = async () => {
        const blocked = [];
        for (const one of [stand.db, target])
          blocked.push(
            ...(
              await one.raw<{ rows: unknown[] }>(
                `SELECT FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE 'ops%' AND wait_event_type = 'Lock'`,
              )
            ).rows,
          );
        return blocked.length > 1 || second.isOver();
      };
      await until('the other one waits as well, or has ended', waits, 60_000);
      await goOn();
      const ends = [await first.ended(), await second.ended()];
      expect(
        ends.filter((end) => end === 0),
        `${first.output()} ${second.output()}`,
      ).to.have.length(1);
      const [lost] = [first, second].filter((_, place) => ends[place] !== 0);
      expect(lost?.output()).to.match(/taken over|already/);
      await forgetMoment();
      expect(await stand.rows('SELECT step FROM merchant_moves')).to.deep.equal([{ step: 'arrived' }]);
      expect(await target('merchant_moves').select()).to.deep.equal([]);
      expect(await target('payments').select('status')).to.deep.equal([{ status: 'WAITING' }]);
      expect((await web.api('POST', '/v1/payment', body)).status).to.equal(503);
    });

  for (const moment of UNDECIDED)
    it(`is rolled back by command when ${moment}, and the merchant goes on in the source`, async () => {
      const web = await stand.startWeb();
      const pay = () => web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'order-1' });
      await pay();
      await killWhere(moment);
      await succeeds(move('--rollback'));
      expect((await pay()).status).to.equal(201);
      for (const one of [stand.db, target]) {
        expect(await one('merchant_moves').select()).to.deep.equal([]);
        const { rows } = await one.raw<{ rows: unknown[] }>(
          `SELECT FROM pg_trigger WHERE tgname LIKE 'moving %'`,
        );
        expect(rows).to.deep.equal([]);
      }
      expect(await target('merchants').select()).to.deep.equal([]);
      expect(await stand.rows('SELECT FROM payments')).to.have.length(2);
    });
});
