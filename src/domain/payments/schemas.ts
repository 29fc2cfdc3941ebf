import { Type, type Static } from 'typebox';
import { cursor, nullable, text, timestamp, PageLimit } from '../api/schemas.ts';
import { TEXT_PATTERN } from '../api/patterns.ts';
import { MAX_URL_LENGTH } from '../../platform/values/urls.ts';
import { asWritten } from '../../platform/values/money.ts';
import type { Payment } from './lifecycle/payment.ts';
import { PolicyChoice } from './lifecycle/policy.ts';
import { Settlement, SETTLEMENT_COLUMNS, settlementOf } from './lifecycle/settlement.ts';
import { EXCEPTIONS, STATUSES } from './lifecycle/states.ts';
import { AMOUNT_OR_PRICE, COST_FIELDS, Price } from './pricing/price.ts';

const url = (format: 'delivery-url' | 'browser-url', description: string) =>
  Type.String({ format, maxLength: MAX_URL_LENGTH, description });

/**
 * At most 50 keys of 1 to 40 characters. `orderId` is reserved by events; `__proto__` would not become a key.
 */
const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: {
    minLength: 1,
    maxLength: 40,
    pattern: TEXT_PATTERN,
    not: { enum: ['orderId', '__proto__'] },
  },
  additionalProperties: { type: 'string', maxLength: 500, pattern: TEXT_PATTERN },
  description: "The merchant's own keys; every event carries them.",
});

export const CreatePaymentBody = Type.Object(
  {
    ...COST_FIELDS,
    order_id: text({ minLength: 1, maxLength: 255, description: "Merchant's order or invoice ID." }),
    order_description: Type.Optional(text({ maxLength: 1000, description: 'Shown on checkout.' })),
    callback_url: Type.Optional(url('delivery-url', 'Webhook URL for this payment; overrides the default.')),
    success_url: Type.Optional(url('browser-url', 'Redirect target after successful payment.')),
    cancel_url: Type.Optional(url('browser-url', 'Redirect target if the customer cancels.')),
    expiration_minutes: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 1440,
        default: 60,
        description: 'How long the customer has to pay.',
      }),
    ),
    customer_email: Type.Optional(
      Type.String({
        format: 'idn-email',
        maxLength: 254,
        pattern: TEXT_PATTERN,
        description: 'Customer address for receipts; its domain may be internationalised.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    policy: Type.Optional(PolicyChoice),
  },
  { additionalProperties: false, ...AMOUNT_OR_PRICE },
);
export type CreatePaymentBody = Static<typeof CreatePaymentBody>;

/** The specification's thirteen fields in its order, then the contract's. */
export const PaymentResource = Type.Object({
  id: Type.String({ description: 'Unique payment identifier.' }),
  token_id: Type.String({ description: 'Public checkout token, used inside checkout_url.' }),
  order_id: Type.String({
    description: "The merchant's order or invoice identifier, echoed from the request.",
  }),
  checkout_url: Type.String({ description: 'Hosted payment page to which the customer is redirected.' }),
  status: Type.Enum([...STATUSES], { description: 'Current payment status.' }),
  pay_amount: Type.String({ description: 'Amount the customer must pay.' }),
  pay_currency: Type.String({ description: "The merchant's settlement coin." }),
  pay_network: Type.String({ description: "The merchant's settlement network." }),
  actually_paid: nullable(Type.String(), 'Amount actually paid; null until completed.'),
  actually_paid_currency: nullable(Type.String(), 'Coin the customer paid with; null until completed.'),
  created_at: timestamp('Creation timestamp.'),
  expires_at: timestamp('Expiration timestamp.'),
  settled_at: nullable(timestamp(), 'Settlement timestamp; null until settled.'),
  metadata: Type.Record(Type.String(), Type.String(), { description: "The merchant's own keys." }),
  exceptions: Type.Array(Type.Enum([...EXCEPTIONS]), {
    description: 'What was unusual about the money, as a set.',
  }),
  amount_received: Type.String({ description: 'Money seen on chain, credited in pay_currency as it came.' }),
  amount_refunded: Type.String({ description: 'Money sent back, in pay_currency.' }),
  sequence: Type.Integer({ description: "Number of the payment's latest event." }),
  cancelled_at: nullable(timestamp(), 'When the merchant cancelled the payment; null: they did not.'),
  settlement: Settlement,
  price: nullable(Price, 'In money, of which pay_amount was converted; null: it was asked for in coins.'),
});
export type PaymentResource = Static<typeof PaymentResource>;

/** What the API shows of a payment is made of these. */
export const RESOURCE_COLUMNS = [
  'id',
  'token_id',
  'order_id',
  'status',
  'pay_amount',
  'pay_currency',
  'pay_network',
  'actually_paid',
  'actually_paid_currency',
  'created_at',
  'expires_at',
  'settled_at',
  'metadata',
  'exceptions',
  'amount_received',
  'amount_refunded',
  'sequence',
  'cancelled_at',
  'price',
  ...SETTLEMENT_COLUMNS,
] as const satisfies readonly (keyof Payment)[];
export type ResourceRow = Pick<Payment, (typeof RESOURCE_COLUMNS)[number]>;

/** Returns the payment in the API's shape. `publicUrl` is the base of its checkout page. */
export function toResource(payment: ResourceRow, publicUrl: string): PaymentResource {
  return {
    id: payment.id,
    token_id: payment.token_id,
    order_id: payment.order_id,
    checkout_url: checkoutUrl(payment.token_id, publicUrl),
    status: payment.status,
    pay_amount: payment.pay_amount,
    pay_currency: payment.pay_currency,
    pay_network: payment.pay_network,
    actually_paid: payment.actually_paid,
    actually_paid_currency: payment.actually_paid_currency,
    created_at: payment.created_at.toISOString(),
    expires_at: payment.expires_at.toISOString(),
    settled_at: payment.settled_at?.toISOString() ?? null,
    metadata: payment.metadata,
    exceptions: [...payment.exceptions],
    amount_received: asWritten(payment.amount_received, payment.pay_amount),
    amount_refunded: asWritten(payment.amount_refunded, payment.pay_amount),
    sequence: payment.sequence,
    cancelled_at: payment.cancelled_at?.toISOString() ?? null,
    settlement: settlementOf(payment),
    price: payment.price,
  };
}

/** Returns the URL of the hosted checkout page of a token. */
export function checkoutUrl(tokenId: string, publicUrl: string): string {
  return `${publicUrl}/checkout/${tokenId}`;
}

export const ListPaymentsQuery = Type.Object(
  {
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 1,
        description: 'Which page; cursor walks through more than 10,000.',
      }),
    ),
    limit: PageLimit,
    cursor: Type.Optional(cursor('next_cursor of the page before; not together with page.')),
    status: Type.Optional(
      Type.Array(Type.Enum([...STATUSES]), {
        minItems: 1,
        description: 'One status, or several separated by commas.',
      }),
    ),
    order_id: Type.Optional(text({ minLength: 1, maxLength: 255, description: "The merchant's order ID." })),
    from_date: Type.Optional(
      Type.String({
        format: 'date-or-time',
        description: 'Only payments from this date (ISO 8601), inclusive; after to_date it is a 400.',
      }),
    ),
    to_date: Type.Optional(
      Type.String({
        format: 'date-or-time',
        description: 'Only payments up to this date, inclusive; a bare date is the whole UTC day.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListPaymentsQuery = Static<typeof ListPaymentsQuery>;

export const PaymentList = Type.Object({
  data: Type.Array(PaymentResource),
  pagination: Type.Object({
    page: nullable(Type.Integer(), 'Null when the page was reached by cursor.'),
    limit: Type.Integer({ description: 'How many a page holds at most.' }),
    total: Type.Integer({ description: 'How many the filters fit; counted up to 10,000.' }),
    total_is_exact: Type.Boolean({ description: 'False: there are more than total.' }),
    total_pages: nullable(Type.Integer(), 'Null when the total is not exact.'),
    has_more: Type.Boolean({ description: 'Whether another page follows.' }),
    next_cursor: nullable(Type.String(), 'Null on the last page.'),
  }),
});
export type PaymentList = Static<typeof PaymentList>;
