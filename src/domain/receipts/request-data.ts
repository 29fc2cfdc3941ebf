import type { NetworkId } from '../chain/networks.ts';
import { chainsOf } from '../chain/profile.ts';
import { mailAddressOf } from '../checkout/markup/links.ts';
import { appearanceOf } from '../checkout/view/appearance.ts';
import { whatCanGoBack } from '../checkout/view/came.ts';
import { canAskForAddress } from '../checkout/view/going-back.ts';
import { viewOf } from '../checkout/view/view.ts';
import { findByToken, type CheckoutPayment } from '../checkout/view/store.ts';
import { returnsLate, type Policy } from '../payments/lifecycle/policy.ts';
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
import type { EventType } from '../../sdk/event-types.ts';
import { askedOf, type AddressedMail, type MailConfig } from './receipt-data.ts';
import { NEEDS_ADDRESS } from '../payments/refunds/states.ts';
import { OF_ADDRESS, type RequestReason } from './store.ts';
import type { ReceiptData } from './template.ts';

/** What decides whether an event is a reason to tell its customer about their money. */
export interface ReportedMoney {
  readonly type: EventType;
  /** The status that the event reports. */
  readonly status: Status;
  readonly exceptions: readonly Exception[];
  readonly policy: Policy;
  readonly amount_received: string;
}

/**
 * Returns why the money that an event reports has no use, or not yet; null: it reports no such money. What is
 * too much beside a price that is paid is no reason: its customer has a receipt.
 */
export function requestReasonOf(event: ReportedMoney): RequestReason | null {
  const { type, status, exceptions, policy, amount_received } = event;
  if (isZero(amount_received)) return null;
  if (type === 'checkout.pending')
    return isOpen(status) && exceptions.includes('underpaid') ? 'incomplete' : null;
  // An open payment will expire, and report that.
  if (type === 'checkout.funds_received') return isOpen(status) || paysForOrder(status) ? null : 'too_late';
  if (type !== 'checkout.failed' || !isExpired(status)) return null;
  const isReturned = exceptions.includes('late') && returnsLate(policy);
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
 * What tells of the money of an event; null when nothing of it is left or missing, or the customer has no
 * mail address. It asks for no address: whether any is needed is known when a refund waits for one.
 */
export async function readAddressRequest(
  db: Db,
  eventId: string,
  config: MailConfig,
  now: Date,
): Promise<AddressedMail | null> {
  const row = await runOne(db, requestOfEvent, { eventId });
  const payment = row === null ? null : await findByToken(db, row.token_id);
  if (row === null || payment === null) return null;
  if (row.reason === 'incomplete') return incompletePayment(payment, { at: row.at, now }, config);
  if (!canAskForAddress(payment)) return null;
  const received = inSettlementCoin(payment, payment.amount_received);
  return addressed(payment, {
    ...commonData(payment, config),
    kind: row.reason === 'too_late' ? 'tooLate' : 'tooLittle',
    at: row.at,
    came: row.came_amount === null ? received : `${row.came_amount} ${row.came_coin}`,
    received,
    sentBack: isZero(payment.amount_refunded) ? null : inSettlementCoin(payment, payment.amount_refunded),
    isReturned: payment.exceptions.includes('late') && returnsLate(payment.policy),
    networks: [],
  });
}

/** What is missing now, however late the mail is, and whatever hash the page has; null: nothing. */
function incompletePayment(
  payment: CheckoutPayment,
  { at, now }: { at: Date; now: Date },
  config: MailConfig,
): AddressedMail | null {
  const { toSend, priceUntil, payBy } = viewOf(payment, now);
  if (toSend === null || isZero(payment.amount_received)) return null;
  return addressed(payment, {
    ...commonData(payment, config),
    kind: 'incomplete',
    at,
    came: inSettlementCoin(payment, payment.amount_received),
    missing: `${toSend} ${payment.coin}`,
    until: priceUntil ?? payBy ?? payment.deadline_at,
    back: whatCanGoBack(payment),
    networks: [chainsOf(config, payment.merchant_mode).nameOf(payment.network)],
  });
}

const waitingRefund = sql<
  { token_id: string; coin: string; network: NetworkId; coin_amount: string; created_at: Date },
  { id: string }
>(
  'refund_that_waits_for_address',
  (p) => `
  SELECT p.token_id, r.coin, r.network, r.coin_amount, r.created_at
  FROM refunds r JOIN payments p ON p.id = r.payment_id
  WHERE r.id = ${p.id} AND ${NEEDS_ADDRESS('r')}`,
);

/** What asks for the address of a refund; null when it does not wait any more, or nobody can be asked. */
export async function readRefundRequest(
  db: Db,
  id: string,
  config: MailConfig,
): Promise<AddressedMail | null> {
  const refund = await runOne(db, waitingRefund, { id });
  const payment = refund === null ? null : await findByToken(db, refund.token_id);
  if (refund === null || payment === null) return null;
  const { coin, network, coin_amount, created_at: at } = refund;
  return addressed(payment, {
    ...commonData(payment, config),
    kind: 'asked',
    at,
    goesBack: `${writtenLike(coin_amount, payment.pay_amount)} ${coin}`,
    networks: [chainsOf(config, payment.merchant_mode).nameOf(network)],
  });
}

function addressed(payment: CheckoutPayment, receipt: ReceiptData): AddressedMail | null {
  const { customer_email: to, language, merchant_id: merchantId } = payment;
  return to === null ? null : { to, language, merchantId, receipt };
}

function inSettlementCoin({ pay_amount, pay_currency }: CheckoutPayment, amount: string): string {
  return `${writtenLike(amount, pay_amount)} ${pay_currency}`;
}

function commonData(payment: CheckoutPayment, config: MailConfig) {
  const { name, supportUrl, logo } = appearanceOf(payment);
  return {
    merchantName: name,
    supportUrl,
    replyTo: mailAddressOf(supportUrl),
    logo,
    isTest: chainsOf(config, payment.merchant_mode).isTest,
    paymentId: payment.id,
    orderId: payment.order_id,
    description: payment.order_description,
    ...askedOf(payment),
    pageUrl: checkoutUrl(payment.token_id, config.publicUrl),
    transactions: [],
  };
}

const addressByKey = sql<
  { token_id: string; network: NetworkId; address: string; given_at: Date },
  { key: string }
>(
  'refund_address_by_key',
  (p) => `
  SELECT p.token_id, a.network, a.address, a.given_at
  FROM (SELECT * FROM refund_addresses WHERE ${OF_ADDRESS(p.key)}) a JOIN payments p ON p.id = a.payment_id`,
);

/** What the mail says of the address with this key; null when it was cleared, or no mail address is known. */
export async function readAddressNotice(
  db: Db,
  key: string,
  config: MailConfig,
): Promise<AddressedMail | null> {
  const given = await runOne(db, addressByKey, { key });
  const payment = given === null ? null : await findByToken(db, given.token_id);
  if (given === null || payment === null) return null;
  return addressed(payment, {
    ...commonData(payment, config),
    kind: 'given',
    at: given.given_at,
    goesBackTo: given.address,
    networks: [chainsOf(config, payment.merchant_mode).nameOf(given.network)],
  });
}
