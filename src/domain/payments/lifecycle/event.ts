import { requiredConfirmations } from '../../chain/finality.ts';
import type { EventRecord } from '../../outbox/outbox.ts';
import { newId } from '../../../platform/values/ids.ts';
import type { CheckoutRefund, CheckoutTransfer, EventEnvelope } from '../../../sdk/event-types.ts';
import { networkOfTransfer, testClockOf, type Payment } from './payment.ts';
import { policyOf } from './policy.ts';
import { settlementOf } from './settlement.ts';
import type { EventType } from './states.ts';

/** What an event reports beside its payment. */
export interface Reported {
  readonly refund?: CheckoutRefund;
  readonly transfer?: CheckoutTransfer;
}

/**
 * Returns the event that reports a payment's latest transition: the envelope of the specification ("Events")
 * with every field present, null while a value is unknown, and the contract's additions. Its body is final:
 * deliveries send these bytes.
 */
export function eventOf(
  payment: Payment,
  type: EventType,
  now: Date,
  { refund, transfer }: Reported = {},
): EventRecord {
  const id = newId('evt', now);
  const body: EventEnvelope = {
    id,
    type,
    timestamp: now.toISOString(),
    sequence: payment.sequence,
    data: {
      checkout: {
        id: payment.id,
        status: payment.status,
        amount: payment.pay_amount,
        currency: payment.pay_currency,
        cryptoAmount: payment.crypto_amount,
        cryptoCurrency: payment.coin,
        settledAt: payment.settled_at?.toISOString() ?? null,
        exceptions: payment.exceptions,
        // In a fixed order: jsonb does not keep the order of keys.
        policy: policyOf(payment.policy),
      },
      payment: {
        txHash: payment.tx_hash,
        confirmations: payment.confirmations,
        requiredConfirmations: requiredConfirmations(networkOfTransfer(payment), payment.finality),
        network: networkOfTransfer(payment),
      },
      settlement: settlementOf(payment),
      price: payment.price,
      ...(refund === undefined ? {} : { refund }),
      ...(transfer === undefined ? {} : { transfer }),
    },
    metadata: { orderId: payment.order_id, ...payment.metadata },
  };
  return {
    id,
    paymentId: payment.id,
    merchantId: payment.merchant_id,
    sequence: payment.sequence,
    type,
    callbackUrl: payment.callback_url,
    body: JSON.stringify(body),
    createdAt: now,
    testClock: testClockOf(payment),
  };
}

/**
 * The body that an endpoint is sent of an event, whose own body is `full`. A thin one is what has happened,
 * and where the event is: whoever reads the link has a key of the merchant, so that a receiver which leaks
 * what it gets leaks nothing of the payment.
 */
export function sentBody(
  payload: 'full' | 'thin',
  publicUrl: string,
  { id, type, full }: { id: string; type: string; full: string },
): string {
  return payload === 'full' ? full : JSON.stringify({ id, type, link: `${publicUrl}/v1/events/${id}` });
}
