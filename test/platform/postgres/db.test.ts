import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { isUnavailable, openDb, poolOf, run, sql, type Db } from '../../../src/platform/postgres/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const insert = sql('test_insert', 'INSERT INTO notes (text) VALUES ($1)');
const texts = sql<{ text: string }>('test_texts', 'SELECT text FROM notes ORDER BY text');
const whole = sql<{ text: string }>('test_whole', 'SELECT * FROM notes ORDER BY text');
const nap = sql('test_nap', `SELECT pg_sleep(0.1)`);
const slow = sql('test_slow', `SELECT pg_sleep(600)`);
const ping = sql('test_ping', 'SELECT 1');

describe('the pool of connections', () => {
  let database: TestDatabase;
  let wire: Wire;
  let db: Db;
  let direct: Db;
  beforeEach(async () => {
    database = await createTestDatabase();
    wire = await openWire(database.url);
    const options = { poolSize: 3, acquireMs: 5_000, name: 'test' };
    db = openDb({ ...options, url: wire.url, queryMs: 400 });
    direct = openDb({ ...options, url: database.url, queryMs: 5_000 });
    await direct.raw('CREATE TABLE notes (text text NOT NULL UNIQUE)');
  });
  afterEach(async () => {
    wire.flow();
    await db.destroy();
    await direct.destroy();
    await wire.close();
    await database.drop();
  });

  /** What everybody else sees: what was committed. */
  const committed = async () => (await run(direct, texts, [])).map(({ text }) => text);
  const used = () => poolOf(db).usedCount;
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (isUnavailable(error) ? 'unavailable' : String(error)),
    );

  it('goes on after a migration that changed a table under its prepared statements', async () => {
    await run(db, insert, ['before']);
    // Prepared on every connection of the pool.
    await Promise.all(
      Array.from({ length: 3 }, () =>
        db.transaction(async (tx) => {
          await run(tx, whole, []);
          await run(tx, nap, []);
        }),
      ),
    );
    await direct.raw(`ALTER TABLE notes ADD COLUMN language text DEFAULT 'en'`);
    const inTransaction = db.transaction(async (tx) => {
      await run(tx, insert, ['lost']);
      await run(tx, whole, []);
    });
    expect(await outcomeOf(inTransaction)).to.equal('unavailable');
    expect(await run(db, whole, [])).to.deep.equal([{ text: 'before', language: 'en' }]);
    await db.transaction(async (tx) => void (await run(tx, whole, [])));
    expect([await committed(), used()]).to.deep.equal([['before'], 0]);
  });

  it('survives a Postgres that ends every connection in the middle of transactions and statements', async () => {
    for (let round = 0; round < 3; round += 1) {
      const work = Promise.all([
        ...Array.from({ length: 2 }, (_, i) =>
          outcomeOf(
            db.transaction(async (tx) => {
              await run(tx, insert, [`lost ${round} ${i}`]);
              await run(tx, slow, []);
            }),
          ),
        ),
        outcomeOf(run(db, slow, [])),
      ]);
      await until('all three are at work', async () => (await sleepers()) === 3);
      await direct.raw(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      expect(await work).to.deep.equal(['unavailable', 'unavailable', 'unavailable']);
      expect(used()).to.equal(0);
    }
    await db.transaction((tx) => run(tx, insert, ['kept']));
    expect(await committed()).to.deep.equal(['kept']);
  });

  it('gives up a BEGIN without an answer, and nothing of that transaction happens when Postgres wakes up', async () => {
    await run(db, ping, []);
    wire.stall();
    const given = db.transaction((tx) => run(tx, insert, ['of a transaction that never began']));
    expect(await outcomeOf(given)).to.equal('unavailable');
    wire.flow();
    // Three callers, so that every connection of the pool is used: each is answered, and what it writes
    // stays.
    await Promise.all(['a', 'b', 'c'].map((text) => run(db, insert, [text])));
    expect(await committed()).to.deep.equal(['a', 'b', 'c']);
  });

  it('gives up a statement in a transaction, and gives its connection to no other caller', async () => {
    let connectionsBefore = 0;
    const given = db.transaction(async (tx) => {
      await run(tx, insert, ['rolled back']);
      connectionsBefore = wire.connections;
      wire.stall();
      await run(tx, insert, ['never answered']);
    });
    expect(await outcomeOf(given)).to.equal('unavailable');
    wire.flow();
    await run(db, insert, ['kept']);
    expect(await committed()).to.deep.equal(['kept']);
    expect(wire.connections).to.be.greaterThan(connectionsBefore);
    expect(used()).to.equal(0);
  });

  it('gives up a COMMIT without an answer, and gives its connection to no other caller', async () => {
    const given = db.transaction(async (tx) => {
      await run(tx, insert, ['perhaps']);
      wire.stall();
    });
    expect(await outcomeOf(given)).to.equal('unavailable');
    wire.flow();
    await Promise.all(['a', 'b', 'c'].map((text) => run(db, insert, [text])));
    expect(await committed()).to.include.members(['a', 'b', 'c']);
  });

  it('loses no connection to a caller who gave up while it was made and prepared', async () => {
    const one = openDb({ url: wire.url, poolSize: 1, acquireMs: 1_000, queryMs: 5_000, name: 'test' });
    const held = await poolOf(one).connect();
    wire.stallAt('set_config');
    const waiting = outcomeOf(poolOf(one).connect());
    held.release(true);
    expect(await waiting).to.equal('unavailable');
    wire.flow();
    await run(one, ping, []);
    await one.destroy();
  });

  it('refuses a statement that comes after the end of its transaction', async () => {
    const kept = await db.transaction((tx) => Promise.resolve(tx));
    expect(await outcomeOf(run(kept, insert, ['late']))).to.include('after the end of its transaction');
    // One of two at once fails: the other may come after the rollback, when the connection is somebody
    // else's.
    const given = db.transaction(async (tx) => {
      await run(tx, insert, ['twice']);
      await Promise.all([
        run(tx, insert, ['twice']),
        until('the rollback', () => tx.isCompleted()).then(() => run(tx, insert, ['late'])),
      ]);
    });
    expect(await outcomeOf(given)).to.include('duplicate key');
    expect(await committed()).to.deep.equal([]);
  });

  it('keeps the connection of a statement that Postgres refused', async () => {
    await run(db, insert, ['once']);
    const { connections } = wire;
    for (let i = 0; i < 5; i += 1) {
      const refused = db.transaction((tx) => run(tx, insert, ['once']));
      expect(await outcomeOf(refused)).to.include('duplicate key');
    }
    expect(wire.connections).to.equal(connections);
  });

  async function sleepers(): Promise<number> {
    const { rows } = await direct.raw<{ rows: { count: number }[] }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
    );
    return rows[0]?.count ?? 0;
  }
});

/** A way to Postgres that can be made to stall, in both directions, without closing. */
interface Wire {
  readonly url: string;
  /** Connections made so far. */
  readonly connections: number;
  stall(): void;
  /** Stalls as soon as something with this text was sent to Postgres. */
  stallAt(text: string): void;
  flow(): void;
  close(): Promise<void>;
}

async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let connections = 0;
  let stallsAt: string | null = null;
  const stall = () => {
    for (const socket of open) socket.pause();
  };
  const server = createServer((near) => {
    connections += 1;
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('data', (data) => {
        other.write(data);
        if (socket !== near || stallsAt === null || !data.includes(stallsAt)) return;
        stallsAt = null;
        stall();
      });
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get connections() {
      return connections;
    },
    stall,
    stallAt(text) {
      stallsAt = text;
    },
    flow() {
      for (const socket of open) socket.resume();
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
