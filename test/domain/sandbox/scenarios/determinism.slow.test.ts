import { expect } from 'chai';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import { LIBRARY_NAMES, type LibraryName } from '../../../../src/domain/sandbox/scenarios/library-names.ts';
import { runScenario } from '../../../../src/domain/sandbox/scenarios/run.ts';
import { FREEZE_SECONDS } from '../../../../src/domain/sandbox/test-clock/freeze.ts';
import type { Sandbox } from '../../../../src/domain/sandbox/test-clock/sandbox.ts';
import type { Context } from '../../../../src/platform/context.ts';
import type { Caller } from '../../../../src/domain/api/endpoint.ts';
import { openDb } from '../../../../src/platform/postgres/db.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { startBusyLoops } from '../../../support/busy-loops.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { startPostgresProxy, type PostgresProxy } from '../../../support/postgres-proxy.ts';

const BUSY_LOOPS = 8;
/** Set by `npm run test:determinism`: each story twice in each condition, and a slower Postgres. */
const IS_THOROUGH = process.env.DETERMINISM === 'thorough';
const ROUNDS = IS_THOROUGH ? 2 : 1;
const DELAY_MS = IS_THOROUGH ? 50 : 10;

describe('scenarios with stable ids, by a clock that runs', () => {
  let harness: Harness;
  let sandbox: Sandbox;
  let caller: Caller;
  let proxy: PostgresProxy;
  let ctx: Context;
  let byFixedClock: Map<LibraryName, string>;
  before(async () => {
    harness = await createHarness();
    if (harness.sandbox === null) throw new Error('the sandbox is off');
    ({ sandbox } = harness);
    const found = await findCaller(harness.ctx.db, hashApiKey(harness.merchant.apiKey));
    if (found === null) throw new Error("the test's merchant does not exist");
    caller = found;
    proxy = await startPostgresProxy(harness.ctx.config.databaseUrl);
    const options = { poolSize: 2 * LIBRARY_NAMES.length, acquireMs: 30_000, queryMs: 30_000 };
    ctx = {
      ...harness.ctx,
      db: openDb({ ...options, url: proxy.url, name: 'determinism' }),
      now: () => new Date(),
      systemNow: () => new Date(),
    };
    byFixedClock = await runLibrary(harness.ctx);
  });
  after(async () => {
    await ctx.db.destroy();
    await proxy.close();
    await harness.close();
  });

  /** Runs all stories of the library at once; each disturbs the times of the others. */
  async function runLibrary(context = ctx): Promise<Map<LibraryName, string>> {
    const results = await Promise.all(
      LIBRARY_NAMES.map(async (story) => {
        const body = { story, seed: 'a', ids: 'stable' } as const;
        const { text } = await runScenario(context, sandbox, caller, { body, claim: null });
        return [story, text] as const;
      }),
    );
    return new Map(results);
  }

  function expectTheSame(results: ReadonlyMap<LibraryName, string>): void {
    const different = LIBRARY_NAMES.filter((story) => results.get(story) !== byFixedClock.get(story));
    expect(different, 'stories that differ').to.deep.equal([]);
  }

  it('return the bytes that a system clock which stands still gives', async () => {
    expectTheSame(await runLibrary());
  });

  it('fail when the process stood still for longer than its freeze: workers may have run jobs', async () => {
    let stoodStillMs = 0;
    const systemNow = () => new Date(Date.now() + stoodStillMs);
    const chain: typeof sandbox.adapters.testChain = (own) => {
      stoodStillMs = 2 * FREEZE_SECONDS * 1000;
      return sandbox.adapters.testChain(own);
    };
    const stalled = { ...sandbox, adapters: { ...sandbox.adapters, testChain: chain } };
    const body = { story: 'paid', seed: 'a', ids: 'stable' } as const;
    const running = runScenario({ ...ctx, now: systemNow, systemNow }, stalled, caller, {
      body,
      claim: null,
    });
    expect(await running.catch((error: unknown) => error)).to.include({ code: 'unavailable' });
  });

  it(`return them beside ${BUSY_LOOPS} busy loops`, async () => {
    const loops = await startBusyLoops(BUSY_LOOPS);
    try {
      for (let round = 0; round < ROUNDS; round += 1) expectTheSame(await runLibrary());
    } finally {
      await loops.stop();
    }
  });

  it(`return them with a Postgres that answers ${DELAY_MS} ms late`, async () => {
    proxy.delay(DELAY_MS);
    try {
      (await Promise.all(Array.from({ length: ROUNDS }, () => runLibrary()))).forEach(expectTheSame);
    } finally {
      proxy.delay(0);
    }
  });
});
