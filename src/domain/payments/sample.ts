import { NETWORKS } from '../chain/networks.ts';
import { transactionHash } from '../chain/transaction-hashes.ts';
import type { EventRecord } from '../outbox/record.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/endpoint.ts';
import { newId } from '../../platform/values/ids.ts';
import { newPayment } from './create.ts';
import { eventOf, type RefundDetails } from './lifecycle/event.ts';
import type { Payment } from './lifecycle/payment.ts';
import { TRANSITIONS, type Trigger, type EventType } from './lifecycle/states.ts';

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
  return newPayment(ctx, caller, body, addSeconds(ctx.systemNow(), -PAID_WITHIN_SECONDS)).payment;
}

/** The event of this type that a sample payment would have in the end, if all went as usual; made as the real ones are. */
export function sampleEvent(ctx: Context, sample: Payment, type: EventType): EventRecord {
  const now = ctx.systemNow();
  const { trigger, sequence, changes } = stages(sample, now)[type];
  const refund = type === 'checkout.refunded' ? refundOf(sample, now) : null;
  const told = { ...sample, ...changes, sequence, status: TRANSITIONS[trigger].to };
  return eventOf(told, type, now, refund);
}

interface SampleStage {
  /** Of the transitions with this event, the one that is told. */
  readonly trigger: Trigger;
  readonly sequence: number;
  readonly changes: Partial<Payment>;
}

function stages(sample: Payment, now: Date): Record<EventType, SampleStage> {
  const { address, coin, network, crypto_amount: amount } = sample;
  const seen: Partial<Payment> = {
    tx_hash: transactionHash(network, { address, coin, amount, nonce: sample.id }),
    confirmations: 1,
    fully_funded: true,
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
    'checkout.created': { trigger: 'created', sequence: 1, changes: {} },
    'checkout.pending': { trigger: 'transfer_seen', sequence: 2, changes: seen },
    'checkout.processing': { trigger: 'confirmed_in_full', sequence: 3, changes: confirmed },
    'checkout.settled': { trigger: 'settled', sequence: 4, changes: settled },
    'checkout.failed': { trigger: 'deadline_passed', sequence: 2, changes: {} },
    'checkout.refunded': {
      trigger: 'refunded_in_full',
      sequence: 5,
      changes: { ...settled, amount_refunded: sample.pay_amount },
    },
  };
}

function refundOf({ pay_amount, pay_currency }: Payment, now: Date): RefundDetails {
  return { id: newId('ref', now), amount: pay_amount, currency: pay_currency, reason: null };
}
