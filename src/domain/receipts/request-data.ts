import { NETWORKS } from '../chain/networks.ts';
import { faceOf } from '../checkout/view/face.ts';
import { canAskForAddress } from '../checkout/view/view.ts';
import { findByToken, type CheckoutPayment } from '../checkout/view/store.ts';
import type { Policy } from '../payments/lifecycle/policy.ts';
import {
  isExpired,
  isOpen,
  paysForOrder,
  type Exception,
  type Status,
} from '../payments/lifecycle/states.ts';
import { checkoutUrl } from '../payments/schemas.ts';
import { isZero, writtenLike } from '../../platform/values/money.ts';
import { runOne, sql, type Db } from '../../platform/postgres/db.ts';
import type { Config } from '../../platform/config/config.ts';
import type { EventType } from '../../sdk/event-types.ts';
import type { RequestReason } from './store.ts';
import type { ReceiptData } from './template.ts';

/** What decides whether an event is a reason to ask its customer for an address. */
export interface ReportedMoney {
  readonly type: EventType;
  /** The status that the event reports. */
  readonly status: Status;
  /** Of the payment. */
  readonly exceptions: readonly Exception[];
  readonly policy: Policy;
  readonly amount_received: string;
}

/**
 * Returns why the money that an event reports has no use: it was too little at the deadline, or came when the
 * payment had ended. Null: it reports no such money. What is too much beside a price that is paid is no
 * reason: its customer has a receipt.
 */
export function requestReasonOf(event: ReportedMoney): RequestReason | null {
  const { type, status, exceptions, policy, amount_received } = event;
  if (isZero(amount_received)) return null;
  // An open payment will expire, and report that.
  if (type === 'checkout.funds_received') return isOpen(status) || paysForOrder(status) ? null : 'too_late';
  if (type !== 'checkout.failed' || !isExpired(status)) return null;
  const isReturned = exceptions.includes('late') && policy.late === 'refund';
  return exceptions.includes('underpaid') && !isReturned ? 'too_little' : 'too_late';
}

interface RequestRow {
  readonly reason: string;
  readonly at: Date;
  readonly token_id: string;
  readonly came_amount: string | null;
  readonly came_coin: string | null;
}

const requestOfEvent = sql<RequestRow, { eventId: string }>(
  'address_request_of_event',
  (p) => `
  SELECT r.reason, e.created_at AS at, p.token_id,
    e.body::json #>> '{data,transfer,amount}' AS came_amount,
    e.body::json #>> '{data,transfer,coin}' AS came_coin
  FROM address_requests r JOIN events e ON e.id = r.event_id JOIN payments p ON p.id = e.payment_id
  WHERE r.event_id = ${p.eventId}`,
);

/**
 * The recipient of an event's address request, the language (null: unknown) and what it says; null when the
 * page does not ask for an address now, or the customer has no mail address.
 */
export async function readAddressRequest(
  db: Db,
  eventId: string,
  config: Pick<Config, 'publicUrl' | 'simulateLive'>,
): Promise<{ to: string; language: string | null; receipt: ReceiptData } | null> {
  const row = await runOne(db, requestOfEvent, { eventId });
  const payment = row === null ? null : await findByToken(db, row.token_id);
  if (row === null || payment === null || payment.customer_email === null) return null;
  if (!canAskForAddress(payment)) return null;
  const { customer_email: to, language } = payment;
  return { to, language, receipt: toRequest(row, payment, config) };
}

function toRequest(
  row: RequestRow,
  payment: CheckoutPayment,
  { publicUrl, simulateLive }: Pick<Config, 'publicUrl' | 'simulateLive'>,
): ReceiptData {
  const { pay_amount, pay_currency, amount_received, amount_refunded } = payment;
  const inSettlementCoin = (amount: string) => `${writtenLike(amount, pay_amount)} ${pay_currency}`;
  const received = inSettlementCoin(amount_received);
  const came = row.came_amount === null ? received : `${row.came_amount} ${row.came_coin}`;
  return {
    kind: row.reason === 'too_late' ? 'tooLate' : 'tooLittle',
    merchantName: faceOf(payment).name,
    isTest: simulateLive || payment.merchant_mode === 'test',
    paymentId: payment.id,
    orderId: payment.order_id,
    description: payment.order_description,
    total: inSettlementCoin(pay_amount),
    at: row.at,
    pageUrl: checkoutUrl(payment.token_id, publicUrl),
    came,
    received,
    sentBack: isZero(amount_refunded) ? null : inSettlementCoin(amount_refunded),
    goesBackAs: `${payment.refund_coin} (${NETWORKS[payment.refund_network].name})`,
    networks: [],
    hashes: [],
  };
}
