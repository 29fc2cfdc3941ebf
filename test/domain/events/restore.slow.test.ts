import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { beginEpoch } from '../../../src/domain/events/epoch.ts';
import { recordEvents, type EventRecord } from '../../../src/domain/outbox/outbox.ts';
import { startEmbeddedPostgres } from '../../../dev/embedded-postgres/start.ts';
import { ApiError } from '../../../src/domain/api/errors.ts';
import { openDb, type Db } from '../../../src/platform/postgres/db.ts';
import { migrateToLatest } from '../../../src/platform/postgres/migrate.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { assertServable } from '../../../src/processes/setup/context.ts';
import { parseOpsCommand } from '../../../src/processes/setup/ops/commands.ts';
import type { Context } from '../../../src/platform/context.ts';
import { findWallet, takeDepositIndices } from '../../../src/domain/chain/wallets/store.ts';
import { useWallet } from '../../support/wallets.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { servingNow } from '../../../src/domain/ops/restored.ts';
import { feedPage, untilFeedsAreWhole, walkFeed } from '../../support/feed.ts';

describe('the event feed after a restore', function () {
  this.timeout(120_000);
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  /** Records events, each in a transaction of its own, and returns their ids. */
  async function record(db: Db, count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const event: EventRecord = {
        id: newId('evt', harness.ctx.now()),
        paymentId: newId('pay', harness.ctx.now()),
        merchantId: harness.merchant.id,
        sequence: 1,
        type: 'checkout.created',
        callbackUrl: null,
        body: '{}',
        createdAt: harness.ctx.now(),
        testClock: null,
      };
      await db.transaction((tx) => recordEvents(tx, [{ ...event, body: JSON.stringify({ id: event.id }) }]));
      ids.push(event.id);
    }
    await untilFeedsAreWhole(db);
    return ids;
  }
  const walk = (db: Db, after?: string) =>
    walkFeed(db, harness.merchant.id, { limit: 2, ...(after === undefined ? {} : { after }) });
  const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);
  /** How the feed refuses a cursor. */
  async function refusal(db: Db, after: string) {
    const error = await feedPage(db, harness.merchant.id, { after }).catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
    return { code: error.code, constraint: error.details?.constraint, message: error.message };
  }

  it('refuses cursors from before for good, also when the cluster has reached their numbers', async () => {
    const { db, now } = harness.ctx;
    const ids = await record(db, 5);
    const { cursor = '' } = await walk(db);
    const [epoch = '', txid = '', place = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
    // The reader was further on than the backup: the numbers of what it read are taken again.
    const held = [epoch, Number(txid) + 10, place].join('.');
    const old = Buffer.from(held).toString('base64url');
    await db.transaction((tx) => beginEpoch(tx, now()));
    expect((await refusal(db, old)).constraint).to.equal('epoch');
    const lost = await record(db, 30);
    const refused = await refusal(db, old);
    expect(refused).to.include({ code: 'validation', constraint: 'epoch' });
    expect(refused.message).to.include('Go on with after= the id of the newest event that you have');
    expect((await refusal(db, cursor)).constraint).to.equal('epoch');
    // What it is told to do returns everything.
    expect(idsOf((await walk(db, ids.at(-1))).events)).to.deep.equal(lost);
    expect(idsOf((await walk(db)).events)).to.deep.equal([...ids, ...lost]);
    expect((await refusal(db, newId('evt', now()))).constraint).to.equal('event');
  });

  it('takes cursors without an epoch until the first restore of a database that gave them out', async () => {
    const { db, now } = harness.ctx;
    const ids = await record(db, 3);
    await db.raw(`UPDATE feed_epochs SET epoch = ''`);
    const first = await feedPage(db, harness.merchant.id, { limit: 1 });
    const cursor = first.pagination.next_cursor ?? '';
    // The previous release, which serves beside this one, knows no other form.
    expect(Buffer.from(cursor, 'base64url').toString()).to.match(/^\d+\.\d+$/);
    expect(idsOf((await walk(db, cursor)).events)).to.deep.equal(ids.slice(1));
    await db.transaction((tx) => beginEpoch(tx, now()));
    expect((await refusal(db, cursor)).constraint).to.equal('epoch');
  });

  it('is made ready by ops restored, which no process may disturb, and says what to check', async () => {
    const { db } = harness.ctx;
    await record(db, 2);
    const { cursor = '' } = await walk(db);
    const run = () => runRestored(harness.ctx);
    for (const name of ['web 7', 'watcher 7']) {
      const { databaseUrl: url } = harness.ctx.config;
      const serving = openDb({ url, poolSize: 1, acquireMs: 5_000, queryMs: 5_000, name });
      await serving.raw('SELECT 1');
      const refused = await run().catch((error: unknown) => error);
      expect(String(refused)).to.match(
        new RegExp(`Stop every web, worker and watcher first\\. These are connected: ${name} \\(pid \\d+\\)`),
      );
      await serving.destroy();
      // The server lists a session for a moment after its client has closed it.
      await until('its session has ended', async () => (await servingNow(db)).length === 0);
    }
    const result = await run();
    expect(result.facts).to.include({ events: 2, other_cluster: false, pending_deliveries: 0 });
    expect(result.text).to.include('2 events are numbered in their order').and.include('FLUSHDB');
    expect((await refusal(db, cursor)).constraint).to.equal('epoch');
  });

  it('gives out no index of a wallet that a payment after the backup may have', async () => {
    const { ctx, merchant } = harness;
    const wallet = await useWallet(ctx, merchant.id);
    await takeDepositIndices(ctx.db, wallet.id, 10);
    const { facts, text } = await runRestored(ctx);
    expect(facts).to.include({ wallets: 1 });
    expect(text).to.include('The next 10000 indices of 1 wallets are left out');
    expect((await findWallet(ctx.db, wallet.id))?.next_index).to.equal(10_010);
  });

  it('of a dump restored in another cluster waits for the command, and then shows all of it again', async () => {
    const { db } = harness.ctx;
    const ids = await record(db, 7);
    const read = await feedPage(db, harness.merchant.id, { limit: 3 });
    const held = read.pagination.next_cursor ?? '';
    await withOtherCluster(async (url) => {
      const restored = openDb({ url, poolSize: 4, acquireMs: 5_000, queryMs: 20_000, name: 'test' });
      try {
        await restoreDump(db, restored);
        const ctx = { ...harness.ctx, db: restored, config: { ...harness.ctx.config, databaseUrl: url } };
        // Readers hold old cursors meanwhile: they get no page, whatever numbers this cluster has reached.
        expect((await refusal(restored, held)).code).to.equal('unavailable');
        const start = await assertServable(ctx, false).catch((error: unknown) => error);
        expect(String(start)).to.include('run: node dist/processes/ops.js restored');
        const result = await runRestored(ctx);
        expect(result.facts).to.include({ events: 7, other_cluster: true });
        await assertServable(ctx, false);
        expect((await refusal(restored, held)).constraint).to.equal('epoch');
        const later = await record(restored, 40);
        expect((await refusal(restored, held)).constraint).to.equal('epoch');
        const known = idsOf(read.data).at(-1);
        expect(idsOf((await walk(restored, known)).events)).to.deep.equal([...ids.slice(3), ...later]);
        expect(idsOf((await walk(restored)).events)).to.deep.equal([...ids, ...later]);
      } finally {
        await restored.destroy();
      }
    });
  });
});

async function runRestored(ctx: Context) {
  const command = parseOpsCommand(['restored']);
  if ('help' in command) throw new Error('not the help');
  const output = { progress: () => undefined, write: () => Promise.resolve(), end: () => Promise.resolve() };
  return command.run(ctx, output);
}

/** What pg_restore does: rows as they were, and no trigger meanwhile. */
async function restoreDump(from: Db, to: Db): Promise<void> {
  await to.raw('ALTER TABLE events DISABLE TRIGGER USER; DELETE FROM feed_epochs');
  for (const table of ['feed_epochs', 'events']) {
    const { rows } = (await from.raw(`SELECT coalesce(json_agg(t), '[]')::text AS dump FROM ${table} t`)) as {
      rows: { dump: string }[];
    };
    await to.raw(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, ?)`,
      [rows[0]?.dump ?? '[]'],
    );
    const identity = table === 'events' ? 'place' : 'number';
    await to.raw(
      `SELECT setval(pg_get_serial_sequence('${table}', '${identity}'), (SELECT max(${identity}) FROM ${table}))`,
    );
  }
  await to.raw('ALTER TABLE events ENABLE TRIGGER USER');
}

/** Runs `use` with a migrated database of another cluster, whose transaction numbers begin at the first. */
async function withOtherCluster(use: (url: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'other-cluster-'));
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    flags: ['-c', 'fsync=off'],
    initdbFlags: ['--no-sync'],
    log: () => undefined,
  });
  try {
    await migrateToLatest(server.url);
    await use(server.url);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
