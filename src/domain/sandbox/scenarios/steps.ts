import { simulatorOf } from '../../chain/chain.ts';
import { isNetwork, type NetworkId } from '../../chain/networks.ts';
import { chainKey } from '../../chain/simulator/store.ts';
import { schedule } from '../../schedule/store.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { requestRefund } from '../../payments/refunds/refund.ts';
import { findPayment } from '../../payments/lifecycle/store.ts';
import { readTransfers } from '../../payments/transfers/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Caller } from '../../../platform/endpoint.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import type { FrozenClock } from '../test-clock/freeze.ts';
import { secondsOf } from '../test-clock/duration.ts';
import type { SimulatedReceiver } from './receiver.ts';
import { replaceTransfer } from '../customer/replace-transfer.ts';
import type { Step } from './schemas.ts';
import { sendTransfer } from '../customer/send-transfer.ts';

/** Everything that a step of a script can reach. */
export interface ScenarioRun {
  readonly frozen: FrozenClock;
  readonly caller: Caller;
  readonly id: string;
  readonly receiver: SimulatedReceiver;
  /** What is left to chance, and what the venue does. */
  readonly director: { refusesConversion: boolean; seed(seed: string): void };
}

/** Plays the steps in the order of their times. Throws ValidationError that names the step which cannot be played. */
export async function runScript(stage: ScenarioRun, begin: Date, script: readonly Step[]): Promise<void> {
  const inOrder = script
    .map((step, index) => ({ step, index, at: addSeconds(begin, secondsOf(step.at)) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.index - b.index);
  for (const { step, index, at } of inOrder) {
    await stage.frozen.advanceUpTo(at);
    try {
      await play(stage, step);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ValidationError(
        `script.${index}`,
        error.details?.constraint ?? error.code,
        `cannot be played at ${step.at}: ${error.message}`,
      );
    }
    // What a step causes at once happens before the next step, also where both have the same time.
    await stage.frozen.advanceTo(at);
  }
}

async function play(stage: ScenarioRun, step: Step): Promise<void> {
  const { frozen, caller, id, receiver, director } = stage;
  const { ctx } = frozen;
  switch (step.do) {
    case 'transfer': {
      const { amount, coin, network } = step;
      await sendTransfer(
        ctx,
        caller,
        id,
        { ...(amount && { amount }), ...(coin && { coin }), ...(network && { network }) },
        null,
      );
      return;
    }
    case 'replace':
      await replaceTransfer(ctx, caller, id, { ...(step.transfer && { transfer: step.transfer }) }, null);
      return;
    case 'reorg':
      // The service has seen the blocks that go: else nothing would be taken back.
      await syncChains(stage);
      await frozen.advanceTo(ctx.now());
      for (const network of await networksOf(stage))
        await simulatorOf(ctx).reorganise(network, step.depth, ctx.now());
      return syncChains(stage);
    case 'mine':
      for (const network of await networksOf(stage))
        await simulatorOf(ctx).mine(network, step.blocks, ctx.now());
      return syncChains(stage);
    case 'fail_conversion':
      director.refusesConversion = true;
      return;
    case 'refund':
      await requestRefund(
        ctx,
        caller,
        id,
        { ...(step.amount && { amount: step.amount }), ...(step.reason && { reason: step.reason }) },
        null,
      );
      return;
    case 'seed':
      director.seed(step.seed);
      return;
    case 'webhook':
      receiver.answerWith(step.answer);
      return;
  }
}

/** The networks on which the payment has transfers, or its own where there are none yet. */
async function networksOf({ frozen, caller, id }: ScenarioRun): Promise<NetworkId[]> {
  const payment = await findPayment(frozen.ctx.db, caller.merchantId, id);
  const transfers = await readTransfers(frozen.ctx.db, [id]);
  const networks = new Set([
    ...(payment === null ? [] : [payment.network]),
    ...transfers.map(({ network }) => network),
  ]);
  return [...networks].filter(isNetwork).sort();
}

/** What was done to the chain is seen at once. */
async function syncChains(stage: ScenarioRun): Promise<void> {
  const { ctx } = stage.frozen;
  const networks = await networksOf(stage);
  await schedule(
    ctx.db,
    networks.map((network) => ({
      job: syncChain,
      key: chainKey(network, stage.id),
      runAt: ctx.now(),
      testClock: ctx.testClock,
    })),
  );
}
