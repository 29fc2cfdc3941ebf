import fc from 'fast-check';
import { openShop } from '../support/shop.ts';
import { disableWebhooks } from './facts.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { script } from './arbitrary.ts';
import { checkScript, type Script } from './check.ts';

/** `npm run test:model` runs 10,000 scripts, `npm run test:model:ci` 1,000; MODEL_SEED repeats a run. */
const SCRIPTS = Number(process.env.MODEL_SCRIPTS ?? 60);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
/**
 * For so long a script that failed is made smaller: better not the smallest counterexample than none, because
 * a step of CI ends before it is printed. Scripts that pass may take as long as they need on a busy machine.
 */
const SHRINK_MS = 120_000;
/** Concurrent scripts: enough to keep Postgres busy while this process computes. */
const LANES = Number(process.env.MODEL_LANES ?? 6);

/** Null: each network's own. With the other, many transfers are unmined for longer than they hold a rate. */
const BLOCK_SECONDS = [null, 2400];

for (const blockSeconds of BLOCK_SECONDS)
  describe(`a payment and its model, with ${blockSeconds === null ? 'blocks as they are' : `a block every ${blockSeconds} s`}`, () => {
    let harness: Harness;
    before(async () => {
      harness = await createHarness(
        blockSeconds === null ? {} : { SIMULATOR_BLOCK_SECONDS: String(blockSeconds) },
      );
      await disableWebhooks(harness.ctx);
    });
    after(() => harness.close());

    it(`agree on ${SCRIPTS / BLOCK_SECONDS.length} scripts (seed ${SEED})`, async function () {
      this.timeout(0);
      await agree(harness, SCRIPTS / BLOCK_SECONDS.length);
    });
  });

async function agree(harness: Harness, scripts: number): Promise<void> {
  const { ctx } = harness;
  // Before the scripts, so that a run that hangs prints it too.
  console.log(`      MODEL_SCRIPTS=${SCRIPTS} MODEL_SEED=${SEED} runs these scripts again`);
  const { caller } = await openShop(harness);
  const startedAt = performance.now();
  const first = { lane: -1, at: Infinity };
  const check = (lane: number) => async (one: Script) => {
    // Whose turn is over: a script that is not tried passes.
    if (first.lane !== -1 && (first.lane !== lane || performance.now() > first.at + SHRINK_MS)) return;
    try {
      await checkScript(ctx, caller, one);
    } catch (error) {
      if (first.lane === -1) Object.assign(first, { lane, at: performance.now() });
      throw error;
    }
  };
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    fc.assert(fc.asyncProperty(script, check(lane)), {
      seed: SEED + lane,
      numRuns: Math.ceil(scripts / LANES),
      verbose: 0,
    }),
  );
  const results = await Promise.allSettled(lanes);
  const failed = results[first.lane] ?? results.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason as Error;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`      ${(scripts / seconds).toFixed(0)} scripts per second, ${seconds.toFixed(0)} s`);
}
