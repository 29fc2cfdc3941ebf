import { expect } from 'chai';
import { execute } from '../../../dev/embedded-postgres/databases.ts';
import { isUnavailable, openDb, run, sql, type Db } from '../../../src/platform/postgres/db.ts';
import { parseServers } from '../../../src/platform/values/postgres-urls.ts';
import { freePort } from '../../support/free-port.ts';
import { startPostgresProxy, type PostgresProxy } from '../../support/postgres-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const ping = sql<{ one: number }>('test_ping_servers', 'SELECT 1 AS one');
const write = sql('test_write_servers', 'CREATE TABLE written ()');

describe('several hosts in one URL', () => {
  it('each gets a URL of its own, without target_session_attrs', () => {
    const url = 'postgres://u:p%40@a:1,[::1]:2/x?sslmode=require&target_session_attrs=primary';
    expect(parseServers(url)).to.deep.equal({
      urls: ['postgres://u:p%40@a:1/x?sslmode=require', 'postgres://u:p%40@[::1]:2/x?sslmode=require'],
      mustWrite: true,
    });
    expect(parseServers('postgres://a/x')).to.deep.equal({ urls: ['postgres://a/x'], mustWrite: false });
  });

  describe('the pool', () => {
    let database: TestDatabase;
    let proxies: PostgresProxy[];
    let db: Db;
    beforeEach(async () => {
      database = await createTestDatabase();
      proxies = await Promise.all([startPostgresProxy(database.url), startPostgresProxy(database.url)]);
    });
    afterEach(async () => {
      await db.destroy();
      await Promise.all(proxies.map((proxy) => proxy.close().catch(() => undefined)));
      await database.drop();
    });

    const open = (hosts: readonly string[]) => {
      const { username, password, pathname } = new URL(database.url);
      const url = `postgres://${username}:${password}@${hosts.join(',')}${pathname}?target_session_attrs=read-write`;
      return openDb({ url, poolSize: 2, acquireMs: 5_000, queryMs: 5_000, name: 'test' });
    };
    const hostOf = (proxy: PostgresProxy | undefined) => new URL(proxy?.url ?? '').host;

    it('connects to the host that responds', async () => {
      db = open([`127.0.0.1:${await freePort()}`, hostOf(proxies[0])]);
      expect(await run(db, ping, [])).to.deep.equal([{ one: 1 }]);
    });

    it('goes on with the other host when one is gone', async () => {
      db = open(proxies.map(hostOf));
      for (const proxy of proxies) {
        expect(await run(db, ping, [])).to.deep.equal([{ one: 1 }]);
        if (proxy === proxies[0]) await proxy.close();
        // What is asked meanwhile fails as when Postgres is away, and is asked again by its caller.
        const error: unknown = await run(db, ping, []).catch((fault: unknown) => fault);
        if (error instanceof Error) expect(isUnavailable(error)).to.equal(true);
      }
      expect(await run(db, ping, [])).to.deep.equal([{ one: 1 }]);
    });

    it('says which host takes no writes when none does, and drops the connections to one that was demoted', async () => {
      db = open(proxies.map(hostOf));
      await run(db, ping, []);
      const name = new URL(database.url).pathname.slice(1);
      await execute(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await db.raw('SET default_transaction_read_only = on');
      const refused: unknown = await run(db, write, []).catch((fault: unknown) => fault);
      expect(isUnavailable(refused)).to.equal(true);
      const error: unknown = await run(db, ping, []).catch((fault: unknown) => fault);
      expect(isUnavailable(error)).to.equal(true);
      expect(String(error)).to.include('No server of the database').and.to.include('is read-only');
    });
  });
});
