import fc from 'fast-check';
import { openShop } from '../support/shop.ts';
import { disableWebhooks } from './service.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { checkScript, type Script } from './check.ts';
import type { Action, Terms } from './terms.ts';

/** `npm run test:model` runs 10,000 scripts, `npm run test:model:ci` 1,000; MODEL_SEED repeats a run. */
const SCRIPTS = Number(process.env.MODEL_SCRIPTS ?? 200);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
/** Concurrent scripts: enough to keep Postgres busy while this process computes. */
const LANES = Number(process.env.MODEL_LANES ?? 6);

const terms: fc.Arbitrary<Terms> = fc.record({
  cents: fc.constantFrom(1000, 1),
  minutes: fc.constantFrom(60, 5, 1440),
  policy: fc.record({
    underpaid: fc.constantFrom('wait', 'accept'),
    underpaid_tolerance_percent: fc.constantFrom(0, 5, 50, 100),
    late: fc.constantFrom('honour', 'refund'),
    overpaid: fc.constantFrom('keep', 'refund_excess'),
  }),
});

const network = fc.constantFrom('ethereum' as const, 'ethereum' as const, 'tron' as const);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('transfer' as const),
      cents: fc.constantFrom(1000, 400, 600, 1, 500, 950, 949, 1200),
      network,
    }),
  },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'wait' }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replace' as const), which: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.constantFrom(1, 3, 12, 1000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.constantFrom(1, 11, 20) }),
  },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'fail_conversion' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      cents: fc.constantFrom(null, null, 1, 250, 1000),
    }),
  },
);

/**
 * Seconds before a step: at once, within the confirmations, around the deadlines, around the end of the late
 * window.
 */
const pause = fc.oneof(
  { weight: 4, arbitrary: fc.nat(200) },
  { weight: 2, arbitrary: fc.integer({ min: 200, max: 4000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4000, max: 100_000 }) },
);
const step = fc.record({ after: pause, action });

/** Most bugs need few steps; one script in ten is long. */
const script: fc.Arbitrary<Script> = fc.record({
  terms,
  steps: fc.oneof(
    { weight: 9, arbitrary: fc.array(step, { minLength: 1, maxLength: 8, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(step, { minLength: 9, maxLength: 40, size: 'max' }) },
  ),
});

describe('a payment and its model', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    await disableWebhooks(harness.ctx);
  });
  after(() => harness.close());

  it(`agree on ${SCRIPTS} scripts (seed ${SEED})`, async function () {
    this.timeout(0);
    // Before the scripts, so that a run that hangs prints it too.
    console.log(`      MODEL_SCRIPTS=${SCRIPTS} MODEL_SEED=${SEED} plays these scripts again`);
    const { caller } = await openShop(harness);
    const startedAt = performance.now();
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      fc.assert(
        fc.asyncProperty(script, (one) => checkScript(harness.ctx, caller, one)),
        { seed: SEED + lane, numRuns: Math.ceil(SCRIPTS / LANES), verbose: 0 },
      ),
    );
    const results = await Promise.allSettled(lanes);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(`      ${(SCRIPTS / seconds).toFixed(0)} scripts per second, ${seconds.toFixed(0)} s`);
  });
});
