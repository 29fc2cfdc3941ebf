import { hashBody } from '../idempotency/claim.ts';
import { observeNetwork } from '../payments/observe.ts';
import { enterWorld, inWorldOf } from '../payments/world.ts';
import { advance } from '../sandbox/advance.ts';
import type { Sandbox } from '../sandbox/outside.ts';
import { replaceTransfer } from '../sandbox/replace-transfer.ts';
import { sendTransfer } from '../sandbox/send-transfer.ts';
import type { Context } from '../../platform/context.ts';
import type { IdempotencyClaim } from '../../platform/endpoint.ts';
import { ApiError, type ApiErrorCode } from '../../platform/errors.ts';
import { amountOf, PLAYS, playsOf, type Play } from './plays.ts';
import { findByToken, type CheckoutPayment } from './store.ts';
import { viewOf, type View } from './view.ts';

/** Looks at a chain that others look at, too; what is missed after so many the workers see. */
const MAX_LOOKS = 3;

export type Played = 'played' | 'missing' | 'badPlay' | 'playOver' | 'playHeld';

/**
 * Plays the customer of the test payment that `token` opens, by the sandbox's own verbs: `wanted` is whatever was sent. A live payment
 * is missing, like none. What makes no sense in the payment's state is over, and a clock that somebody else moves is held.
 */
export async function simulateByToken(
  ctx: Context,
  sandbox: Sandbox,
  token: string,
  wanted: unknown,
): Promise<Played> {
  const payment = await findByToken(ctx.db, token);
  if (payment === null || payment.merchant_mode !== 'test') return 'missing';
  const play = PLAYS.find((known) => known === wanted);
  if (play === undefined) return 'badPlay';
  const now = inWorldOf(ctx, payment).now();
  const view = viewOf(payment, now);
  if (!playsOf(view).includes(play)) return 'playOver';
  try {
    await perform(ctx, sandbox, view, play, now);
  } catch (error) {
    const refused = error instanceof ApiError ? REFUSALS[error.code] : undefined;
    if (refused === undefined) throw error;
    return refused;
  }
  await lookAtOnce(ctx, payment);
  return 'played';
}

const REFUSALS: Partial<Record<ApiErrorCode, Played>> = {
  clock_held: 'playHeld',
  nothing_to_replace: 'playOver',
  idempotency_conflict: 'playOver',
};

async function perform(ctx: Context, sandbox: Sandbox, view: View, play: Play, now: Date): Promise<void> {
  const { id, merchant_id: merchantId, coin, network, deadline_at } = view.payment;
  const claim = claimOf(view.payment, play);
  const amount = amountOf(view, play);
  // Coin and network of the page that was shown, also when another one was chosen meanwhile: the amount is one of theirs.
  if (amount !== null) await sendTransfer(ctx, { merchantId }, id, { amount, coin, network }, claim);
  else if (play === 'replace') await replaceTransfer(ctx, { merchantId }, id, {}, claim);
  else {
    const by = `${Math.max(0, Math.ceil((deadline_at.getTime() - now.getTime()) / 1000))}s`;
    const handlers = sandbox.handlersFor(sandbox.outside);
    await advance(ctx, { merchantId }, id, { body: { by }, claim, handlers });
  }
}

/**
 * One play for each step of a payment: a second click, before the first one's transfer is seen, finds the answer of the first instead
 * of paying twice; a click on another button is refused.
 */
function claimOf({ merchant_id, token_id, sequence }: CheckoutPayment, play: Play): IdempotencyClaim {
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
async function lookAtOnce(ctx: Context, { world, network }: CheckoutPayment): Promise<void> {
  // Whoever holds the world's clock does its work.
  const entered = world === null ? ctx : await enterWorld(ctx, world);
  if (entered === null) return;
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) if (!(await observeNetwork(entered, network))) return;
}
