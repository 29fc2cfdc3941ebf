import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { execute, withDatabase } from '../../dev/embedded-postgres/databases.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import { missingMigrations } from '../../src/platform/postgres/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { build, endAll, freePort, startProcess, type ProcessName } from './service.ts';

const SECRETS_KEY = randomBytes(32).toString('base64');

describe('starting in production', function () {
  this.timeout(60_000);
  let empty: TestDatabase;
  let env: Record<string, string>;
  before(async () => {
    build();
    empty = await createEmptyDatabase();
    env = {
      NODE_ENV: 'production',
      DATABASE_URL: empty.url,
      SECRETS_KEY,
      PUBLIC_URL: 'https://pay.example',
      HOST: '127.0.0.1',
      PORT: '0',
    };
  });
  afterEach(endAll);
  after(() => empty.drop());

  /** Runs a process that is to end by itself. */
  async function run(name: ProcessName, variables: Record<string, string> = env, args: string[] = []) {
    const service = startProcess(name, variables, args);
    return { code: await service.ended(), output: service.output().trim() };
  }

  for (const name of ['web', 'worker'] as const)
    it(`${name} says that the release has not run`, async () => {
      const { code, output } = await run(name);
      expect(code).to.equal(1);
      expect(output).to.match(
        /^The database is not up to date, it lacks 0001_initial.*Run the release first: node dist\/processes\/release\.js$/,
      );
    });

  it('worker says that the queues have no tables, when the release was run for Redis', async () => {
    expect((await run('release', { ...env, REDIS_URL: 'redis://127.0.0.1:1' })).code).to.equal(0);
    const { code, output } = await run('worker');
    expect(code).to.equal(1);
    expect(output).to.include("it lacks the queues' tables");
  });

  it('brings an empty database up to date, also by three releases at once, and again', async () => {
    const fresh = await createEmptyDatabase();
    const variables = { ...env, DATABASE_URL: fresh.url };
    const three = await Promise.all(['a', 'b', 'c'].map(() => run('release', variables)));
    expect(three.map(({ code }) => code)).to.deep.equal([0, 0, 0]);
    const ran = three.flatMap(({ output }) =>
      output
        .split('\n')
        .filter((line) => line.includes('"migrations":'))
        .flatMap((line) => JSON.parse(line).migrations as string[]),
    );
    const db = openDb({ url: fresh.url, poolSize: 1, acquireMs: 5_000, queryMs: 5_000, name: 'test' });
    const { missing, isEmpty } = await missingMigrations(db);
    await db.destroy();
    expect({ missing, isEmpty }).to.deep.equal({ missing: [], isEmpty: false });
    expect(ran, 'each migration ran in one of the three').to.have.lengthOf(new Set(ran).size);
    const again = JSON.parse((await run('release', variables)).output);
    expect(again).to.deep.include({
      message: 'database is up to date',
      migrations: [],
      queues: 'postgres',
    });
    await fresh.drop();
  });

  it('release, worker and merchants say in one line that Postgres is unavailable', async () => {
    const away = { ...env, DATABASE_URL: `postgres://u:secret@127.0.0.1:${await freePort()}/x` };
    const ends = [run('release', away), run('worker', away), run('merchants', away, ['list'])];
    for (const { code, output } of await Promise.all(ends)) {
      expect(code).to.equal(1);
      expect(output).to.match(/^Postgres cannot be reached: connect ECONNREFUSED .*$/);
    }
  });

  it('web starts without Postgres, and answers 503', async () => {
    const [port, nobody] = [await freePort(), await freePort()];
    // A complete set of variables is enough: NODE_ENV need not say that this is production.
    const web = startProcess('web', {
      ...env,
      NODE_ENV: '',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      PORT: String(port),
      DATABASE_URL: `postgres://u:secret@127.0.0.1:${nobody}/x`,
    });
    await web.says('"listening"');
    expect(web.output()).to.include('PUBLIC_URL names this machine');
    const answer = await fetch(`http://127.0.0.1:${port}/v1/status`);
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
    web.signal('SIGTERM');
    expect(await web.ended()).to.equal(0);
    expect(web.output()).to.include('Postgres unavailable').and.not.include('secret');
  });

  it('web says that its port is taken', async () => {
    // It cuts the connections that the web process opens for its database, too.
    const other = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const nowhere = `postgres://u@127.0.0.1:${port}/x`;
    const { code, output } = await run('web', { ...env, PORT: String(port), DATABASE_URL: nowhere });
    other.close();
    expect(code).to.equal(1);
    expect(output.split('\n').at(-1)).to.match(
      new RegExp(`^Cannot listen on port ${port} of 127\\.0\\.0\\.1: .*EADDRINUSE.*$`),
    );
  });

  it('every process refuses a configuration that is not sound, and names the variables', async () => {
    const unsound = { NODE_ENV: 'production', DATBASE_URL: empty.url, WEBHOOK_RETRY_SECONDS: 'often' };
    const names = ['web', 'worker', 'release'] as const;
    const ends = await Promise.all(names.map((name) => run(name, unsound)));
    for (const [i, { code, output }] of ends.entries()) {
      expect(code).to.equal(1);
      // The release shows no link to anyone, and needs no PUBLIC_URL.
      expect(output.split('\n')).to.have.lengthOf(names[i] === 'release' ? 5 : 6);
      expect(output.includes('PUBLIC_URL is not set')).to.equal(names[i] !== 'release');
      expect(output)
        .to.include('DATBASE_URL is not a variable of this service: did you mean DATABASE_URL?')
        .and.include('WEBHOOK_RETRY_SECONDS must be')
        .and.include('DATABASE_URL is not set')
        .and.include('SECRETS_KEY is not set');
    }
  });

  it('web and worker are in production also when NODE_ENV is not set, and say what else to set', async () => {
    const weak = { DATABASE_URL: empty.url, ADMIN_PASSWORD: 'x' };
    const ends = await Promise.all([run('web', weak), run('worker', weak)]);
    for (const { code, output } of ends) {
      expect(code).to.equal(1);
      const [, ...faults] = output.split('\n').map((line) => line.replace('  - ', '').split(' ')[0]);
      expect(faults).to.deep.equal(['SECRETS_KEY', 'PUBLIC_URL', 'ADMIN_PASSWORD', 'NODE_ENV']);
      expect(output).to.include('for development set NODE_ENV=development');
    }
  });
});

/** Without the template's tables. */
async function createEmptyDatabase(): Promise<TestDatabase> {
  const neighbour = await createTestDatabase();
  const name = `empty_${randomBytes(4).toString('hex')}`;
  await execute(neighbour.url, `CREATE DATABASE ${name}`);
  return {
    url: withDatabase(neighbour.url, name),
    async drop() {
      await execute(neighbour.url, `DROP DATABASE ${name} WITH (FORCE)`);
      await neighbour.drop();
    },
  };
}
