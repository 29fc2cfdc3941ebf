import { chainKey } from '../../../../src/domain/chain/chain-key.ts';
import { syncChain } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { lockPayment } from '../../../../src/domain/payments/lifecycle/store.ts';
import { freezeClock } from '../../../../src/domain/sandbox/test-clock/freeze.ts';
import { schedule } from '../../../../src/domain/schedule/store.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { createPayment } from '../../../support/http.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';

describe('the end of a freeze', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  it('and a customer who sends money at that moment do not wait for each other for ever', async () => {
    const { ctx, sandbox } = harness;
    if (sandbox === null) throw new Error('the sandbox is off');
    const { id } = await createPayment(harness);
    const key = chainKey('ethereum', id);
    const customer = await ctx.db.transaction();
    const frozen = freezeClock(ctx, sandbox, id, async ({ ctx: { testClock, now } }) => {
      await schedule(ctx.db, [{ job: syncChain, key, runAt: addSeconds(now(), 60), testClock }]);
      await lockPayment(customer, id);
    });
    await untilWaitingForLocks(ctx.db);
    // Postgres would end one of the two with "deadlock detected".
    await schedule(customer, [{ job: syncChain, key, runAt: ctx.now(), testClock: null }]);
    await customer.commit();
    await frozen;
  });
});
