import { SIMULATED_CHAINS } from '../../chain/profile.ts';
import { chainKey } from '../../chain/chain-key.ts';
import { isNetwork, NETWORK_IDS, type NetworkId } from '../../chain/networks.ts';
import { booksWithoutWallets } from '../../chain/wallets/address-book.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import { getPayment } from '../../payments/lifecycle/store.ts';
import { requestRefund } from '../../payments/refunds/request.ts';
import { readTransfers } from '../../payments/transfers/store.ts';
import { schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import { ApiError, ValidationError } from '../../api/errors.ts';
import { replaceTransfer } from '../customer/replace-transfer.ts';
import { sendTransfer, type CustomerAdapters } from '../customer/send-transfer.ts';
import { secondsOf } from '../test-clock/schemas.ts';
import type { FrozenClock } from '../test-clock/freeze.ts';
import type { SimulatedReceiver } from './receiver.ts';
import type { Step } from './schemas.ts';

/** The run of a scenario: everything that a step of its script can use. */
export interface ScenarioRun {
  readonly frozen: FrozenClock;
  readonly caller: Caller;
  /** The payment's id. */
  readonly id: string;
  readonly adapters: ScenarioAdapters;
  readonly receiver: SimulatedReceiver;
  readonly control: ScenarioControl;
}

type ScenarioAdapters = CustomerAdapters & Pick<PaymentAdapters, 'currencies'>;

/** What a script controls beyond the payment: whether the conversion is refused, and the random seed. */
export interface ScenarioControl {
  refusesConversion: boolean;
  seed(seed: string): void;
}

/**
 * Runs the steps in the order of their times; what follows from the last one is left to the caller. Throws
 * ValidationError that names a step which cannot be run.
 */
export async function runScript(run: ScenarioRun, begin: Date, script: readonly Step[]): Promise<void> {
  const inOrder = script
    .map((step, index) => ({ step, index, at: addSeconds(begin, secondsOf(step.at)) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.index - b.index);
  let before: Date | null = null;
  for (const { step, index, at } of inOrder) {
    // The immediate effects of a step happen before the next step, even when both have the same time.
    await (before !== null && at <= before ? run.frozen.advanceTo(at) : run.frozen.advanceUpTo(at));
    before = at;
    try {
      await runStep(run, step);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ValidationError(
        `script.${index}`,
        error.details?.constraint ?? error.code,
        `cannot be played at ${step.at}: ${error.message.replace(/\.$/, '')}`,
      );
    }
  }
}

async function runStep(run: ScenarioRun, step: Step): Promise<void> {
  const { frozen, caller, id, adapters, receiver, control } = run;
  const { ctx } = frozen;
  switch (step.do) {
    case 'transfer': {
      const { at: _at, do: _do, ...body } = step;
      await sendTransfer(ctx, adapters, caller, id, { body, claim: null });
      return;
    }
    case 'replace': {
      const { at: _at, do: _do, ...body } = step;
      await replaceTransfer(ctx, adapters, caller, id, { body, claim: null });
      return;
    }
    case 'reorg':
      // The service must have seen the blocks that are replaced: otherwise no transfer would be orphaned.
      await syncChains(run);
      await frozen.advanceTo(ctx.now());
      for (const network of await networksOf(run))
        await adapters.testChain(ctx).reorganise(network, step.depth, ctx.now());
      return syncChains(run);
    case 'mine':
      for (const network of await networksOf(run))
        await adapters.testChain(ctx).mine(network, step.blocks, ctx.now());
      return syncChains(run);
    case 'fail_conversion':
      control.refusesConversion = true;
      return;
    case 'refund': {
      const { at: _at, do: _do, ...body } = step;
      // The payment is discarded: the audit log has what was done to those that stay.
      const unwritten = { ...ctx, actor: undefined };
      await requestRefund(unwritten, refunding(ctx, adapters), caller, id, { body, claim: null });
      return;
    }
    case 'seed':
      control.seed(step.seed);
      return;
    case 'webhook':
      receiver.respondWith(step.answer);
      return;
  }
}

/** The adapters of refunds of test payments. */
const refunding = (ctx: Context, { testChain, rates, currencies }: ScenarioAdapters) => ({
  addresses: booksWithoutWallets(testChain(ctx)),
  rates,
  currencies,
  networks: NETWORK_IDS,
  chains: SIMULATED_CHAINS,
});

/** Returns the payment's own network, and those on which it has transfers. */
async function networksOf({ frozen, caller, id }: ScenarioRun): Promise<NetworkId[]> {
  const payment = await getPayment(frozen.ctx.db, caller.merchantId, id);
  const transfers = await readTransfers(frozen.ctx.db, [id]);
  const networks = new Set([payment.network, ...transfers.map(({ network }) => network)]);
  return [...networks].filter(isNetwork).sort();
}

/** Schedules an immediate sync of the payment's chains. */
async function syncChains(run: ScenarioRun): Promise<void> {
  const { ctx } = run.frozen;
  const networks = await networksOf(run);
  await schedule(
    ctx.db,
    networks.map((network) => ({
      job: syncChain,
      key: chainKey(network, run.id),
      runAt: ctx.now(),
      testClock: ctx.testClock,
    })),
  );
}
