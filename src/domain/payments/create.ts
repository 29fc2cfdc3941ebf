import { chainOf } from '../chain/chain.ts';
import { quoteInSettlementCoin } from './pricing/quote.ts';
import { isCoin } from '../chain/coins.ts';
import { isNetwork } from '../chain/networks.ts';
import { dispatchEvent } from '../outbox/jobs.ts';
import { replayOf } from '../idempotency/claim.ts';
import { autopayPayment } from '../sandbox/customer/jobs.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../platform/endpoint.ts';
import { newId, newToken } from '../../platform/values/ids.ts';
import { eventOf } from './lifecycle/event.ts';
import { expirePayment } from './lifecycle/jobs.ts';
import type { Payment } from './lifecycle/payment.ts';
import { policyOf, type PolicyChoice } from './lifecycle/policy.ts';
import { toResource, type CreatePaymentBody } from './schemas.ts';
import { TRANSITIONS } from './lifecycle/states.ts';

const DEFAULT_EXPIRATION_MINUTES = 60;

/**
 * Creates a payment, its first event, its deadline, its quote in the settlement coin and, when the request bears an idempotency
 * key, the claim with the stored answer: in one statement, so in one round trip and in one commit. A claim that exists already
 * makes the statement write nothing; then the stored answer is replayed. Throws ApiError idempotency_conflict.
 */
export async function createPayment(
  ctx: Context,
  caller: Caller,
  body: CreatePaymentBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const now = ctx.now();
  const { payment, rate } = newPayment(ctx, caller, body, now);
  const event = eventOf(payment, TRANSITIONS.created.event, now, null);
  const answer = reply(201, toResource(payment, ctx.config.publicUrl));
  const created = await run(ctx.db, insertPayment, [
    ...claimValues(caller, claim, answer),
    ...paymentValues(payment),
    rate,
    event.id,
    event.type,
    event.body,
    dispatchEvent.name,
    expirePayment.name,
    autopayPayment.name,
    ctx.config.autopaySeconds === null ? null : addSeconds(now, ctx.config.autopaySeconds),
    payment.test_clock,
    payment.clock_offset_ms,
    payment.clock_frozen_until,
    JSON.stringify(payment.policy),
  ]);
  if (created.length === 0 && claim !== null) return replayOf(ctx.db, claim);
  ctx.log.info('payment created', {
    payment_id: payment.id,
    merchant_id: caller.merchantId,
    amount: `${payment.pay_amount} ${payment.pay_currency}`,
  });
  return answer;
}

/** A payment as it would be stored, and the rate of its quote; nothing is. The customer pays in the settlement coin until another is chosen. */
export function newPayment(
  ctx: Context,
  caller: Caller,
  body: CreatePaymentBody,
  now: Date,
): { payment: Payment; rate: string } {
  const id = newId('pay', now);
  const { coin, network } = settlementOf(caller);
  const { amount, rate } = quoteInSettlementCoin(body.pay_amount, coin, network);
  const expiresAt = addSeconds(now, (body.expiration_minutes ?? DEFAULT_EXPIRATION_MINUTES) * 60);
  const payment: Payment = {
    id,
    merchant_id: caller.merchantId,
    token_id: newToken(),
    order_id: body.order_id,
    order_description: body.order_description ?? null,
    callback_url: body.callback_url ?? null,
    success_url: body.success_url ?? null,
    cancel_url: body.cancel_url ?? null,
    customer_email: body.customer_email ?? null,
    metadata: body.metadata ?? {},
    pay_amount: body.pay_amount,
    pay_currency: coin,
    pay_network: network,
    status: TRANSITIONS.created.to,
    exceptions: [],
    sequence: 1,
    coin,
    network,
    address: chainOf(ctx).depositAddress(network, id),
    crypto_amount: amount,
    tx_hash: null,
    confirmations: 0,
    fully_funded: false,
    amount_received: '0',
    amount_refunded: '0',
    actually_paid: null,
    actually_paid_currency: null,
    created_at: now,
    expires_at: expiresAt,
    deadline_at: expiresAt,
    settled_at: null,
    policy: policyOf(caller.policy as PolicyChoice, body.policy),
    refund_address: null,
    language: null,
    test_clock: ctx.testClock && id,
    clock_offset_ms: String(ctx.testClock?.offsetMs ?? 0),
    clock_frozen_until: ctx.testClock?.frozenUntil ?? null,
  };
  return { payment, rate };
}

/** A merchant's coin and network were checked when the merchant was made; a coin that was taken off the table since is our fault. */
function settlementOf({ merchantId, settlementCurrency: coin, settlementNetwork: network }: Caller) {
  if (!isCoin(coin) || !isNetwork(network))
    throw new Error(`${merchantId} settles in ${coin} on ${network}, which is not known any more`);
  return { coin, network };
}

function claimValues(caller: Caller, claim: IdempotencyClaim | null, answer: Reply): unknown[] {
  return [
    caller.merchantId,
    claim?.key ?? null,
    claim?.method,
    claim?.path,
    claim?.bodyHash,
    answer.status,
    claim && answer.text,
  ];
}

function paymentValues(payment: Payment): unknown[] {
  return [
    payment.id,
    payment.token_id,
    payment.order_id,
    payment.order_description,
    payment.callback_url,
    payment.success_url,
    payment.cancel_url,
    payment.customer_email,
    JSON.stringify(payment.metadata),
    payment.pay_amount,
    payment.pay_currency,
    payment.pay_network,
    payment.status,
    payment.address,
    payment.crypto_amount,
    payment.created_at,
    payment.expires_at,
  ];
}

// $1-$7: merchant and claim; $8-$24: payment; $25: rate; $26-$28: event; $29-$32: due work; $33-$35: clock; $36: policy.
// Two requests with one key at the same instant: the second INSERT of the claim waits for the first to commit, then does nothing.
const insertPayment = sql<{ claimed: boolean }>(
  'insert_payment',
  `WITH claim AS (
     INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, status, body, created_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $23 WHERE $2::text IS NOT NULL
     ON CONFLICT DO NOTHING
     RETURNING true
   ), claimed AS (
     SELECT true AS claimed WHERE $2::text IS NULL OR EXISTS (SELECT FROM claim)
   ), payment AS (
     INSERT INTO payments (id, merchant_id, token_id, order_id, order_description, callback_url, success_url, cancel_url, customer_email,
       metadata, pay_amount, pay_currency, pay_network, status, coin, network, address, crypto_amount, created_at, expires_at, deadline_at,
       test_clock, clock_offset_ms, clock_frozen_until, policy)
     SELECT $8, $1, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $18, $19, $21, $22, $23, $24, $24, $33, $34, $35, $36 FROM claimed
   ), quote AS (
     INSERT INTO quotes (payment_id, coin, network, address, crypto_amount, rate, created_at)
     SELECT $8, $18, $19, $21, $22, $25, $23 FROM claimed
   ), event AS (
     INSERT INTO events (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at)
     SELECT $26, $8, $1, 1, $27, $12, $28, $23 FROM claimed
   ), due AS (
     INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
     SELECT job, key, run_at, greatest(run_at - make_interval(secs => $34::float8 / 1000), $35), $33
     FROM claimed, (VALUES ($29::text, $26::text, $23::timestamptz), ($30, $8, $24), ($31, $8, $32)) AS w (job, key, run_at)
     WHERE run_at IS NOT NULL
   )
   SELECT claimed FROM claimed`,
);
