import { endpoint, reply, DEFAULT_PER_MINUTE } from '../api/endpoint.ts';
import { readCurrent } from '../../platform/replica.ts';
import { cancelPayment } from './cancel.ts';
import { createPayment } from './create.ts';
import { listPayments } from './list.ts';
import { adaptersOf, type AdaptersByMode } from './lifecycle/ports.ts';
import { readPayment } from './read.ts';
import { announceRefund } from './refunds/by-merchant/announce.ts';
import { clearRefundAddress, readRefundList } from './refunds/given-address.ts';
import { requestRefund } from './refunds/request.ts';
import { AnnounceBody, RefundBody, RefundList, RefundResource } from './refunds/schemas.ts';
import { CreatePaymentBody, ListPaymentsQuery, PaymentList, PaymentResource, toResource } from './schemas.ts';
import { LargeMerchants } from './totals.ts';

/** The endpoints of payments; `adapters` say where a new payment takes money. */
export const paymentEndpoints = (adapters: AdaptersByMode, many = new LargeMerchants()) => [
  endpoint({
    operationId: 'createPayment',
    method: 'post',
    path: '/v1/payment',
    summary: 'Creates a payment and returns its checkout URL.',
    description:
      'The payment is WAITING, and its first event is recorded with it. Send the customer to ' +
      '`checkout_url`. With an `Idempotency-Key` a request that is sent again creates no second ' +
      'payment. A live payment needs a client of its network and a wallet: without one the response ' +
      'is a 503, and nothing is stored. So is a price in money (`price_amount`, `price_currency`) for ' +
      'which there is no rate now.',
    auth: 'required',
    permissions: ['payments:write'],
    perMinute: 60,
    body: CreatePaymentBody,
    errors: ['network_unavailable', 'rate_unavailable'],
    response: { status: 201, schema: PaymentResource },
    handle: ({ ctx, caller, body, claim }) => createPayment(ctx, adapters, caller, body, claim),
  }),
  endpoint({
    operationId: 'getPayment',
    method: 'get',
    path: '/v1/payment/:id',
    summary: 'Returns a payment as it is now.',
    description:
      'The status, what was received and what was refunded. Webhooks are the better way to wait for ' +
      'a change.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: 120,
    errors: ['payment_not_found'],
    response: { status: 200, schema: PaymentResource },
    async handle({ ctx, caller, params }) {
      const payment = await readPayment(ctx.db, caller.merchantId, params.id ?? '');
      return reply(200, toResource(payment, ctx.config.publicUrl));
    },
  }),
  endpoint({
    operationId: 'listPayments',
    method: 'get',
    path: '/v1/payments',
    summary: "Lists the merchant's payments, newest first.",
    description:
      'Filters combine freely; `status` takes several values, separated by commas. Use `cursor` to ' +
      'read everything: `page` is for people, and the two together are a 400. `total` is exact up ' +
      'to 10,000.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: 60,
    query: ListPaymentsQuery,
    errors: [],
    response: { status: 200, schema: PaymentList },
    handle: async ({ ctx, caller, query }) =>
      reply(
        200,
        await readCurrent(ctx, (db) =>
          listPayments(db, caller.merchantId, query, ctx.config.publicUrl, many),
        ),
      ),
  }),
  endpoint({
    operationId: 'cancelPayment',
    method: 'post',
    path: '/v1/payment/:id/cancel',
    summary: 'Cancels a payment that waits for money.',
    description:
      'It ends as its deadline would end it: EXPIRED, with `cancelled_at`, and the checkout page says so. ' +
      'What comes later is late money. A payment that is cancelled already is returned as it is; one with ' +
      'enough money, or in another final status, is a 409.',
    auth: 'required',
    permissions: ['payments:write'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['payment_not_found', 'cancel_not_allowed'],
    response: { status: 200, schema: PaymentResource },
    handle: ({ ctx, caller, params, claim }) =>
      cancelPayment(ctx, adaptersOf(adapters, caller.mode), caller, params.id ?? '', claim),
  }),
  endpoint({
    operationId: 'refundPayment',
    method: 'post',
    path: '/v1/payment/:id/refund',
    summary: 'Sends money back to the customer: an amount, or everything that is left.',
    description:
      'A SETTLED payment can be refunded in parts, in the coin that it settled in. An EXPIRED, FAILED or ' +
      'REFUNDED one only in full, in the coins that came: one refund for each coin and network, of ' +
      'which the response is the first. Without an address the checkout page asks the customer for ' +
      'one. A refund of a live payment is yours to pay, as `request` says: the service holds no key. It is ' +
      'COMPLETED, and the payment moves, once a transfer of exactly that coin and amount to that address ' +
      'is final.',
    auth: 'required',
    permissions: ['refunds:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: RefundBody,
    errors: ['payment_not_found', 'refund_not_allowed', 'rate_unavailable'],
    response: { status: 201, schema: RefundResource },
    handle: ({ ctx, caller, params, body, claim }) =>
      requestRefund(ctx, adaptersOf(adapters, caller.mode), caller, params.id ?? '', { body, claim }),
  }),
  endpoint({
    operationId: 'listRefunds',
    method: 'get',
    path: '/v1/payment/:id/refunds',
    summary: "Lists a payment's refunds, newest first.",
    description:
      "All of them, also those that the payment's policy has made, and beside them the address that the " +
      'customer gave on the checkout page.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['payment_not_found'],
    response: { status: 200, schema: RefundList },
    async handle({ ctx, caller, params }) {
      const { id } = await readPayment(ctx.db, caller.merchantId, params.id ?? '');
      const { chains } = adaptersOf(adapters, caller.mode);
      const payment = { id, merchant_id: caller.merchantId };
      return reply(200, await readRefundList(ctx.db, { chains, config: ctx.config }, payment));
    },
  }),
  endpoint({
    operationId: 'announceRefund',
    method: 'post',
    path: '/v1/payment/:id/refunds/:refund_id/announce',
    summary: 'Names the transaction with which you pay a refund of a live payment.',
    description:
      'The refund is SENT, and COMPLETED once a transfer of exactly its coin and amount to its address is ' +
      'final. Where the transaction turns out to be none, the refund is AWAITING_SIGNATURE again, and ' +
      '`problem` says why. Another transaction takes the place of an earlier one. What is not announced is ' +
      'found as well, but later, and not where it fits the refunds of several merchants.',
    auth: 'required',
    permissions: ['refunds:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: AnnounceBody,
    errors: ['payment_not_found', 'refund_not_found', 'refund_not_allowed'],
    response: { status: 200, schema: RefundResource },
    handle: ({ ctx, caller, params, body, claim }) =>
      announceRefund(ctx, adaptersOf(adapters, caller.mode).chains, caller, {
        id: params.id ?? '',
        refundId: params.refund_id ?? '',
        txHash: body.tx_hash,
        claim,
      }),
  }),
  endpoint({
    operationId: 'clearRefundAddress',
    method: 'delete',
    path: '/v1/payment/:id/refund-address',
    summary: 'Clears the refund address that the customer gave on the checkout page.',
    description:
      'For an address that the customer says is wrong, or not theirs: the page asks for one again, and ' +
      'refunds that were not sent yet wait for it. A 409 once money was sent there. Without an address ' +
      'nothing changes. Returns what `GET /v1/payment/:id/refunds` does.',
    auth: 'required',
    permissions: ['refunds:write'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['payment_not_found', 'refund_not_allowed'],
    response: { status: 200, schema: RefundList },
    handle: async ({ ctx, caller, params }) =>
      reply(
        200,
        await clearRefundAddress(ctx, adaptersOf(adapters, caller.mode).chains, caller, params.id ?? ''),
      ),
  }),
];
