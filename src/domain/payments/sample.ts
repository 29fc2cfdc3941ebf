import { depositAddress } from '../chain/addresses.ts';
import { NETWORKS, type NetworkId } from '../chain/networks.ts';
import type { Deposit } from '../chain/wallets/address-book.ts';
import { transactionHash } from '../chain/transaction-hashes.ts';
import type { EventRecord } from '../outbox/outbox.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../api/endpoint.ts';
import { newId } from '../../platform/values/ids.ts';
import { newPayment } from './create.ts';
import type { CheckoutRefund, CheckoutTransfer } from '../../sdk/event-types.ts';
import { eventOf, type Reported } from './lifecycle/event.ts';
import type { Payment } from './lifecycle/payment.ts';
import { allows, TRANSITIONS, type EventType, type Status, type Trigger } from './lifecycle/states.ts';

/** Time between the creation of a sample and its event. */
const PAID_WITHIN_SECONDS = 180;

/**
 * Returns a payment of the merchant as if it had just been created, with new ids; it is not stored. Its
 * metadata contains non-ASCII letters and a slash, which programs that parse a body and serialise it again
 * often change.
 */
export function samplePayment(ctx: Context, caller: Caller): Payment {
  const body = {
    pay_amount: '25.00',
    price: null,
    order_id: 'test-order',
    metadata: { item: 'Café crème, 1/2 €' },
  };
  const createdAt = addSeconds(ctx.systemNow(), -PAID_WITHIN_SECONDS);
  return newPayment(ctx, SAMPLE_PLACE, caller, body, createdAt).payment;
}

const SAMPLE_PLACE = {
  wallet_id: null,
  deposit_index: null,
  derive: (network: NetworkId, { id }: Deposit) => depositAddress('sample', network, id),
};

/** Returns the event of this type on the usual path of a sample payment, built by the code of real events. */
export function sampleEvent(ctx: Context, sample: Payment, type: EventType): EventRecord {
  const now = ctx.systemNow();
  const path = pathTo(type);
  const steps = changesBy(sample, now);
  const last = path.at(-1) ?? 'created';
  const moved = path.reduce<Payment>((payment, trigger) => ({ ...payment, ...steps[trigger] }), sample);
  const payment = { ...moved, sequence: path.length, status: statusAfter(path) };
  return eventOf(payment, type, now, reportedBy(TRANSITIONS[last].event, moved, now));
}

/** Returns the status that the last trigger with a status of its own leads to. */
function statusAfter(path: readonly Trigger[]): Status {
  return path.reduce<Status>((status, trigger) => TRANSITIONS[trigger].to ?? status, TRANSITIONS.created.to);
}

/** The triggers of a payment that is paid in full, in time, and settled. */
const USUAL_PATH = ['created', 'transfer_seen', 'confirmed_in_full', 'settled'] as const satisfies Trigger[];

/** Returns the shortest path to an event of this type: along the usual path, and at most one step off it. */
function pathTo(type: EventType): Trigger[] {
  const triggers = Object.keys(TRANSITIONS) as Trigger[];
  for (const [index, reached] of USUAL_PATH.entries()) {
    const path = USUAL_PATH.slice(0, index + 1);
    if (TRANSITIONS[reached].event === type) return path;
    const status = statusAfter(path);
    // Money that moves nothing comes beside money that paid, so that the sample has a transaction.
    const off = triggers.find(
      (trigger) =>
        allows(status, trigger) &&
        TRANSITIONS[trigger].event === type &&
        (TRANSITIONS[trigger].to !== null || index > 0),
    );
    if (off !== undefined) return [...path, off];
  }
  throw new Error(`no path of a sample payment leads to the event type ${type}`);
}

/** Returns the changes of each trigger on a sample's path. */
function changesBy(sample: Payment, now: Date): Partial<Record<Trigger, Partial<Payment>>> {
  const { address, coin, network, crypto_amount: amount, pay_amount } = sample;
  return {
    transfer_seen: {
      tx_network: network,
      tx_hash: transactionHash(network, { address, coin, amount, nonce: sample.id }),
      confirmations: 1,
      fully_funded: true,
      amount_received: pay_amount,
    },
    confirmed_in_full: { confirmations: NETWORKS[network].confirmations },
    settled: {
      settled_at: now,
      actually_paid: amount,
      actually_paid_currency: coin,
      settlement_amount: pay_amount,
    },
    refunded_in_full: { amount_refunded: pay_amount },
  };
}

/** Returns what an event of this type reports beside its payment. */
function reportedBy(type: EventType, payment: Payment, now: Date): Reported {
  const { pay_amount, pay_currency, pay_network, address, coin, network, crypto_amount } = payment;
  const sent = (nonce: string) =>
    transactionHash(pay_network, { address, coin: pay_currency, amount: pay_amount, nonce });
  const refund: CheckoutRefund = {
    id: newId('ref', now),
    amount: pay_amount,
    currency: pay_currency,
    reason: null,
    coin: pay_currency,
    network: pay_network,
    coinAmount: pay_amount,
    address: depositAddress('sample customer', pay_network, payment.id),
    txHash: sent('refund'),
  };
  const transfer: CheckoutTransfer = {
    coin,
    network,
    amount: crypto_amount,
    credit: pay_amount,
    txHash: sent('second transfer'),
  };
  if (type === 'checkout.refunded') return { refund };
  return type === 'checkout.funds_received' ? { transfer } : {};
}
