import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { expect } from 'chai';
import winston from 'winston';
import { databaseCheck } from '../../../../src/domain/ops/health/database.ts';
import { Monitor, type Check } from '../../../../src/domain/ops/health/monitor.ts';
import { findProcesses, newProcess, sweepProcesses } from '../../../../src/domain/ops/health/processes.ts';
import { redisCheck } from '../../../../src/domain/ops/health/redis.ts';
import { assertSecretsKey, secretsKeyCheck } from '../../../../src/domain/ops/health/secrets-key.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { openDb } from '../../../../src/platform/postgres/db.ts';
import { openRedis } from '../../../../src/platform/redis/open.ts';
import { WEB_DB } from '../../../../src/processes/setup/context.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { startPostgresProxy } from '../../../support/postgres-proxy.ts';
import { redisCall, redisCommand, startRedis, type RedisServer } from '../../../support/redis.ts';
import { until } from '../../../support/until.ts';

const SILENT = winston.createLogger({ silent: true });

describe('the health of Postgres', () => {
  let harness: Harness;
  let ctx: Context;
  beforeEach(async () => {
    harness = await createHarness();
    ctx = { ...harness.ctx, log: SILENT };
  });
  afterEach(() => harness.close());

  const monitorOf = (own: Context) =>
    new Monitor(SILENT, databaseCheck(own, newProcess('web', own.now())), []);

  it('says that it is read-only', async () => {
    const monitor = monitorOf(ctx);
    expect(await monitor.lookOnce()).to.deep.equal({ isReachable: true, faults: [] });
    await ctx.db.raw(`DO $$ BEGIN EXECUTE format(
      'ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`);
    const db = openDb({ url: ctx.config.databaseUrl, name: 'later', ...WEB_DB });
    const report = await monitorOf({ ...ctx, db }).lookOnce();
    expect(report.isReachable).to.equal(true);
    expect(report.faults[0]?.reason).to.match(/^Postgres: read-only/);
    await db.destroy();
  });

  it('says that its disk is full, also where a row that is there already would still find room', async () => {
    const statistics =
      'SELECT temp_files::int AS files FROM pg_stat_database WHERE datname = current_database()';
    const countFiles = async () => {
      const { rows } = (await ctx.db.raw(statistics)) as { rows: { files: number }[] };
      return rows[0]?.files ?? 0;
    };
    await monitorOf(ctx).lookOnce();
    await until('the probe has written a file', async () => (await countFiles()) > 0);
    await ctx.db.raw(`CREATE OR REPLACE FUNCTION probe_disk() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not write: No space left on device' USING ERRCODE = '53100'; END $$`);
    const report = await monitorOf(ctx).lookOnce();
    expect(report).to.deep.equal({
      isReachable: true,
      faults: [{ check: 'postgres', reason: 'Postgres: disk full' }],
    });
  });

  it('is unreachable where nobody listens and where it hangs, and says nothing of what it cannot know', async () => {
    const proxy = await startPostgresProxy(ctx.config.databaseUrl);
    const db = openDb({ url: proxy.url, name: 'frozen', ...WEB_DB });
    const monitor = new Monitor(SILENT, databaseCheck({ ...ctx, db }, newProcess('web', ctx.now())), [
      secretsKeyCheck({ ...ctx, db }),
    ]);
    // A busy machine may need several looks for its first connection.
    await until('it is reachable', async () => (await monitor.lookOnce()).isReachable);
    expect(monitor.report()).to.deep.equal({ isReachable: true, faults: [] });
    proxy.freeze();
    const report = await monitor.lookOnce();
    expect(report.isReachable).to.equal(false);
    expect(report.faults.map(({ check }) => check)).to.deep.equal(['postgres']);
    proxy.thaw();
    await until('it is reachable again', async () => (await monitor.lookOnce()).isReachable);
    await db.destroy();
    await proxy.close();
  });
});

describe('processes', () => {
  it('are alive while they beat, known for an hour, and then deleted', async () => {
    const harness = await createHarness();
    const { ctx } = harness;
    await databaseCheck(ctx, newProcess('worker', ctx.now()), () => ({
      queues: { mail: { running: 2, slow: 1, finishedAt: ctx.now(), finished: 7, failed: 1 } },
      faults: [{ check: 'queues', reason: 'mail: 1 job is due' }],
    })).look();
    const alive = async () => (await findProcesses(ctx.db, ctx.now())).map(({ isAlive }) => isAlive);
    expect(await findProcesses(ctx.db, ctx.now())).to.deep.include.members([
      {
        kind: 'worker',
        host: hostname(),
        pid: process.pid,
        beatAt: ctx.now(),
        isAlive: true,
        faults: [{ check: 'queues', reason: 'mail: 1 job is due' }],
        keyIds: (await findProcesses(ctx.db, ctx.now()))[0]?.keyIds,
        clockOffsetMs: null,
        queues: { mail: { running: 2, slow: 1, finishedAt: ctx.now(), finished: 7, failed: 1 } },
      },
    ]);
    harness.advance(16);
    expect(await alive()).to.deep.equal([false]);
    harness.advance(3_600);
    expect(await alive()).to.deep.equal([]);
    expect(await sweepProcesses(ctx)).to.equal(1);
    await harness.close();
  });
});

describe('the health of SECRETS_KEY', () => {
  it('is bad in a process that cannot read what is stored, and where another process has another key', async () => {
    const harness = await createHarness();
    const { ctx } = harness;
    const config = { ...ctx.config, secretsKeys: [randomBytes(32)] };
    const wrong = { ...ctx, config };
    await assertSecretsKey(ctx);
    const error = await assertSecretsKey(wrong).catch((thrown: unknown) => thrown);
    expect(error)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.matches(/^SECRETS_KEY is not the key/);
    expect(await secretsKeyCheck(ctx).look()).to.deep.equal([]);
    expect(await secretsKeyCheck(wrong).look()).to.deep.equal([
      'webhook secrets or wallets are stored under a key that SECRETS_KEY of this process lacks',
    ]);
    await databaseCheck(wrong, newProcess('worker', ctx.now())).look();
    expect(await secretsKeyCheck(ctx).look()).to.deep.equal([
      'SECRETS_KEY of 1 other processes lacks the key that this one encrypts with',
    ]);
    // During a rotation every process knows both.
    const both = {
      ...ctx,
      config: { ...config, secretsKeys: [...config.secretsKeys, ...ctx.config.secretsKeys] },
    };
    await assertSecretsKey(both);
    await harness.close();
  });
});

describe('the health of Redis', () => {
  let redis: RedisServer;
  let check: Check;
  let close: () => void;
  before(function () {
    if (redisCommand === null) this.skip();
  });
  beforeEach(async () => {
    redis = await startRedis();
    const connection = openRedis(redis.url, 'health', SILENT);
    close = () => connection.disconnect();
    check = redisCheck(connection);
    await until('it is well', async () => (await check.look()).length === 0);
  });
  afterEach(async () => {
    close?.();
    await redis?.stop();
  });

  it('says that it hangs, and is well again', async () => {
    redis.freeze();
    expect(await check.look()).to.deep.equal(['Redis: no reply in time']);
    redis.thaw();
    await until('it is well', async () => (await check.look()).length === 0);
  });

  it('says that it is out of memory', async () => {
    await redisCall(redis.url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await redisCall(redis.url, 'CONFIG', 'SET', 'maxmemory', '1');
    expect((await check.look())[0]).to.match(/^Redis: out of memory/);
  });

  it('says that it is a replica', async () => {
    await redisCall(redis.url, 'REPLICAOF', '127.0.0.1', '1');
    expect((await check.look())[0]).to.match(/^Redis: read-only/);
  });

  it('says that it is away', async () => {
    await redis.stop();
    // Between two attempts to connect there is no connection; during one, none can be made.
    const AWAY = /^Redis(: not connected| cannot be reached)/;
    await until('it is noticed', async () => AWAY.test((await check.look())[0] ?? ''));
    await redis.start();
    await until('it is well', async () => (await check.look()).length === 0);
  });
});
