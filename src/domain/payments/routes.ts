import { endpoint, reply, DEFAULT_PER_MINUTE } from '../../platform/endpoint.ts';
import { createPayment } from './create.ts';
import { listPayments } from './list.ts';
import { adaptersOf, type AdaptersByMode } from './lifecycle/ports.ts';
import { getPayment } from './lifecycle/store.ts';
import { requestRefund } from './refunds/request.ts';
import { RefundBody, RefundList, RefundResource, toRefundResource } from './refunds/schemas.ts';
import { readRefunds } from './refunds/store.ts';
import { CreatePaymentBody, ListPaymentsQuery, PaymentList, PaymentResource, toResource } from './schemas.ts';

/** The endpoints of payments; the chain adapter derives a new payment's deposit address. */
export const paymentEndpoints = (adapters: AdaptersByMode) => [
  endpoint({
    operationId: 'createPayment',
    method: 'post',
    path: '/v1/payment',
    summary: 'Creates a payment and returns its checkout URL.',
    auth: 'required',
    permission: 'payments:write',
    perMinute: 60,
    body: CreatePaymentBody,
    response: { status: 201, schema: PaymentResource },
    handle: ({ ctx, caller, body, claim }) => createPayment(ctx, adapters, caller, body, claim),
  }),
  endpoint({
    operationId: 'getPayment',
    method: 'get',
    path: '/v1/payment/:id',
    summary: 'Returns a payment as it is now.',
    auth: 'required',
    permission: 'payments:read',
    perMinute: 120,
    response: { status: 200, schema: PaymentResource },
    async handle({ ctx, caller, params }) {
      const payment = await getPayment(ctx.db, caller.merchantId, params.id ?? '');
      return reply(200, toResource(payment, ctx.config.publicUrl));
    },
  }),
  endpoint({
    operationId: 'listPayments',
    method: 'get',
    path: '/v1/payments',
    summary: "Lists the merchant's payments, newest first.",
    auth: 'required',
    permission: 'payments:read',
    perMinute: 60,
    query: ListPaymentsQuery,
    response: { status: 200, schema: PaymentList },
    handle: async ({ ctx, caller, query }) =>
      reply(200, await listPayments(ctx.db, caller.merchantId, query, ctx.config.publicUrl)),
  }),
  endpoint({
    operationId: 'refundPayment',
    method: 'post',
    path: '/v1/payment/:id/refund',
    summary: 'Sends money back to the customer: an amount, or everything that is left.',
    auth: 'required',
    permission: 'refunds:write',
    perMinute: DEFAULT_PER_MINUTE,
    body: RefundBody,
    response: { status: 201, schema: RefundResource },
    handle: ({ ctx, caller, params, body, claim }) =>
      requestRefund(ctx, adaptersOf(adapters, caller.mode), caller, params.id ?? '', { body, claim }),
  }),
  endpoint({
    operationId: 'listRefunds',
    method: 'get',
    path: '/v1/payment/:id/refunds',
    summary: "Lists a payment's refunds, newest first.",
    auth: 'required',
    permission: 'payments:read',
    perMinute: DEFAULT_PER_MINUTE,
    response: { status: 200, schema: RefundList },
    async handle({ ctx, caller, params }) {
      const { id } = await getPayment(ctx.db, caller.merchantId, params.id ?? '');
      return reply(200, { data: (await readRefunds(ctx.db, id)).map(toRefundResource) });
    },
  }),
];
