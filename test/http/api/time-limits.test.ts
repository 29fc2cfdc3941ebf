import { expect } from 'chai';
import { createApp } from '../../../src/http/app.ts';
import { openDb, runOne, sql, type Db } from '../../../src/platform/postgres/db.ts';
import { WEB_DB } from '../../../src/processes/setup/context.ts';
import { lookingHealth } from '../../support/health.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { countRows, expectError, listen, ORDER, send, type Listening } from '../../support/http.ts';
import { until } from '../../support/until.ts';

const FLOOD = 76;

const backendsOfWeb = sql<{ count: number }>(
  'test_backends_of_web',
  `SELECT count(*)::int FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'flooded'`,
);

describe('a database that cannot take writes in time', () => {
  let harness: Harness;
  let db: Db;
  let server: Listening;
  beforeEach(async () => {
    harness = await createHarness();
    await open();
  });
  afterEach(async () => {
    await close();
    await harness.close();
  });

  /** The app as a web process runs it. */
  const open = async () => {
    db = openDb({ url: harness.ctx.config.databaseUrl, name: 'flooded', ...WEB_DB });
    const { adapters, sandbox } = harness;
    const ctx = { ...harness.ctx, db };
    const health = lookingHealth(ctx, adapters);
    server = await listen(createApp(ctx, { redis: null, admin: null, adapters, sandbox, health }));
  };
  const close = async () => {
    await server.close();
    await db.destroy();
  };
  const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    send(
      server,
      method,
      path,
      { 'X-API-Key': harness.merchant.apiKey, 'Content-Type': 'application/json', ...headers },
      body && JSON.stringify(body),
    );
  const create = (key: string) => ask('POST', '/v1/payment', ORDER, { 'Idempotency-Key': key });
  const countBackends = async () => (await runOne(harness.ctx.db, backendsOfWeb, []))?.count ?? 0;
  const set = async (setting: string) => {
    const name = new URL(harness.ctx.config.databaseUrl).pathname.slice(1);
    await harness.ctx.db.raw(`ALTER DATABASE "${name}" SET ${setting}`);
    await close();
    await open();
  };

  it('that has locked the payments: creates get a 503, nothing is stored, and the pool does not grow', async () => {
    const before = await countRows(harness);
    let most = 0;
    await harness.ctx.db.transaction(async (tx) => {
      await tx.raw('LOCK TABLE payments IN SHARE MODE');
      const answers = Promise.all(Array.from({ length: FLOOD }, (_, i) => create(`flood-${i}`)));
      let isOver = false;
      const watch = until('the flood ends', async () => {
        most = Math.max(most, await countBackends());
        return isOver;
      });
      for (const answer of await answers) {
        expectError(harness, answer, 503);
        expect(answer.headers['retry-after']).to.match(/^[1-9]\d*$/);
      }
      isOver = true;
      await watch;
    });
    expect(most).to.be.within(1, WEB_DB.poolSize);
    expect(await countRows(harness)).to.deep.equal(before);
    // The requests were not served, and their keys may be used again.
    expect((await create('flood-0')).status).to.equal(201);
  });

  it("whose role ends statements after a moment: 503, as for the service's own limit", async () => {
    await set(`statement_timeout = '30ms'`);
    await harness.ctx.db.transaction(async (tx) => {
      await tx.raw('LOCK TABLE payments IN SHARE MODE');
      expectError(harness, await create('role'), 503);
    });
    // A busy machine may need more than a moment for the write that nothing holds up.
    await set('statement_timeout = 0');
    expect((await create('role')).status).to.equal(201);
  });

  it('that is read-only: reads go on, writes get a 503, and the status is degraded', async () => {
    expect((await ask('GET', '/v1/status')).body.status).to.equal('ok');
    await set('default_transaction_read_only = on');
    expect((await ask('GET', '/v1/payments')).status).to.equal(200);
    const answer = await create('read-only');
    expectError(harness, answer, 503);
    expect(answer.headers['retry-after']).to.match(/^[1-9]\d*$/);
    expect((await ask('GET', '/v1/status')).body.status).to.equal('degraded');
    await set('default_transaction_read_only = off');
    expect((await ask('GET', '/v1/status')).body.status).to.equal('ok');
    expect((await create('read-only')).status).to.equal(201);
  });
});
