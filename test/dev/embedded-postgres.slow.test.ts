import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { Client, type QueryResultRow } from 'pg';
import { findRunningEmbeddedPostgres } from '../../dev/embedded-postgres/find.ts';
import { isServerOf } from '../../dev/embedded-postgres/pid-file.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../dev/embedded-postgres/start.ts';

const START_MODULE = new URL(`../../dev/embedded-postgres/start${extname(import.meta.url)}`, import.meta.url);

describe('embedded Postgres', () => {
  let folder: string;
  let dataDir: string;
  let servers: EmbeddedPostgres[];
  let children: ChildProcess[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
    await chmod(folder, 0o711);
    dataDir = join(folder, 'data');
    servers = [];
    children = [];
  });

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({
      dataDir,
      initdbFlags: ['--no-sync'],
      log: () => {},
      ...options,
    });
    servers.push(server);
    return server;
  }

  /** Starts a Node process of its own that starts the server; its lines come one by one. */
  async function startInChild(afterwards: string) {
    const options = JSON.stringify({ dataDir, initdbFlags: ['--no-sync'] });
    const code = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(START_MODULE.href)});
      const server = await startEmbeddedPostgres({ ...${options}, log: () => {} });
      setInterval(() => {}, 1000);
      ${afterwards}
      console.log(server.url);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const nextLine = async () => String((await lines.next()).value);
    return { child, url: await nextLine(), nextLine };
  }

  it('keeps its data over a stop and a new start', async () => {
    const first = await start({ database: 'shop' });
    expect(first.adopted).to.equal(false);
    expect(new URL(first.url).pathname).to.equal('/shop');
    await query(first.url, 'CREATE TABLE note AS SELECT 1 AS id');
    await first.stop();
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);

    const second = await start({ database: 'shop' });
    expect(second.adopted).to.equal(false);
    expect(await query(second.url, 'SELECT id FROM note')).to.deep.equal([{ id: 1 }]);
  });

  it('speaks UTF-8, sorts by code point, keeps UTC and asks for the password of its folder', async () => {
    const { url } = await start();
    const [row] = await query(
      url,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('TimeZone') AS zone,
         lower('ÄÖ') AS lower, 'Z' < 'a' AS by_code_point`,
    );
    expect(row).to.deep.equal({ encoding: 'UTF8', zone: 'UTC', lower: 'äö', by_code_point: true });

    const password = join(dataDir, 'embedded-password');
    expect((await stat(password)).mode & 0o777).to.equal(0o600);
    expect(url).to.include(await readFile(password, 'utf8'));
    const wrong = new URL(url);
    wrong.password = 'guess';
    expect(await rejection(query(wrong.href, 'SELECT 1'))).to.include('password authentication failed');
  });

  it('gives two starts at once on a new folder the same server, and leaves nothing beside it', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.url).to.equal(two.url);
    expect([one.adopted, two.adopted]).to.have.members([true, false]);
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(one.url);
    expect(await readdir(folder)).to.deep.equal(['data']);

    await Promise.all([one.stop(), two.stop()]);
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
  });

  it('is adopted by the next start after kill -9 of the process that started it', async () => {
    const { child, url } = await startInChild('');
    await query(url, 'CREATE TABLE note AS SELECT 1 AS id');
    child.kill('SIGKILL');
    await once(child, 'close');

    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(url);
    const adopted = await start();
    expect(adopted.adopted).to.equal(true);
    expect(adopted.url).to.equal(url);
    // Nobody reads its log any more: writing an error there must not end it.
    expect(await rejection(query(url, 'SELECT nonsense'))).to.include('does not exist');
    expect(await query(url, 'SELECT id FROM note')).to.deep.equal([{ id: 1 }]);

    const pid = await postmasterPid(dataDir);
    await adopted.stop();
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
    expect(await isServerOf(dataDir, pid)).to.equal(false);
  });

  it('survives the Ctrl-C that reaches the whole process group, until it is stopped', async () => {
    const { child, url, nextLine } = await startInChild(`
      process.once('SIGINT', () => console.log('draining'));
      process.once('SIGTERM', async () => { await server.stop(); process.exit(0); });`);
    process.kill(-Number(child.pid), 'SIGINT');
    expect(await nextLine()).to.equal('draining');
    expect(await query(url, 'SELECT 1 AS alive')).to.deep.equal([{ alive: 1 }]);

    child.kill('SIGTERM');
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
  });

  it('recovers what was committed after kill -9 of the server itself', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE note AS SELECT 1 AS id');
    process.kill(await postmasterPid(dataDir), 'SIGKILL');

    const second = await start();
    expect(second.adopted).to.equal(false);
    expect(await query(second.url, 'SELECT id FROM note')).to.deep.equal([{ id: 1 }]);
  });

  it('starts over a postmaster.pid whose number another process of the same user has by now', async () => {
    const first = await start();
    const left = await readFile(join(dataDir, 'postmaster.pid'), 'utf8');
    await first.stop();
    const { uid, gid } = await stat(dataDir);
    const stranger = spawn('sleep', ['60'], {
      stdio: 'ignore',
      ...(process.getuid?.() === 0 ? { uid, gid } : {}),
    });
    children.push(stranger);
    await once(stranger, 'spawn');
    const pidFile = join(dataDir, 'postmaster.pid');
    await writeFile(pidFile, left.replace(/^\d+/, String(stranger.pid)), { mode: 0o600 });
    await chown(pidFile, uid, gid);

    expect(await findRunningEmbeddedPostgres(dataDir)).to.equal(null);
    const second = await start();
    expect(second.adopted).to.equal(false);
    await second.stop();
    expect(stranger.exitCode ?? stranger.signalCode).to.equal(null);
  });

  it('starts over a postmaster.pid that a crash left empty', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(dataDir, 'postmaster.pid'), '');
    expect((await start()).adopted).to.equal(false);
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot(
    '(only root) runs in a folder whose parent is closed to all others, and leaves it closed',
    async () => {
      const closed = join(folder, 'closed');
      await mkdir(closed, { mode: 0o700 });
      dataDir = join(closed, '.data', 'postgres');
      for (const round of [1, 2]) {
        const server = await start();
        await query(server.url, `CREATE TABLE note_${round} (id int)`);
        await server.stop();
      }
      expect((await stat(closed)).mode & 0o777).to.equal(0o700);
      expect((await stat(dataDir)).uid).not.to.equal(0);
    },
  );

  it('says in one line that the requested port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const message = await rejection(start({ port }));
    other.close();
    expect(message).to.equal(
      `Postgres of ${dataDir}: port ${port} on 127.0.0.1 is taken by another program.`,
    );
  });

  it('fails with the folder and the last words of Postgres when it does not start', async () => {
    const message = await rejection(start({ flags: ['-c', 'shared_buffers=nonsense'] }));
    expect(message).to.include(dataDir).and.to.include('invalid value for parameter "shared_buffers"');
  });

  it('touches no folder that holds something else', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'thesis.txt'), 'years of work');
    expect(await rejection(start())).to.include(dataDir);
    expect(await readdir(dataDir)).to.deep.equal(['thesis.txt']);
  });
});

async function query(url: string, statement: string): Promise<QueryResultRow[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<QueryResultRow>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function rejection(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'it did not fail',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function postmasterPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}
