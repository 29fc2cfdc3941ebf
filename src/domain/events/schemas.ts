import { Type, type Static } from 'typebox';
import { CursorPagination, cursor, id, nullable, timestamp, PageLimit } from '../api/schemas.ts';
import { Policy } from '../payments/lifecycle/policy.ts';
import { Settlement } from '../payments/lifecycle/settlement.ts';
import { Price } from '../payments/pricing/price.ts';
import { EVENT_TYPES, EXCEPTIONS, STATUSES } from '../payments/lifecycle/states.ts';
import { MAX_REDELIVERIES } from '../webhooks/deliveries/redelivery-requests.ts';

/** The envelope of the specification ("Events"), and the contract's additions. */
export const EventResource = Type.Object({
  id: Type.String({ description: 'Event identifier: the same however often the event comes.' }),
  type: Type.Enum([...EVENT_TYPES]),
  timestamp: timestamp('Event time.'),
  sequence: Type.Integer({ description: '1, 2, 3 ... per payment, without gaps.' }),
  data: Type.Object({
    checkout: Type.Object({
      id: Type.String({ description: "The payment's id." }),
      status: Type.Enum([...STATUSES]),
      amount: Type.String(),
      currency: Type.String({ description: 'Currency of amount.' }),
      cryptoAmount: Type.String({ description: 'Amount in the coin that the customer pays with.' }),
      cryptoCurrency: Type.String(),
      settledAt: nullable(timestamp(), 'Null until settled.'),
      exceptions: Type.Array(Type.Enum([...EXCEPTIONS])),
      policy: Policy,
    }),
    payment: Type.Object({
      txHash: nullable(
        Type.String(),
        'Null until a transfer is seen, and for money that only a balance tells of.',
      ),
      confirmations: Type.Integer(),
      requiredConfirmations: nullable(Type.Integer(), 'Null where a checkpoint of the network decides.'),
      network: Type.String(),
    }),
    settlement: Settlement,
    price: nullable(Price, 'In money, of which amount was converted; null: it was asked for in coins.'),
    refund: Type.Optional(
      Type.Object({
        id: Type.String(),
        amount: Type.String(),
        currency: Type.String(),
        reason: nullable(Type.String(), 'As it was given.'),
        coin: Type.String({ description: 'The coin that was sent.' }),
        network: Type.String(),
        coinAmount: Type.String({ description: 'What was sent, in coin.' }),
        address: nullable(Type.String(), 'Where it was sent.'),
        txHash: nullable(Type.String()),
        price: Type.Optional(Price),
      }),
    ),
    transfer: Type.Optional(
      Type.Object(
        {
          coin: Type.String(),
          network: Type.String(),
          amount: Type.String({ description: 'In coin.' }),
          credit: Type.String({ description: 'What it is worth, in pay_currency.' }),
          txHash: nullable(Type.String(), 'Null for money that only a balance tells of.'),
        },
        { description: 'Only of checkout.funds_received.' },
      ),
    ),
  }),
  metadata: Type.Record(Type.String(), Type.String(), {
    description: "orderId, and the merchant's own keys.",
  }),
});

export const FeedQuery = Type.Object(
  {
    after: Type.Optional(
      cursor(
        'next_cursor of the page before, with the same type and payment_id, or the id of an event; ' +
          'default: the oldest event.',
      ),
    ),
    type: Type.Optional(
      Type.Array(Type.Enum([...EVENT_TYPES]), {
        minItems: 1,
        description: 'One type, or several separated by commas.',
      }),
    ),
    payment_id: Type.Optional(id('pay', 'Only events of this payment.')),
    limit: PageLimit,
  },
  { additionalProperties: false },
);
export type FeedQuery = Static<typeof FeedQuery>;

export const EventFeed = Type.Object({
  data: Type.Array(EventResource, { description: 'Oldest first; the very bytes that webhooks send.' }),
  pagination: Type.Object({
    limit: Type.Integer({ description: 'How many a page holds at most.' }),
    has_more: Type.Boolean({
      description:
        'Whether to ask for the next page at once. A page may then be short, when it is large, or, with type, empty.',
    }),
    next_cursor: nullable(
      Type.String(),
      'Where to go on, now or later: given on the last page, too. Null only while the feed is empty.',
    ),
  }),
});

export const PaymentEventsQuery = Type.Object(
  {
    cursor: Type.Optional(cursor('next_cursor of the page before; default: the first event.')),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 100, description: 'How many a page holds at most.' }),
    ),
  },
  { additionalProperties: false },
);
export type PaymentEventsQuery = Static<typeof PaymentEventsQuery>;

export const PaymentEvents = Type.Object({
  data: Type.Array(EventResource, {
    description:
      'In the order of sequence; the very bytes that webhooks send. A page may end before its limit, when it is large.',
  }),
  pagination: CursorPagination,
});

export const RedeliveriesQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'next_cursor of the page before; default: the oldest request.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_REDELIVERIES,
        default: MAX_REDELIVERIES,
        description: 'How many a page holds at most.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const Redelivery = Type.Object({
  requested_at: timestamp('When the merchant asked for it.'),
  event: EventResource,
});

export const Redeliveries = Type.Object({
  data: Type.Array(Redelivery, { description: 'In the order of the requests.' }),
  pagination: Type.Object({
    limit: Type.Integer({ description: 'How many a page holds at most.' }),
    has_more: Type.Boolean({ description: 'Whether to ask for the next page at once.' }),
    next_cursor: nullable(
      Type.String(),
      'Where to go on, now or later: given on the last page, too. Null only while the list is empty.',
    ),
  }),
});
