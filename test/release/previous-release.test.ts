import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { execute, withDatabase } from '../../dev/embedded-postgres/databases.ts';
import { build, endAll, freePort, startNode, startProcess, type Service } from '../processes/service.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReceiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { startLoad } from './load.ts';
import { buildCommit, findPrevious, PRINT_STATEMENTS } from './previous.ts';

/** As long as a dump of a database of middle size holds its locks. */
const READER_MS = 30_000;
const BESIDE_MS = 5_000;

describe('the previous release beside the schema of this one', () => {
  let folder = '';
  let neighbour: TestDatabase;
  let url = '';
  before(async function () {
    const previous = findPrevious();
    if ('missing' in previous) {
      // Whoever takes changes has the whole history: a check that nobody notices missing is none.
      if (process.env['CI'] === 'true') throw new Error(previous.missing);
      console.log(`      skipped: ${previous.missing}. PREVIOUS_RELEASE names a commit.`);
      this.skip();
    }
    console.log(`      the previous release is ${previous.commit}`);
    folder = buildCommit(previous.commit);
    build();
    neighbour = await createTestDatabase();
    const name = `release_${randomBytes(4).toString('hex')}`;
    await execute(neighbour.url, `CREATE DATABASE ${name}`);
    url = withDatabase(neighbour.url, name);
  });
  /** Ends what a test has opened, also when it fails: its fault is then the only one that is shown. */
  const closing: (() => unknown)[] = [];
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    closing.push(() => client.end());
    await client.connect();
    return client;
  };
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  after(async () => {
    await endAll();
    if (folder === '') return;
    rmSync(folder, { recursive: true, force: true });
    await execute(neighbour.url, `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
    await neighbour.drop();
  });

  it('serves without a 5xx and without stopping, beside a long reader, until the new processes do', async () => {
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      PUBLIC_URL: 'https://pay.example',
      HOST: '127.0.0.1',
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
      SIMULATOR_AUTOPAY_SECONDS: '0',
      SIMULATOR_BLOCK_SECONDS: '0.1',
      RATE_LIMIT_SCALE: '10000',
    };
    const old = (name: string, more = {}, args: string[] = []) =>
      startNode([join(folder, `dist/processes/${name}.js`), ...args], { ...env, ...more }, { cwd: folder });
    const succeed = async (service: Service) => expect(await service.ended(), service.output()).to.equal(0);

    await succeed(old('release'));
    const shop = ['create', '--json', '--name', 'Shop', '--currency', 'USDC', '--network', 'ethereum'];
    const created = old('merchants', {}, shop);
    await succeed(created);
    const { api_key: apiKey } = JSON.parse(created.printed()) as { api_key: string };

    const ports = [await freePort()];
    const oldWeb = old('web', { PORT: String(ports[0]) });
    const oldWorker = old('worker');
    await Promise.all([oldWeb.says('"listening"'), oldWorker.says('"working"')]);
    const receiver = await startReceiver();
    closing.push(() => receiver.close());
    const configured = await fetch(`http://127.0.0.1:${ports[0]}/v1/webhooks/config`, {
      method: 'PUT',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ webhookUrl: receiver.url, enabled: true }),
    });
    expect(configured.status).to.equal(200);

    const load = startLoad(ports, apiKey);
    closing.push(() => load.stop());
    await until('payments are there', () => load.seen.payments.length > 20);
    const reader = await connect();
    await holdAsDump(reader);
    const release = startProcess('release', env);
    await sleep(READER_MS);
    await reader.query('COMMIT');
    await succeed(release);
    await sleep(BESIDE_MS);

    const newPort = await freePort();
    const newWeb = startProcess('web', { ...env, PORT: String(newPort) });
    const newWorker = startProcess('worker', env);
    await Promise.all([newWeb.says('"listening"'), newWorker.says('"working"')]);
    ports.push(newPort);
    await sleep(BESIDE_MS);
    expect([oldWeb.isOver(), oldWorker.isOver()]).to.deep.equal([false, false]);
    // The load balancer takes the old one out before it ends.
    ports.shift();
    await sleep(1_000);
    for (const process_ of [oldWeb, oldWorker]) process_.signal('SIGTERM');
    await Promise.all([succeed(oldWeb), succeed(oldWorker)]);
    await sleep(BESIDE_MS);
    const { seen } = load;
    const client = await connect();
    await load.stop();
    expect(seen.faults).to.deep.equal([]);
    let left: unknown[] = [];
    await until(
      () => `every payment is settled and every webhook delivered, and not: ${JSON.stringify(left)}`,
      async () => (left = (await client.query(LEFT)).rows).length === 0,
    );
    const { rows } = await client.query<{ id: string }>('SELECT id FROM events');
    const ids = rows.map(({ id }) => id);
    const received = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
    console.log(`      ${seen.requests} requests, ${seen.payments.length} payments, ${ids.length} events`);
    expect(ids.filter((id) => !received.has(id))).to.deep.equal([]);
  });

  it('can prepare each of its statements against the schema', async () => {
    const printed = startNode(['--input-type=module', '-e', PRINT_STATEMENTS], {}, { cwd: folder });
    expect(await printed.ended(), printed.output()).to.equal(0);
    const statements = JSON.parse(printed.printed()) as { name: string; text: string }[];
    expect(statements.length).to.be.greaterThan(100);
    const client = await connect();
    const faults: string[] = [];
    for (const { name, text } of statements)
      if (/^\s*(?:--.*\n\s*)*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text))
        await client
          .query(`PREPARE ${pg.escapeIdentifier(name)} AS ${text}`)
          .catch((error: unknown) => faults.push(`${name}: ${String(error)}`));
    expect(faults).to.deep.equal([]);
  });
});

/** What is neither settled nor delivered. An event that was not dispatched yet has no delivery. */
const LEFT = `
  SELECT status, count(*), NULL AS error FROM payments WHERE status <> 'SETTLED' GROUP BY status
  UNION ALL
  SELECT coalesce(d.status, 'not dispatched'), count(*), a.error_class
  FROM events e
    LEFT JOIN deliveries d ON d.event_id = e.id
    LEFT JOIN delivery_attempts a ON a.delivery_id = d.id
  WHERE NOT EXISTS (SELECT FROM deliveries done WHERE done.event_id = e.id AND done.status = 'delivered')
  GROUP BY d.status, a.error_class`;

/** Holds what pg_dump holds of every table, until the transaction ends. */
async function holdAsDump(client: pg.Client): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  await client.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
}
