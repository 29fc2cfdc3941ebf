import { expect } from 'chai';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import {
  STORY_EVENT_BYTES,
  STORY_ROWS,
  STORY_SECONDS,
  storyBudget,
  type BudgetOptions,
} from '../../../../src/domain/sandbox/budgets/budget.ts';
import { runScenario } from '../../../../src/domain/sandbox/scenarios/run.ts';
import { MAX_STEPS, type ScenarioBody, type Step } from '../../../../src/domain/sandbox/scenarios/schemas.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { countRows, expectError } from '../../../support/http.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const PAYMENT = { pay_amount: '1000.00', expiration_minutes: 1440 };
const repeat = (count: number, step: (index: number) => Step): Step[] =>
  Array.from({ length: count }, (_, index) => step(index));

describe('the budget of a story', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const everything = async () => {
    const tables = ['scenario_runs', 'ledger_entries', 'sim_heads', 'chain_cursors', 'delivery_attempts'];
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
    const { rows } = (await harness.ctx.db.raw(`SELECT ${counts.join(', ')}`)) as { rows: object[] };
    return { ...(await countRows(harness)), ...rows[0] };
  };

  /** Runs a story that must fail, and returns its error; nothing of it may remain. */
  async function failing(body: ScenarioBody, options: Partial<BudgetOptions>): Promise<unknown> {
    const { ctx, sandbox, merchant } = harness;
    const caller = await findCaller(ctx.db, hashApiKey(merchant.apiKey));
    if (caller === null || sandbox === null) throw new Error('the sandbox is off');
    const before_ = await everything();
    const budget = storyBudget('script', { isAbandoned: () => false, milliseconds: () => 0, ...options });
    const answer = await runScenario(ctx, sandbox, caller, { body, claim: null, budget }).catch(
      (error: unknown) => error,
    );
    expect(await everything()).to.deep.equal(before_);
    return answer;
  }

  it(`${MAX_STEPS} steps are played, one more is a 400 that says so`, async () => {
    const script = (count: number) => repeat(count, () => ({ at: '1m', do: 'seed', seed: 'a' }));
    const post = (steps: Step[]) =>
      harness.api('post', '/v1/sandbox/scenarios').send({ payment: PAYMENT, script: steps });
    await post(script(MAX_STEPS)).expect(200);
    expectError(harness, await post(script(MAX_STEPS + 1)), 400, { field: 'script', constraint: 'maxItems' });
  });

  it('ends at its time: 400, and nothing of it remains', async () => {
    let jobs = 0;
    // The time is used up in the middle: after the first transfer was seen.
    const milliseconds = () => ((jobs += 1) > 12 ? STORY_SECONDS * 1000 + 1 : 0);
    const body: ScenarioBody = {
      payment: PAYMENT,
      script: repeat(20, (minute) => ({ at: `${minute}m`, do: 'transfer', amount: '1.00' })),
    };
    const error = await failing(body, { milliseconds });
    expect(error).to.deep.include({ status: 400, details: { field: 'script', constraint: 'seconds' } });
    expect(error).to.have.property('message').that.includes(`${STORY_SECONDS} s`);
    expect(jobs).to.equal(13);
  });

  it(`ends at ${STORY_ROWS} rows: 400, and nothing of it remains`, async () => {
    // Each transfer beside the paid price is reported, and sent back by a refund: a dozen rows and more.
    const policy = { overpaid: 'refund_excess' } as const;
    const script = repeat(MAX_STEPS, (index) => ({
      at: `${1 + 10 * index}m`,
      do: 'transfer',
      amount: '10.00',
    }));
    const payment = { ...PAYMENT, pay_amount: '10.00', policy };
    const error = await failing({ payment, script }, {});
    expect(error).to.deep.include({ status: 400, details: { field: 'script', constraint: 'rows' } });
  });

  it('ends when its events carry too much: 400, and nothing of it remains', async () => {
    const value = '\u{5b57}'.repeat(500);
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, value]));
    const count = Math.ceil(STORY_EVENT_BYTES / (50 * Buffer.byteLength(value))) + 20;
    const script = repeat(count, (second) => ({ at: `${second}s`, do: 'transfer', amount: '1.00' }));
    const error = await failing({ payment: { ...PAYMENT, metadata }, script }, {});
    expect(error).to.deep.include({ status: 400, details: { field: 'script', constraint: 'bytes' } });
  });

  it('ends when its client has left, and nothing of it remains', async () => {
    let jobs = 0;
    const isAbandoned = () => (jobs += 1) > 6;
    await failing({ payment: PAYMENT, script: [{ at: '1m', do: 'transfer' }] }, { isAbandoned });
    expect(jobs).to.equal(7);
  });
});
