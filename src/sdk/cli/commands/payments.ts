import type {
  AnnounceRefund,
  CreatePayment,
  CreateRefund,
  ListPayments,
  PaymentStatus,
} from '../../client/index.ts';
import { option, type Command } from '../command/command.ts';
import { request } from './request.ts';

const STATUSES: readonly PaymentStatus[] = [
  'WAITING',
  'PENDING',
  'PROCESSING',
  'SETTLED',
  'EXPIRED',
  'FAILED',
  'REFUNDED',
];
const ID = [{ name: 'ID' }];
const KEY = option('idempotency-key KEY', 'calls with the same key have one effect');
export const RANGE = [
  option('from-date DATE', 'from this date or time on (ISO 8601)'),
  option('to-date DATE', 'up to this date or time'),
];
export const LIMIT = option('limit N', '1 to 100; default 20');

export const payments: readonly Command[] = [
  request({
    name: 'payments create',
    summary: 'Creates a payment, and shows where the customer pays (checkout_url).',
    options: [
      option('pay-amount AMOUNT', 'in the settlement coin'),
      option('price-amount AMOUNT', 'in place of it, a price in money'),
      option('price-currency CODE', 'of the price, such as EUR'),
      option('order-id ID!', 'your order or invoice'),
      option('order-description TEXT', 'shown on the checkout page'),
      option('callback-url URL', 'receives the webhooks of this payment'),
      option('success-url URL', 'where the customer goes after paying'),
      option('cancel-url URL', 'where the customer goes without paying'),
      option('expiration-minutes N', '5 to 1440; default 60'),
      option('customer-email ADDRESS', 'for receipts'),
      option('metadata KEY=VALUE+', 'a key of your own'),
      KEY,
    ],
    example: 'payments create --pay-amount 25.00 --order-id order-1 --metadata colour=red',
    send: (client, _, body: CreatePayment, options) => client.payments.create(body, options),
  }),
  request({
    name: 'payments get',
    summary: 'Shows a payment.',
    parameters: ID,
    example: 'payments get pay_...',
    send: (client, id) => client.payments.get(id),
  }),
  request({
    name: 'payments list',
    summary: 'Lists payments, newest first.',
    options: [
      option('status STATUS', 'one or more, with commas', STATUSES),
      option('order-id ID', 'those of this order'),
      ...RANGE,
      LIMIT,
    ],
    example: 'payments list --status WAITING,PENDING --from-date 2026-01-31',
    fields: ['id', 'status', 'pay_amount', 'pay_currency', 'order_id', 'created_at'],
    send: (client, _, query: ListPayments) => client.payments.list(query),
  }),
  request({
    name: 'payments cancel',
    summary: 'Ends a payment that waits for money, as its deadline would.',
    parameters: ID,
    options: [KEY],
    example: 'payments cancel pay_...',
    send: (client, id, _, options) => client.payments.cancel(id, options),
  }),
  request({
    name: 'payments refund',
    summary: 'Sends money back: an amount, or all that is left.',
    parameters: ID,
    options: [
      option('amount AMOUNT', 'in the settlement coin; default: all that is left'),
      option('price-amount AMOUNT', 'in place of it, in money, at the rate of now'),
      option('price-currency CODE', "default: that of the payment's price"),
      option('reason TEXT', 'for your own records'),
      option('address ADDRESS', 'where the money goes; default: the customer chooses'),
      option('to-sender', 'without an address, back to where it came from'),
      KEY,
    ],
    example: 'payments refund pay_... --amount 2.50 --reason broken',
    send: (client, id, body: CreateRefund, options) => client.payments.refund(id, body, options),
  }),
  request({
    name: 'payments refunds',
    summary: 'Lists the refunds of a payment, and what you have to sign for them.',
    parameters: ID,
    example: 'payments refunds pay_...',
    send: (client, id) => client.payments.refunds(id),
  }),
  request({
    name: 'payments announce-refund',
    summary: 'Names the transaction with which you pay a refund of a live payment.',
    parameters: [...ID, { name: 'REFUND' }],
    options: [option('tx-hash HASH!', 'of the transaction'), KEY],
    example: 'payments announce-refund pay_... ref_... --tx-hash 0x...',
    send: (client, id, body: AnnounceRefund, options, refund) =>
      client.payments.announceRefund(id, refund, body, options),
  }),
  request({
    name: 'payments clear-refund-address',
    summary: 'Clears the address that the customer gave for refunds: the page asks again.',
    parameters: ID,
    example: 'payments clear-refund-address pay_...',
    send: (client, id) => client.payments.clearRefundAddress(id),
  }),
];
