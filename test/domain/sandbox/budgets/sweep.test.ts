import { expect } from 'chai';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import { runScenario } from '../../../../src/domain/sandbox/scenarios/run.ts';
import { DISCARD_AFTER_SECONDS, KEPT_SECONDS } from '../../../../src/domain/sandbox/scenarios/sweep.ts';
import { FREEZE_SECONDS } from '../../../../src/domain/sandbox/test-clock/freeze.ts';
import type { Sandbox } from '../../../../src/domain/sandbox/test-clock/sandbox.ts';
import { ApiError } from '../../../../src/domain/api/errors.ts';
import { openDb } from '../../../../src/platform/postgres/db.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { countRows, createPayment, expectError } from '../../../support/http.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

describe('the rows of a story', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    await harness.work();
  });
  afterEach(() => harness.close());

  const everything = async () => {
    const tables = ['scenario_runs', 'ledger_entries', 'sim_heads', 'chain_cursors', 'delivery_attempts'];
    const ofClocks = `(SELECT count(*)::int FROM scheduled_jobs WHERE test_clock IS NOT NULL) AS clocks`;
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
    const { rows } = (await harness.ctx.db.raw(`SELECT ${[...counts, ofClocks].join(', ')}`)) as {
      rows: object[];
    };
    return { ...(await countRows(harness)), ...rows[0] };
  };
  /** Lets seconds pass, and runs what is due, a sweep among it. */
  const pass = async (seconds: number) => {
    harness.advance(seconds);
    await harness.work();
  };
  const payments = () => harness.ctx.db('payments').pluck<string[]>('id');

  /**
   * Begins a story whose process stops for good before the story's `jobs`-th job. Returns what lets it go on,
   * and wait for its end.
   */
  async function crash(jobs: number, mergedMs: number, db = harness.ctx.db): Promise<() => Promise<unknown>> {
    const { sandbox, merchant } = harness;
    const ctx = { ...harness.ctx, db };
    const caller = await findCaller(db, hashApiKey(merchant.apiKey));
    if (caller === null || sandbox === null) throw new Error('the sandbox is off');
    let begun = 0;
    let stop: () => void;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    let resume: () => void;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    const handlersFor: Sandbox['handlersFor'] = (adapters) =>
      new Map(
        [...sandbox.handlersFor(adapters)].map(([name, handler]) => {
          const handle: typeof handler.handle = async (own, keys) => {
            begun += 1;
            if (begun < jobs) return handler.handle(own, keys);
            stop();
            await resumed;
            throw new ApiError('unavailable');
          };
          return [name, { ...handler, handle }];
        }),
      );
    const body = { story: 'paid' } as const;
    const running = runScenario(ctx, { ...sandbox, handlersFor }, caller, { body, claim: null, mergedMs });
    await stopped;
    return () => {
      resume();
      return running.catch((error: unknown) => error);
    };
  }

  for (const jobs of [1, 6, 12])
    it(`that died before its job ${jobs}, by then in many transactions, are swept`, async () => {
      const { id } = await createPayment(harness, { expiration_minutes: 1440 });
      await harness.work();
      const before_ = await everything();
      await crash(jobs, 0);
      expect(await payments()).to.have.length(2);
      await pass(FREEZE_SECONDS - 1);
      // A process that lives renews the freeze: nothing is swept before it ends.
      expect(await payments()).to.have.length(2);
      for (const seconds of [2, DISCARD_AFTER_SECONDS, DISCARD_AFTER_SECONDS]) await pass(seconds);
      expect(await payments()).to.deep.equal([id]);
      expect(await everything()).to.deep.equal(before_);
    });

  it('are not there at all when it died in the transaction that it begins with', async () => {
    const { id } = await createPayment(harness, { expiration_minutes: 1440 });
    await harness.work();
    const before_ = await everything();
    const options = { url: harness.ctx.config.databaseUrl, poolSize: 2, acquireMs: 1_000, queryMs: 20_000 };
    const doomed = openDb({ ...options, name: 'doomed story' });
    const goOn = await crash(12, 600_000, doomed);
    expect(await payments()).to.deep.equal([id]);
    const { rows } = (await harness.ctx.db.raw(
      `SELECT state, pg_terminate_backend(pid, 10000) AS ended FROM pg_stat_activity
       WHERE application_name = 'doomed story' AND state LIKE 'idle in transaction%'`,
    )) as { rows: object[] };
    expect(rows).to.deep.equal([{ state: 'idle in transaction', ended: true }]);
    expect(await payments()).to.deep.equal([id]);
    expect(await everything()).to.deep.equal(before_);
    await goOn();
    expect(await everything()).to.deep.equal(before_);
    await doomed.destroy();
  });

  it('stay for a day after its end, and are then swept', async () => {
    const before_ = await everything();
    const story = () => harness.api('post', '/v1/sandbox/scenarios').send({ story: 'refunded-in-part' });
    const { id } = (await story().expect(200)).body.payment as { id: string };
    await pass(KEPT_SECONDS - 1);
    await harness.api('get', `/v1/payment/${id}`).expect(200);
    await pass(62);
    const advance = () => harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '1m' });
    expectError(harness, await advance(), 409);
    for (const seconds of [DISCARD_AFTER_SECONDS, DISCARD_AFTER_SECONDS]) await pass(seconds);
    await harness.api('get', `/v1/payment/${id}`).expect(404);
    expect(await everything()).to.deep.equal(before_);
  });

  it('are swept beyond a chunk at once', async () => {
    const count = 23;
    for (let n = 0; n < count; n += 1)
      await harness
        .api('post', '/v1/sandbox/scenarios')
        .send({ payment: { pay_amount: '10.00' }, script: [] })
        .expect(200);
    expect(await payments()).to.have.length(count);
    for (const seconds of [KEPT_SECONDS + 1, 61, 61]) await pass(seconds);
    expect(await payments()).to.deep.equal([]);
  });
});
