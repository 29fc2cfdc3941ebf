import fc from 'fast-check';
import { openShop } from '../support/shop.ts';
import { disableWebhooks } from './facts.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { script } from './arbitrary.ts';
import { checkScript } from './check.ts';

/** `npm run test:model` runs 10,000 scripts, `npm run test:model:ci` 1,000; MODEL_SEED repeats a run. */
const SCRIPTS = Number(process.env.MODEL_SCRIPTS ?? 60);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
/** Concurrent scripts: enough to keep Postgres busy while this process computes. */
const LANES = Number(process.env.MODEL_LANES ?? 6);

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
