import { listPaymentEvents } from '../../../domain/events/payment-events.ts';
import type { EventType } from '../../../domain/payments/lifecycle/states.ts';
import { readRefunds } from '../../../domain/payments/refunds/store.ts';
import type { PaymentResource } from '../../../domain/payments/schemas.ts';
import { readTransfers } from '../../../domain/payments/transfers/store.ts';
import { listDeliveries } from '../../../domain/webhooks/deliveries/list.ts';
import { fillPlain } from '../../../platform/pages/html.ts';
import type { AtMerchant } from '../shell/route.ts';
import type { DeskTexts } from '../shell/texts.ts';

/** Something that happened to a payment. */
export interface Happened {
  readonly at: Date;
  readonly what: string;
  /** Beside it: amounts, statuses, hashes. */
  readonly facts: readonly string[];
}

interface EventBody {
  readonly type: EventType;
  readonly timestamp: string;
  readonly sequence: number;
  readonly data: { readonly checkout: { readonly status: string } };
}

/** More of a kind than a person reads; an ordinary payment has a tenth of it. */
const MOST = 100;

/** Returns all that happened to a payment of the merchant, oldest first. */
export async function readTimeline(visit: AtMerchant, { id }: PaymentResource): Promise<Happened[]> {
  const { ctx, texts, merchant } = visit;
  const { text } = await listPaymentEvents(ctx.db, id, { limit: MOST });
  const events = (JSON.parse(text) as { data: EventBody[] }).data;
  const transfers = await readTransfers(ctx.db, [id]);
  const refunds = await readRefunds(ctx.db, id);
  const deliveries = await listDeliveries(ctx.db, merchant.merchant_id, { payment_id: id, limit: MOST });
  const [created = [], moved = []] = [events.slice(0, 1), events.slice(1)].map((some) =>
    some.map((event) => ofEvent(texts, event)),
  );
  // Of one moment: what moved the payment stands before what it says of that.
  return [
    ...created,
    ...transfers.slice(0, MOST).map((transfer) => ofTransfer(texts, transfer)),
    ...refunds.slice(0, MOST).map((refund) => ofRefund(texts, refund)),
    ...moved,
    ...deliveries.data.map((delivery) => ofDelivery(texts, delivery)),
  ].toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function ofEvent({ payments }: DeskTexts, { type, timestamp, sequence, data }: EventBody): Happened {
  return {
    at: new Date(timestamp),
    what: payments.events[type],
    facts: [data.checkout.status, `${type} ${sequence}`],
  };
}

function ofTransfer(
  { payments }: DeskTexts,
  transfer: Awaited<ReturnType<typeof readTransfers>>[number],
): Happened {
  const { seen_at, amount, coin, network, tx_hash, confirmations, confirmed_at, dropped_at } = transfer;
  const state =
    dropped_at !== null
      ? payments.dropped
      : confirmed_at !== null
        ? payments.final
        : fillPlain(payments.confirmations, { count: String(confirmations) });
  return {
    at: seen_at,
    what: payments.transfer,
    facts: [`${amount} ${coin}, ${network}`, state, ...(tx_hash === null ? [] : [tx_hash])],
  };
}

function ofRefund(
  { payments }: DeskTexts,
  refund: Awaited<ReturnType<typeof readRefunds>>[number],
): Happened {
  const { created_at, coin_amount, coin, network, status, tx_hash, reason } = refund;
  return {
    at: created_at,
    what: payments.refund,
    facts: [
      `${coin_amount} ${coin}, ${network}`,
      status,
      ...(tx_hash === null ? [] : [tx_hash]),
      ...(reason === null ? [] : [reason]),
    ],
  };
}

function ofDelivery(
  { payments }: DeskTexts,
  delivery: Awaited<ReturnType<typeof listDeliveries>>['data'][number],
): Happened {
  const { created_at, type, sequence, status, attempts, last_status_code, last_error } = delivery;
  return {
    at: new Date(created_at),
    what: payments.delivery,
    facts: [
      `${type} ${sequence}`,
      status,
      fillPlain(payments.attempts, { count: String(attempts) }),
      ...(last_status_code === null ? [] : [`HTTP ${last_status_code}`]),
      ...(last_error === null ? [] : [last_error]),
    ],
  };
}
