import type { NetworkId } from '../../../chain/networks.ts';
import { finish, schedule } from '../../../schedule/store.ts';
import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import { run, runOne, sql, type Tx } from '../../../../platform/postgres/db.ts';
import { offerRefund } from '../../lifecycle/jobs.ts';
import type { Payment } from '../../lifecycle/payment.ts';
import { lockPayment } from '../../lifecycle/store.ts';
import { reviewAwaited } from '../by-merchant/review.ts';
import { IS_AWAITED, IS_UNSIGNED, isHeld, type RefundStatus } from '../states.ts';
import type { Refund } from '../store.ts';
import { askSigner } from './intent.ts';
import { isServed } from './served.ts';

/** A refund whose coins are not confirmed any more is offered once they are again. */
const WAIT_SECONDS = 600;

const refundPayments = sql<{ id: string; payment_id: string }, { ids: readonly string[] }>(
  'payments_of_offered_refunds',
  (p) => `SELECT id, payment_id FROM refunds r WHERE id = ANY (${p.ids}) AND ${IS_AWAITED('r')}`,
);

const statusOfRefund = sql<{ status: RefundStatus; network: NetworkId }, { id: string }>(
  'status_of_offered_refund',
  (p) => `SELECT status, network FROM refunds WHERE id = ${p.id}`,
);

type Offered = Pick<Refund, 'network' | 'coin' | 'coin_amount' | 'address'>;

const markOffered = sql<Offered, { id: string; now: Date }>(
  'mark_refund_offered',
  (p) => `
    UPDATE refunds r SET offered_at = ${p.now}
    WHERE id = ${p.id} AND ${IS_UNSIGNED('r')} AND offered_at IS NULL AND address IS NOT NULL
    RETURNING network, coin, coin_amount, address`,
);

/**
 * Asks the signer to pay refunds that wait for a signature, each once. From then on a refund is neither
 * withdrawn nor given another address: the money may have left. It is completed by a final transfer, as
 * every refund that the service does not send itself.
 */
export async function offerRefunds(ctx: Context, _adapters: unknown, ids: readonly string[]): Promise<void> {
  const startedAt = ctx.now();
  const later: string[] = [];
  for (const { id, payment_id } of await run(ctx.db, refundPayments, { ids }))
    await ctx.db.transaction(async (tx) => {
      const payment = await lockPayment(tx, payment_id);
      // What goes back must be confirmed at this moment.
      await reviewAwaited(tx, [payment_id], ctx.now());
      if (!(await offer(ctx, tx, payment, id))) return;
      later.push(id);
      const runAt = addSeconds(ctx.now(), WAIT_SECONDS);
      await schedule(tx, [{ job: offerRefund, key: id, runAt, testClock: null }]);
    });
  const done = ids.filter((id) => !later.includes(id));
  await finish(ctx.db, offerRefund, done, startedAt);
}

/** Returns true where the refund may be offered later. */
async function offer(ctx: Context, tx: Tx, payment: Payment, id: string): Promise<boolean> {
  const refund = await runOne(tx, statusOfRefund, { id });
  if (refund === null || !isServed(ctx.config, payment.merchant_id, refund.network)) return false;
  const offered = await runOne(tx, markOffered, { id, now: ctx.now() });
  if (offered === null) return isHeld(refund.status);
  const { network, coin, coin_amount: amount, address } = offered;
  if (address === null) return false;
  const { id: payment_id, merchant_id } = payment;
  await askSigner(tx, { refund_id: id, payment_id, merchant_id, network, coin, amount, address }, ctx.now());
  ctx.log.info('the signer was asked to pay a refund', { payment_id, refund_id: id });
  return false;
}
