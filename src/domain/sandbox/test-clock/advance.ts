import { claimAfterwards, findReplay } from '../../idempotency/afterwards.ts';
import { getPayment } from '../../payments/lifecycle/store.ts';
import { toResource } from '../../payments/schemas.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ValidationError } from '../../api/errors.ts';
import type { Budget } from '../budgets/budget.ts';
import { secondsOf } from './schemas.ts';
import { freezeClock, type FrozenClock } from './freeze.ts';
import { readHistory, type HistoryAttempt } from './history.ts';
import type { Sandbox } from './sandbox.ts';
import type { AdvanceBody } from './schemas.ts';

/** Far more than any payment lasts, and well within the range of a timestamp. */
const MAX_AGE_YEARS = 10;

export interface AdvanceRequest {
  readonly body: AdvanceBody;
  readonly claim: IdempotencyClaim | null;
  /** What the jobs may spend; absent or null: as much as they need. */
  readonly budget?: Budget | null;
}

/**
 * Advances a test payment's clock by a duration ("61m"), and returns the payment, and its events and delivery
 * attempts in that time. Throws ApiError payment_not_found, and clock_held while another request advances the
 * clock; and what the budget throws, with the clock where it has stopped.
 */
export async function advance(
  ctx: Context,
  sandbox: Sandbox,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  { body, claim, budget = null }: AdvanceRequest,
): Promise<Reply> {
  await getPayment(ctx.db, merchantId, id);
  const work = async (frozen: FrozenClock): Promise<Reply> => {
    // Checked while the clock is frozen: a second request with the same key finds the reply and does not
    // advance again.
    const earlier = await findReplay(ctx.db, claim);
    if (earlier !== null) return earlier;
    const advanced = reply(200, await advanceBy(frozen, merchantId, id, secondsOf(body.by)));
    await claimAfterwards(ctx.db, claim, advanced, ctx.now());
    return advanced;
  };
  return freezeClock(ctx, sandbox, id, work, budget);
}

async function advanceBy(frozen: FrozenClock, merchantId: string, id: string, seconds: number) {
  const { ctx } = frozen;
  const before = await getPayment(ctx.db, merchantId, id);
  const known = await readHistory(ctx.db, id);
  const until = addSeconds(ctx.now(), seconds);
  const latest = new Date(before.created_at);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_AGE_YEARS);
  if (until > latest)
    throw new ValidationError('by', 'maximum', `must not make the payment older than ${MAX_AGE_YEARS} years`);
  await frozen.advanceTo(until);
  const payment = await getPayment(ctx.db, merchantId, id);
  const { events, deliveries } = await readHistory(ctx.db, id);
  const attempts = new Set(known.deliveries.map(nameOf));
  return {
    now: ctx.now().toISOString(),
    payment: toResource(payment, ctx.config.publicUrl),
    events: events.slice(known.events.length),
    deliveries: deliveries.filter((delivery) => !attempts.has(nameOf(delivery))),
  };
}

function nameOf({ event_id, attempt }: HistoryAttempt): string {
  return `${event_id} ${attempt}`;
}
