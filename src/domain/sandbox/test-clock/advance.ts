import { claimAfterwards, findReplay } from '../../idempotency/afterwards.ts';
import { findPayment } from '../../payments/lifecycle/store.ts';
import { toResource } from '../../payments/schemas.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import { freezeClock, type FrozenClock } from './freeze.ts';
import { secondsOf } from './duration.ts';
import type { Handlers } from '../../adapters.ts';
import { readHistory, type HistoryAttempt } from './history.ts';

/** Far beyond everything that can happen to a payment, and well within what a timestamp can say. */
const MAX_AGE_YEARS = 10;

/**
 * Moves a test payment's clock by a duration ("61m"), and answers the payment and what happened on the way: its events and the
 * attempts to deliver them. Throws ApiError payment_not_found, and clock_held while somebody else moves the clock.
 */
export async function advance(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  { body, claim, handlers }: { body: { by: string }; claim: IdempotencyClaim | null; handlers: Handlers },
): Promise<Reply> {
  if ((await findPayment(ctx.db, merchantId, id)) === null) throw new ApiError('payment_not_found');
  return freezeClock(ctx, id, handlers, async (frozen) => {
    // Under the hold: of two requests with one key the second finds the first one's answer, and does not wind again.
    const earlier = await findReplay(ctx.db, claim);
    if (earlier !== null) return earlier;
    const answer = reply(200, await advanceBy(frozen, merchantId, id, secondsOf(body.by)));
    await claimAfterwards(ctx.db, claim, answer, ctx.now());
    return answer;
  });
}

async function advanceBy(frozen: FrozenClock, merchantId: string, id: string, seconds: number) {
  const { ctx } = frozen;
  const before = await findPayment(ctx.db, merchantId, id);
  const known = await readHistory(ctx.db, id);
  const until = addSeconds(ctx.now(), seconds);
  const latest = new Date(before?.created_at ?? until);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_AGE_YEARS);
  if (until > latest)
    throw new ValidationError('by', 'maximum', `must not make the payment older than ${MAX_AGE_YEARS} years`);
  await frozen.advanceTo(until);
  const payment = await findPayment(ctx.db, merchantId, id);
  if (payment === null) throw new ApiError('payment_not_found');
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
