import { NETWORKS } from '../chain/networks.ts';
import { transactionHash } from '../chain/transaction-hashes.ts';
import type { EventRecord } from '../events/record.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/endpoint.ts';
import { newId } from '../../platform/ids.ts';
import { newPayment } from './create.ts';
import { eventOf, type RefundFact } from './event.ts';
import type { Payment } from './payment.ts';
import { TRANSITIONS, type Cause, type EventType } from './states.ts';

/** How long the customer of a sample took to get where the event tells of. */
const PAID_WITHIN_SECONDS = 180;

/**
 * A payment of the merchant as if it had just been created, with new ids; it is stored nowhere. Its metadata holds letters outside ASCII
 * and a slash, which programs that read a body and write it again like to write otherwise.
 */
export function samplePayment(ctx: Context, caller: Caller): Payment {
  const body = {
    pay_amount: '25.00',
    order_id: 'test-order',
    metadata: { item: 'Café crème, 1/2 €' },
  };
  return newPayment(ctx, caller, body, addSeconds(ctx.wall(), -PAID_WITHIN_SECONDS)).payment;
}

/** The event of this type that a sample payment would have in the end, if all went as usual; made as the real ones are. */
export function sampleEvent(ctx: Context, sample: Payment, type: EventType): EventRecord {
  const now = ctx.wall();
  const { cause, sequence, changes } = chapters(sample, now)[type];
  const refund = type === 'checkout.refunded' ? refundOf(sample, now) : null;
  const told = { ...sample, ...changes, sequence, status: TRANSITIONS[cause].to };
  return eventOf(told, type, now, refund);
}

interface Chapter {
  /** Of the transitions with this event, the one that is told. */
  readonly cause: Cause;
  readonly sequence: number;
  readonly changes: Partial<Payment>;
}

function chapters(sample: Payment, now: Date): Record<EventType, Chapter> {
  const { address, coin, network, crypto_amount: amount } = sample;
  const seen: Partial<Payment> = {
    tx_hash: transactionHash(network, { address, coin, amount, nonce: sample.id }),
    confirmations: 1,
    covered: true,
    amount_received: sample.pay_amount,
  };
  const confirmed = { ...seen, confirmations: NETWORKS[network].confirmations };
  const settled = {
    ...confirmed,
    settled_at: now,
    actually_paid: amount,
    actually_paid_currency: coin,
  };
  return {
    'checkout.created': { cause: 'created', sequence: 1, changes: {} },
    'checkout.pending': { cause: 'transfer_seen', sequence: 2, changes: seen },
    'checkout.processing': { cause: 'confirmed_in_full', sequence: 3, changes: confirmed },
    'checkout.settled': { cause: 'settled', sequence: 4, changes: settled },
    'checkout.failed': { cause: 'deadline_passed', sequence: 2, changes: {} },
    'checkout.refunded': {
      cause: 'refunded_in_full',
      sequence: 5,
      changes: { ...settled, amount_refunded: sample.pay_amount },
    },
  };
}

function refundOf({ pay_amount, pay_currency }: Payment, now: Date): RefundFact {
  return { id: newId('ref', now), amount: pay_amount, currency: pay_currency, reason: null };
}
