import { recordChange } from '../audit/record.ts';
import { once } from '../idempotency/claim.ts';
import type { Context } from '../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';
import type { Payment } from './lifecycle/payment.ts';
import { isExpired } from './lifecycle/states.ts';
import { getPayment, lockPayment } from './lifecycle/store.ts';
import { withTestClockOf } from './lifecycle/test-clock.ts';
import { transition } from './lifecycle/transition.ts';
import { syncNetworksOf } from './sync/shared-sync.ts';
import type { SyncAdapters } from './sync/sync-network.ts';
import { acceptDueRefunds } from './refunds/due.ts';
import { toResource } from './schemas.ts';
import { isShort } from './transfers/decide.ts';

/**
 * Ends an open payment as its deadline would: what comes later is late money. Returns a payment that is
 * cancelled already as it is. Throws ApiError payment_not_found, and cancel_not_allowed for one with enough
 * money or in another final status: of a transfer that is seen at the same instant and this, one wins.
 */
export async function cancelPayment(
  ctx: Context,
  adapters: SyncAdapters,
  caller: Pick<Caller, 'merchantId'>,
  id: string,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const found = await getPayment(ctx.db, caller.merchantId, id);
  // Money that the network has seen by now counts, even when the last sync was earlier.
  await syncNetworksOf(withTestClockOf(ctx, found), adapters, [id]);
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    const payment = await lockPayment(tx, id);
    const toReply = (current: Payment) => reply(200, toResource(current, ctx.config.publicUrl));
    if (isExpired(payment.status) && payment.cancelled_at !== null) return toReply(payment);
    const now = withTestClockOf(ctx, payment).now();
    // One that late money has opened again was cancelled when it was cancelled first. A part that was seen
    // before, and is reported later, must not open it until `expires_at`.
    const changes = { cancelled_at: payment.cancelled_at ?? now, deadline_at: now };
    const [cancelled] = await transition(tx, [{ paymentId: id, trigger: 'cancelled', changes }], now);
    if (cancelled === undefined) throw new ApiError('cancel_not_allowed', { message: reasonOf(payment) });
    await acceptDueRefunds(tx, [id], now);
    ctx.log.info('payment cancelled', { payment_id: id });
    const { merchant_id } = payment;
    await recordChange(ctx, tx, 'payment cancelled', { merchant_id, payment_id: id });
    return toReply(cancelled);
  });
}

function reasonOf(payment: Payment): string {
  if (isShort(payment)) return 'Transfers of the payment are being processed. Try again later.';
  return payment.fully_funded
    ? `The payment is ${payment.status}, and enough money was seen: it cannot be cancelled.`
    : `A payment that is ${payment.status} cannot be cancelled.`;
}
