import { hashBody } from '../../idempotency/claim.ts';
import { syncNetwork } from '../../payments/processing/sync-network.ts';
import { contextOfTestClock, withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { advance } from '../../sandbox/test-clock/advance.ts';
import type { Sandbox } from '../../sandbox/test-clock/sandbox.ts';
import { replaceTransfer } from '../../sandbox/customer/replace-transfer.ts';
import { sendTransfer } from '../../sandbox/customer/send-transfer.ts';
import type { Context } from '../../../platform/context.ts';
import type { IdempotencyClaim } from '../../../platform/endpoint.ts';
import { ApiError, type ApiErrorCode } from '../../../platform/errors.ts';
import {
  amountOf,
  SIMULATOR_ACTIONS,
  availableActions,
  type SimulatorAction,
} from '../view/simulator-actions.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';
import { viewOf, type View } from '../view/view.ts';

/** Looks at a chain that others look at, too; what is missed after so many the workers see. */
const MAX_SYNCS = 3;

export type SimulationResult = 'played' | 'missing' | 'badPlay' | 'playOver' | 'playHeld';

/**
 * Plays the customer of the test payment that `token` opens, by the sandbox's own verbs: `wanted` is whatever was sent. A live payment
 * is missing, like none. What makes no sense in the payment's state is over, and a clock that somebody else moves is held.
 */
export async function simulateByToken(
  ctx: Context,
  sandbox: Sandbox,
  token: string,
  wanted: unknown,
): Promise<SimulationResult> {
  const payment = await findByToken(ctx.db, token);
  if (payment === null || payment.merchant_mode !== 'test') return 'missing';
  const play = SIMULATOR_ACTIONS.find((known) => known === wanted);
  if (play === undefined) return 'badPlay';
  const now = withTestClockOf(ctx, payment).now();
  const view = viewOf(payment, now);
  if (!availableActions(view).includes(play)) return 'playOver';
  try {
    await perform(ctx, sandbox, view, play, now);
  } catch (error) {
    const refused = error instanceof ApiError ? REFUSALS[error.code] : undefined;
    if (refused === undefined) throw error;
    return refused;
  }
  await syncAtOnce(ctx, sandbox, payment);
  return 'played';
}

const REFUSALS: Partial<Record<ApiErrorCode, SimulationResult>> = {
  clock_held: 'playHeld',
  nothing_to_replace: 'playOver',
  idempotency_conflict: 'playOver',
};

async function perform(
  ctx: Context,
  sandbox: Sandbox,
  view: View,
  play: SimulatorAction,
  now: Date,
): Promise<void> {
  const { id, merchant_id: merchantId, coin, network, deadline_at } = view.payment;
  const claim = claimOf(view.payment, play);
  const amount = amountOf(view, play);
  // Coin and network of the page that was shown, also when another one was chosen meanwhile: the amount is one of theirs.
  if (amount !== null)
    await sendTransfer(ctx, sandbox.adapters, { merchantId }, id, { body: { amount, coin, network }, claim });
  else if (play === 'replace')
    await replaceTransfer(ctx, sandbox.adapters, { merchantId }, id, { body: {}, claim });
  else {
    const by = `${Math.max(0, Math.ceil((deadline_at.getTime() - now.getTime()) / 1000))}s`;
    await advance(ctx, sandbox, { merchantId }, id, { body: { by }, claim });
  }
}

/**
 * One play for each step of a payment: a second click, before the first one's transfer is seen, finds the answer of the first instead
 * of paying twice; a click on another button is refused.
 */
function claimOf(
  { merchant_id, token_id, sequence }: CheckoutPayment,
  play: SimulatorAction,
): IdempotencyClaim {
  const path = `/checkout/${token_id}/simulate`;
  return {
    merchantId: merchant_id,
    method: 'POST',
    path,
    key: String(sequence),
    bodyHash: hashBody({ do: play }),
  };
}

/** The page that is loaded next shows what was done, instead of asking for the money a second time until a worker has looked. */
async function syncAtOnce(
  ctx: Context,
  { adapters }: Sandbox,
  { test_clock, network }: CheckoutPayment,
): Promise<void> {
  // Whoever holds the world's clock does its work.
  const entered = test_clock === null ? ctx : await contextOfTestClock(ctx, test_clock);
  if (entered === null) return;
  for (let looks = 0; looks < MAX_SYNCS; looks += 1)
    if (!(await syncNetwork(entered, adapters, network))) return;
}
