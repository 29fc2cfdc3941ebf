import { expect } from 'chai';
import { recordEvents } from '../../src/domain/outbox/outbox.ts';
import { listPayments } from '../../src/domain/payments/list.ts';
import { replicaSection } from '../../src/domain/ops/status/database.ts';
import { readFeed } from '../../src/domain/events/feed.ts';
import { REPLICA_DB } from '../../src/processes/setup/context.ts';
import { replicaReadsTotal } from '../../src/platform/metrics/measures.ts';
import { execute } from '../../dev/embedded-postgres/databases.ts';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { migrateToLatest } from '../../src/platform/postgres/migrate.ts';
import { readCurrent, Replica, type Source } from '../../src/platform/replica.ts';
import { newId } from '../../src/platform/values/ids.ts';
import { untilFeedsAreWhole, type FeedPage } from '../support/feed.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { startPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startPair, type Pair } from '../support/standby.ts';
import { until } from '../support/until.ts';

/** A rest of 5 s lasts 5 ms. */
const QUICKLY = () => performance.now() * 1_000;

/** Bytes of the log that a message of over 255 bytes takes beside its text. */
const RECORD_OF_MESSAGE = 64;

describe('a replica', () => {
  let pair: Pair;
  let proxy: PostgresProxy;
  let harness: Harness;
  const opened: { destroy(): Promise<unknown> }[] = [];
  before(async function () {
    this.timeout(60_000);
    pair = await startPair();
    await migrateToLatest(pair.primaryUrl);
    proxy = await startPostgresProxy(pair.standbyUrl);
    harness = await createHarness({}, () => ({
      DATABASE_URL: pair.primaryUrl,
      DATABASE_REPLICA_URL: proxy.url,
    }));
  });
  after(async () => {
    for (const one of opened) await one.destroy();
    await harness?.close();
    await proxy?.close();
    await pair?.close();
  });

  const open = (url: string, limits = { poolSize: 5, acquireMs: 5_000, queryMs: 5_000 }): Db => {
    const db = openDb({ url, name: 'test', ...limits });
    opened.push(db);
    return db;
  };
  const quickReplica = () =>
    new Replica(open(pair.standbyUrl), { onChange: () => undefined, monotonic: QUICKLY });
  const outcomes = async () =>
    Object.fromEntries(
      (await replicaReadsTotal.get()).values.map(({ labels, value }) => [labels.outcome, value]),
    );
  const served = async () => (await outcomes())['served'] ?? 0;
  const create = async () => {
    const response = await harness
      .api('post', '/v1/payment')
      .send({ pay_amount: '10.50', order_id: 'order' });
    expect(response.status).to.equal(201);
    return (response.body as { id: string }).id;
  };
  const listed = async () => {
    const response = await harness.api('get', '/v1/payments?limit=20');
    expect(response.status).to.equal(200);
    return (response.body as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  /** Lets every commit on the primary wait for a standby that never comes, once it has resolved. */
  const letCommitsWait = async () => {
    await execute(pair.primaryUrl, `ALTER SYSTEM SET synchronous_standby_names = 'absent'`);
    await execute(pair.primaryUrl, 'SELECT pg_reload_conf()');
    // A new connection has it once the server has read the file, and told its processes. The checkpointer, by
    // whose word commits wait, reads it before it makes a checkpoint.
    await until('the server has read its configuration', async () => {
      const db = openDb({
        url: pair.primaryUrl,
        name: 'test',
        poolSize: 1,
        acquireMs: 5_000,
        queryMs: 5_000,
      });
      const { rows } = await db.raw<{ rows: Record<string, string>[] }>('SHOW synchronous_standby_names');
      await db.destroy();
      return rows[0]?.synchronous_standby_names === 'absent';
    });
    await execute(pair.primaryUrl, 'CHECKPOINT');
  };
  /** Resolves when the replica serves again after a rest. */
  const untilServed = () =>
    until('the replica serves', async () => {
      const before = await served();
      await listed();
      return (await served()) > before;
    });

  it('serves the lists and the feed', async () => {
    const id = await create();
    await untilServed();
    for (const [path, statement] of [
      ['/v1/payments', 'page_of_payments_merchant'],
      ['/v1/events?limit=1', 'page_of_feed'],
      ['/v1/webhooks/deliveries', 'page_of_deliveries'],
    ] as const)
      await until(`${path} is read there`, async () => {
        const { status } = await harness.api('get', path);
        expect(status).to.equal(200);
        return pair.statements().includes(statement);
      });
    expect(await listed()).to.include(id);
    const { facts, lines } = await replicaSection.read(harness.ctx);
    expect(facts).to.deep.equal({ serves: true });
    expect(lines).to.deep.equal(['it serves lists and the feed']);
  });

  it('shows each payment to whoever created it, and its event, while it does not replay', async () => {
    await untilServed();
    await pair.pauseReplay();
    try {
      for (let n = 0; n < 5; n += 1) {
        const id = await create();
        expect(await listed()).to.include(id);
        const { body } = await harness.api('get', `/v1/events?payment_id=${id}`);
        expect((body as FeedPage).data).to.have.lengthOf(1);
      }
      expect((await outcomes())['behind']).to.be.greaterThan(0);
    } finally {
      await pair.resumeReplay();
    }
    await untilServed();
  });

  it('misses and repeats no event for a reader, while it stops and goes on', async () => {
    const replica = quickReplica();
    const source = { db: harness.ctx.db, replica };
    const { id: merchantId } = await harness.addMerchant();
    const before = await outcomes();
    const seen: string[] = [];
    let after: string | undefined;
    const readOn = async () => {
      const page = JSON.parse(
        (await readFeed(source, merchantId, { limit: 3, ...(after === undefined ? {} : { after }) })).text,
      ) as FeedPage;
      seen.push(...page.data.map(({ id }) => id));
      after = page.pagination.next_cursor ?? undefined;
      return page.pagination.has_more;
    };
    const written: string[] = [];
    const write = async (finish: 'commit' | 'rollback') => {
      const id = newId('evt', harness.ctx.now());
      const tx = await harness.ctx.db.transaction();
      const paymentId = `pay_${id}`;
      await recordEvents(tx, [eventOf(id, paymentId, merchantId, harness.ctx.now())]);
      return async () => {
        await tx[finish]();
        if (finish === 'commit') written.push(id);
      };
    };
    for (let round = 0; round < 12; round += 1) {
      const slow = await write('commit');
      const quick = [await write('commit'), await write('rollback'), await write('commit')];
      for (const end of quick) await end();
      if (round % 3 === 1) {
        // It shows the later numbers, and not the first one.
        await until('it has replayed', async () => (await replica.look(source.db)) === null);
        await pair.pauseReplay();
        await slow();
        await readOn();
        await pair.resumeReplay();
      } else {
        const reading = readOn();
        await slow();
        await reading;
      }
      await readOn();
    }
    await untilFeedsAreWhole(source.db);
    while (await readOn());
    expect(seen.toSorted()).to.deep.equal(written.toSorted());
    const now = await outcomes();
    for (const outcome of ['served', 'behind'])
      expect(now[outcome], outcome).to.be.greaterThan(before[outcome] ?? 0);
  });

  it('gives no cursor that the primary refuses, while commits wait for another standby', async () => {
    const source: Source = { db: harness.ctx.db, replica: quickReplica() };
    const { id: merchantId } = await harness.addMerchant();
    const standby = open(pair.standbyUrl);
    const id = newId('evt', harness.ctx.now());
    await letCommitsWait();
    // A commit that runs out of time while it waits for the other standby would be visible after all.
    const patient = open(pair.primaryUrl, { poolSize: 1, acquireMs: 5_000, queryMs: 60_000 });
    const writing = patient.transaction((tx) =>
      recordEvents(tx, [eventOf(id, `pay_${id}`, merchantId, harness.ctx.now())]),
    );
    try {
      await until('the standby shows what the primary has not acknowledged', async () => {
        const { rows } = await standby.raw<{ rows: unknown[] }>('SELECT 1 FROM events WHERE id = ?', [id]);
        return rows.length > 0;
      });
      await until('the replica serves the feed', async () => {
        const before = await served();
        const page = JSON.parse((await readFeed(source, merchantId, {})).text) as FeedPage;
        expect(page.data).to.deep.equal([]);
        return (await served()) > before;
      });
    } finally {
      await execute(pair.primaryUrl, 'ALTER SYSTEM RESET synchronous_standby_names');
      await execute(pair.primaryUrl, 'SELECT pg_reload_conf()');
    }
    await writing;
    const page = JSON.parse((await readFeed(source, merchantId, {})).text) as FeedPage;
    expect(page.data).to.have.lengthOf(1);
  });

  it('serves while nothing is written, whatever ended the log', async () => {
    const { db } = harness.ctx;
    const replica = quickReplica();
    const serves = () => until('it serves', async () => (await replica.look(db)) === null);
    // The first look at a catalog may write: the server remembers there what it found out.
    await serves();
    // As archive_timeout does.
    await execute(pair.primaryUrl, 'SELECT pg_switch_wal()');
    await serves();
    // A message and what its record adds to it end a page, unless the server writes something of its own.
    const inPage = async () => {
      const { rows } = await db.raw<{ rows: { place: number }[] }>(
        `SELECT mod(pg_current_wal_insert_lsn() - '0/0', 8192)::integer AS place`,
      );
      return rows[0]?.place ?? 0;
    };
    await until('a record ended a page', async () => {
      const bytes = Math.max(8_192 - (await inPage()) - RECORD_OF_MESSAGE, 0);
      await db.raw(`SELECT pg_logical_emit_message(false, 'test', repeat('-', ?))`, [bytes]);
      return (await inPage()) === 24;
    });
    await serves();
  });

  it('is left out while it is away or hangs, without a read that fails, and taken back', async () => {
    const faults: unknown[] = [];
    const replica = new Replica(open(proxy.url, REPLICA_DB), {
      onChange: (fault) => faults.push(fault),
      monotonic: QUICKLY,
    });
    const source: Source = { db: harness.ctx.db, replica };
    const list = () => readCurrent(source, (on) => listPayments(on, harness.merchant.id, {}, ''));
    const untilBack = () =>
      until('it serves', async () => {
        const before = await served();
        expect((await list()).data).to.have.length.greaterThan(0);
        return (await served()) > before;
      });
    await untilBack();
    await pair.stopStandby();
    for (let n = 0; n < 3; n += 1) expect((await list()).data).to.have.length.greaterThan(0);
    await pair.startStandby();
    await untilBack();
    proxy.freeze();
    for (let n = 0; n < 3; n += 1) expect((await list()).data).to.have.length.greaterThan(0);
    proxy.thaw();
    await untilBack();
    // Each change is reported once; a busy machine may have more of them.
    const serves = faults.map((fault) => fault === null);
    expect(serves.filter((is, n) => is === serves[n - 1])).to.deep.equal([]);
    expect(serves.filter((is) => !is)).to.have.length.of.at.least(2);
    expect(serves.at(-1)).to.equal(true);
  });

  it('must be a standby of the same cluster and timeline', async () => {
    const { db } = harness.ctx;
    const stranger = await createTestDatabase();
    const other = open(await pair.addStandby());
    const lookAt = async (replica: Db, primary: Db) =>
      String(await new Replica(replica, { onChange: () => undefined }).look(primary));
    const untilFollows = async (one: Db) => {
      let fault = '';
      await until(
        () => `it follows, and not: ${fault}`,
        async () => (fault = await lookAt(one, db)) === 'null',
      );
    };
    const standby = open(pair.standbyUrl);
    const elsewhere = open(stranger.url);
    for (const one of [standby, other]) await untilFollows(one);
    expect(await lookAt(db, db)).to.match(/is no standby/);
    expect(await lookAt(standby, elsewhere)).to.match(/standby of another cluster/);
    // The read must not become an error where DATABASE_URL leads to a standby.
    expect(await lookAt(standby, standby)).to.match(/recovery/);
    await standby.raw('SELECT pg_promote()');
    expect(await lookAt(standby, db)).to.match(/is no standby/);
    // `other` still follows the old primary, on the old timeline.
    expect(await lookAt(other, standby)).to.match(/timeline/);
    await untilFollows(other);
    const list = await readCurrent(
      { db, replica: new Replica(standby, { onChange: () => undefined }) },
      (on) => listPayments(on, harness.merchant.id, {}, ''),
    );
    expect(list.data).to.have.length.greaterThan(0);
    await elsewhere.destroy();
    await stranger.drop();
  }).timeout(60_000);
});

function eventOf(id: string, paymentId: string, merchantId: string, createdAt: Date) {
  return {
    id,
    paymentId,
    merchantId,
    sequence: 1,
    type: 'checkout.created' as const,
    callbackUrl: null,
    body: JSON.stringify({ id }),
    createdAt,
    testClock: null,
  };
}
