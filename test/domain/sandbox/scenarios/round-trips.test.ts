import { expect } from 'chai';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import { runScenario } from '../../../../src/domain/sandbox/scenarios/run.ts';
import type { Sandbox } from '../../../../src/domain/sandbox/test-clock/sandbox.ts';
import type { Caller } from '../../../../src/domain/api/endpoint.ts';
import { openDb, type Db } from '../../../../src/platform/postgres/db.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { statementsOf } from '../../../support/statements.ts';

/** As few as a story was brought to; each by itself it would have 180 (docs/adr/0076). */
const MAX_ROUND_TRIPS = 61;
const STABLE = { story: 'paid', seed: 'a', ids: 'stable' } as const;
/** However slow this machine is: the transactions of a story stay one. */
const MERGED = { claim: null, mergedMs: 600_000 };
const APART = { claim: null, mergedMs: 0 };

describe('the transactions of a story', () => {
  let harness: Harness;
  let db: Db;
  let sandbox: Sandbox;
  let caller: Caller;
  before(async () => {
    harness = await createHarness();
    if (harness.sandbox === null) throw new Error('the sandbox is off');
    ({ sandbox } = harness);
    const found = await findCaller(harness.ctx.db, hashApiKey(harness.merchant.apiKey));
    if (found === null) throw new Error("the test's merchant does not exist");
    caller = found;
    // One connection, which has prepared every statement after the first story.
    const url = harness.ctx.config.databaseUrl;
    db = openDb({ url, poolSize: 1, acquireMs: 10_000, queryMs: 20_000, name: 'story' });
  });
  after(async () => {
    await db.destroy();
    await harness.close();
  });

  const runOnce = async (how: typeof MERGED, own = sandbox) => {
    const { text } = await runScenario({ ...harness.ctx, db }, own, caller, { body: STABLE, ...how });
    return text;
  };

  it(`paid has at most ${MAX_ROUND_TRIPS} round trips`, async () => {
    for (let warm = 0; warm < 2; warm += 1) await runOnce(MERGED);
    const sent = await statementsOf(() => runOnce(MERGED));
    expect(sent.length, sent.join('\n')).to.be.at.most(MAX_ROUND_TRIPS);
    expect(sent.filter((text) => text.includes('COMMIT'))).to.have.length(1);
  });

  it('are one or many, with the same bytes', async () => {
    const sent = await statementsOf(async () => expect(await runOnce(APART)).to.equal(await runOnce(MERGED)));
    expect(sent.filter((text) => text.includes('COMMIT')).length).to.be.greaterThan(10);
  });

  it('are many once one of them fails: the story begins again, and nothing of the first attempt remains', async () => {
    const expected = await runOnce(MERGED);
    const count = async () => (await harness.ctx.db('payments').pluck<string[]>('id')).length;
    const before_ = await count();
    let failures = 0;
    const handlersFor: Sandbox['handlersFor'] = (adapters) =>
      new Map(
        [...sandbox.handlersFor(adapters)].map(([name, handler]) => {
          const handle: typeof handler.handle = async (ctx, keys) => {
            await handler.handle(ctx, keys);
            if (name !== 'payment.settle' || failures > 0) return;
            failures += 1;
            await ctx.db.transaction((tx) => tx.client && Promise.reject(new Error('a fault of one job')));
          };
          return [name, { ...handler, handle }];
        }),
      );
    expect(await runOnce(MERGED, { ...sandbox, handlersFor })).to.equal(expected);
    expect(failures).to.equal(1);
    expect(await count()).to.equal(before_ + 1);
  });
});
