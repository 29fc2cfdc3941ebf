import { isCoin } from '../chain/coins.ts';
import { isNetwork } from '../chain/networks.ts';
import type { ChainClient } from '../chain/port.ts';
import { replayOf } from '../idempotency/claim.ts';
import { dispatchJobOf, EVENT_COLUMN_NAMES, EVENT_COLUMNS, eventRows } from '../outbox/outbox.ts';
import { JOB_COLUMN_TYPES, JOB_COLUMNS, jobRows } from '../schedule/rows.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { recordset, run, sql } from '../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../platform/endpoint.ts';
import { newId, newToken } from '../../platform/values/ids.ts';
import { encodeUrl } from '../../platform/values/urls.ts';
import { countCreated } from './lifecycle/count.ts';
import { eventOf } from './lifecycle/event.ts';
import { expirePayment } from './lifecycle/jobs.ts';
import { testClockOf, type Payment } from './lifecycle/payment.ts';
import { policyOf, type PolicyChoice } from './lifecycle/policy.ts';
import { adaptersOf, type AdaptersByMode } from './lifecycle/ports.ts';
import { TRANSITIONS } from './lifecycle/states.ts';
import { quoteInSettlementCoin } from './pricing/quote.ts';
import { toResource, type CreatePaymentBody } from './schemas.ts';

const DEFAULT_EXPIRATION_MINUTES = 60;

/**
 * Creates a payment, its first event, its deadline, its quote in the settlement coin and, when the request
 * has an idempotency key, the claim with the stored reply: in one statement, thus in one round trip and one
 * commit. A claim that exists already is replayed, and nothing is written. Throws ApiError
 * idempotency_conflict, and network_unavailable for a live payment without a client of its network.
 */
export async function createPayment(
  ctx: Context,
  adapters: AdaptersByMode,
  caller: Caller,
  body: CreatePaymentBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const now = ctx.now();
  const chain = adaptersOf(adapters, caller.mode).chain(ctx);
  const { payment, rate } = newPayment(ctx, chain, caller, body, now);
  const event = eventOf(payment, TRANSITIONS.created.event, now);
  const response = reply(201, toResource(payment, ctx.config.publicUrl));
  const expiry = {
    job: expirePayment,
    key: payment.id,
    runAt: payment.expires_at,
    testClock: testClockOf(payment),
  };
  const created = await run(ctx.db, insertPayment, {
    claims: recordset(claim === null ? [] : [claimRow(claim, response, now)]),
    payments: recordset([{ ...payment, rate }]),
    events: eventRows([event]),
    jobs: recordset(jobRows([dispatchJobOf(event), expiry])),
  });
  if (created.length === 0 && claim !== null) return replayOf(ctx.db, claim);
  countCreated(payment.status);
  const amount = `${payment.pay_amount} ${payment.pay_currency}`;
  ctx.log.debug('payment created', { payment_id: payment.id, merchant_id: payment.merchant_id, amount });
  return response;
}

/**
 * Returns a payment as it would be stored, and the rate of its quote, without storing them. The customer pays
 * in the settlement coin until they select another one.
 */
export function newPayment(
  { testClock }: Pick<Context, 'testClock'>,
  chain: Pick<ChainClient, 'depositAddress'>,
  caller: Caller,
  body: CreatePaymentBody,
  now: Date,
): { payment: Payment; rate: string } {
  const id = newId('pay', now);
  const { coin, network } = settlementOf(caller);
  const { asks, rate } = quoteInSettlementCoin(body.pay_amount, coin, network);
  const expiresAt = addSeconds(now, (body.expiration_minutes ?? DEFAULT_EXPIRATION_MINUTES) * 60);
  const payment: Payment = {
    id,
    merchant_id: caller.merchantId,
    token_id: newToken(),
    order_id: body.order_id,
    order_description: body.order_description ?? null,
    callback_url: encodeUrl(body.callback_url),
    success_url: encodeUrl(body.success_url),
    cancel_url: encodeUrl(body.cancel_url),
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
    address: chain.depositAddress(network, id),
    crypto_amount: asks,
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
    language: null,
    test_clock: testClock && id,
    clock_offset_ms: String(testClock?.offsetMs ?? 0),
    clock_frozen_until: testClock?.frozenUntil ?? null,
  };
  return { payment, rate };
}

/**
 * The merchant's coin and network were valid when the merchant was created; throws when a release removed
 * one.
 */
function settlementOf({ merchantId, settlementCurrency: coin, settlementNetwork: network }: Caller) {
  if (!isCoin(coin) || !isNetwork(network))
    throw new Error(
      `merchant ${merchantId} settles in ${coin} on ${network}, which this release does not know`,
    );
  return { coin, network };
}

function claimRow(claim: IdempotencyClaim, response: Reply, now: Date) {
  return {
    merchant_id: claim.merchantId,
    key: claim.key,
    method: claim.method,
    path: claim.path,
    body_hash: `\\x${claim.bodyHash.toString('hex')}`,
    status: response.status,
    body: response.text,
    created_at: now,
  };
}

/**
 * Recordsets: at most one claim, and one payment (with the rate of its quote) with its event and its jobs.
 */
interface Creation {
  readonly claims: string;
  readonly payments: string;
  readonly events: string;
  readonly jobs: string;
}

// When two requests with one key run at once, the second's INSERT of the claim waits for the first to commit,
// and then does nothing. json, not jsonb: metadata keeps the order of the merchant's keys.
const insertPayment = sql<{ claimed: boolean }, Creation>(
  'insert_payment',
  (p) => `
    WITH request AS (
      SELECT * FROM json_to_recordset(${p.claims}::json) AS c (
        merchant_id text, key text, method text, path text, body_hash bytea, status integer, body text,
        created_at timestamptz)
    ), claim AS (
      INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, status, body, created_at)
      SELECT * FROM request
      ON CONFLICT DO NOTHING
      RETURNING true
    ), claimed AS (
      SELECT true AS claimed
      WHERE NOT EXISTS (SELECT FROM request) OR EXISTS (SELECT FROM claim)
    ), created AS (
      SELECT c.* FROM claimed, json_to_recordset(${p.payments}::json) AS c (
        id text, merchant_id text, token_id text, order_id text, order_description text, callback_url text,
        success_url text, cancel_url text, customer_email text, metadata json, pay_amount text,
        pay_currency text, pay_network text, status text, coin text, network text, address text,
        crypto_amount text, rate text, created_at timestamptz, expires_at timestamptz,
        deadline_at timestamptz, test_clock text, clock_offset_ms bigint,
        clock_frozen_until timestamptz, policy jsonb)
    ), payment AS (
      INSERT INTO payments (id, merchant_id, token_id, order_id, order_description, callback_url, success_url,
        cancel_url, customer_email, metadata, pay_amount, pay_currency, pay_network, status, coin, network,
        address, crypto_amount, created_at, expires_at, deadline_at, test_clock, clock_offset_ms,
        clock_frozen_until, policy)
      SELECT id, merchant_id, token_id, order_id, order_description, callback_url, success_url,
        cancel_url, customer_email, metadata, pay_amount, pay_currency, pay_network, status, coin, network,
        address, crypto_amount, created_at, expires_at, deadline_at, test_clock, clock_offset_ms,
        clock_frozen_until, policy
      FROM created
    ), quote AS (
      INSERT INTO quotes (payment_id, coin, network, address, crypto_amount, rate, quoted_at)
      SELECT id, coin, network, address, crypto_amount, rate, created_at FROM created
    ), event AS (
      INSERT INTO events (${EVENT_COLUMN_NAMES})
      SELECT e.* FROM claimed, json_to_recordset(${p.events}::json) AS e (${EVENT_COLUMNS})
    ), job AS (
      INSERT INTO scheduled_jobs (${JOB_COLUMNS})
      SELECT j.* FROM claimed, json_to_recordset(${p.jobs}::json) AS j (${JOB_COLUMN_TYPES})
    )
    SELECT claimed FROM claimed`,
);
