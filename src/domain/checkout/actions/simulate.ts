import { hashBody } from '../../idempotency/claim.ts';
import { syncNetwork } from '../../payments/sync/sync-network.ts';
import { contextOfTestClock, withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { advanceBudget } from '../../sandbox/budgets/budget.ts';
import { slotsOf } from '../../sandbox/budgets/sandbox-slots.ts';
import { advance } from '../../sandbox/test-clock/advance.ts';
import type { Sandbox } from '../../sandbox/test-clock/sandbox.ts';
import { replaceTransfer } from '../../sandbox/customer/replace-transfer.ts';
import { sendTransfer } from '../../sandbox/customer/send-transfer.ts';
import type { Context } from '../../../platform/context.ts';
import type { IdempotencyClaim } from '../../api/endpoint.ts';
import { ApiError, type ApiErrorCode } from '../../api/errors.ts';
import {
  amountOf,
  SIMULATOR_ACTIONS,
  availableActions,
  type SimulatorAction,
} from '../view/simulator-actions.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';
import { viewOf, type View } from '../view/view.ts';

/** Workers sync the same chain; what these syncs miss, theirs find. */
const MAX_SYNCS = 3;

export type SimulationResult = 'done' | 'missing' | 'badAction' | 'actionOver' | 'clockBusy';

/**
 * Acts as the customer of the test payment that `token` opens, by the sandbox's own verbs: `input` is
 * unchecked. A live payment is `missing`, as an unknown token is. `actionOver`: the action makes no sense in
 * the payment's state; `clockBusy`: another request advances its test clock, or too many
 * run at once.
 */
export async function simulateByToken(
  ctx: Context,
  sandbox: Sandbox,
  token: string,
  input: unknown,
): Promise<SimulationResult> {
  const payment = await findByToken(ctx.db, token);
  if (payment === null || payment.merchant_mode !== 'test') return 'missing';
  const action = SIMULATOR_ACTIONS.find((known) => known === input);
  if (action === undefined) return 'badAction';
  const now = withTestClockOf(ctx, payment).now();
  const view = viewOf(payment, now);
  if (!availableActions(view).includes(action)) return 'actionOver';
  try {
    await perform(ctx, sandbox, view, action, now);
  } catch (error) {
    const refusal = error instanceof ApiError ? REFUSALS[error.code] : undefined;
    if (refusal === undefined) throw error;
    return refusal;
  }
  await syncAtOnce(ctx, sandbox, payment);
  return 'done';
}

/** What the simulated customer can do now; `amount`: what it sends, with its coin; null: nothing. */
export interface OfferedAction {
  readonly action: SimulatorAction;
  readonly amount: string | null;
}

/** Returns what the simulated customer can do with the payment of a token; none: it is live, or over. */
export async function simulatorActionsByToken(ctx: Context, token: string): Promise<OfferedAction[]> {
  const payment = await findByToken(ctx.db, token);
  if (payment === null || payment.merchant_mode !== 'test') return [];
  const view = viewOf(payment, withTestClockOf(ctx, payment).now());
  return availableActions(view).map((action) => {
    const amount = amountOf(view, action);
    return { action, amount: amount === null ? null : `${amount} ${payment.coin}` };
  });
}

const REFUSALS: Partial<Record<ApiErrorCode, SimulationResult>> = {
  clock_held: 'clockBusy',
  rate_limited: 'clockBusy',
  nothing_to_replace: 'actionOver',
  idempotency_conflict: 'actionOver',
};

async function perform(
  ctx: Context,
  sandbox: Sandbox,
  view: View,
  action: SimulatorAction,
  now: Date,
): Promise<void> {
  const { id, merchant_id: merchantId, coin, network, deadline_at } = view.payment;
  const claim = claimOf(view.payment, action);
  const amount = amountOf(view, action);
  // The payment method that the page showed, also when another was selected meanwhile: the amount is in its
  // coin.
  const { clock, customer } = slotsOf(sandbox);
  if (amount !== null) {
    const body = { amount, coin, network };
    await customer.run(merchantId, () =>
      sendTransfer(ctx, sandbox.adapters, { merchantId }, id, { body, claim }),
    );
  } else if (action === 'replace')
    await customer.run(merchantId, () =>
      replaceTransfer(ctx, sandbox.adapters, { merchantId }, id, { body: {}, claim }),
    );
  else {
    const by = `${Math.max(0, Math.ceil((deadline_at.getTime() - now.getTime()) / 1000))}s`;
    const budget = advanceBudget({ isAbandoned: () => false, isRepeatable: true });
    await clock.run(merchantId, () =>
      advance(ctx, sandbox, { merchantId }, id, { body: { by }, claim, budget }),
    );
  }
}

/**
 * One action for each sequence number of a payment. A second click, before the first one's transfer is seen,
 * replays the first response instead of paying twice; a click on another button is refused.
 */
function claimOf(
  { merchant_id, token_id, sequence }: CheckoutPayment,
  action: SimulatorAction,
): IdempotencyClaim {
  const path = `/checkout/${token_id}/simulate`;
  return {
    merchantId: merchant_id,
    method: 'POST',
    path,
    key: String(sequence),
    bodyHash: hashBody({ do: action }),
  };
}

/**
 * Syncs now, so that the next page shows the action's result instead of asking for the money again until a
 * worker syncs.
 */
async function syncAtOnce(
  ctx: Context,
  { adapters }: Sandbox,
  { test_clock, network }: CheckoutPayment,
): Promise<void> {
  const clocked = test_clock === null ? ctx : await contextOfTestClock(ctx, test_clock);
  // The request that advances the test clock at this moment syncs its chain.
  if (clocked === null) return;
  for (let count = 0; count < MAX_SYNCS; count += 1)
    if (!(await syncNetwork(clocked, adapters, network))) return;
}
