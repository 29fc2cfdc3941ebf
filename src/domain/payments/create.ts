import { isCoin } from '../chain/coins.ts';
import { finalityFor, type Finality, type FinalityRules } from '../chain/finality.ts';
import { isNetwork } from '../chain/networks.ts';
import type { AddressBook, DepositPlace } from '../chain/wallets/address-book.ts';
import { findReplay, replayOf } from '../idempotency/claim.ts';
import { dispatchJobOf } from '../outbox/outbox.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../api/endpoint.ts';
import { newPublicToken } from '../../platform/values/cells.ts';
import { newId } from '../../platform/values/ids.ts';
import { encodeUrl } from '../../platform/values/urls.ts';
import { storePayment, type Beside } from './insert.ts';
import { countCreated } from './lifecycle/count.ts';
import { eventOf } from './lifecycle/event.ts';
import { expirePayment } from './lifecycle/jobs.ts';
import { jobOf, type Payment } from './lifecycle/payment.ts';
import { policyOf, type PolicyChoice } from './lifecycle/policy.ts';
import { adaptersOf, type AdaptersByMode, type PaymentAdapters } from './lifecycle/ports.ts';
import { SOLD_AT_EXCHANGE } from './lifecycle/settlement.ts';
import { TRANSITIONS } from './lifecycle/states.ts';
import { LinkClosed } from './links/uses.ts';
import { costOf, type Cost } from './pricing/price.ts';
import { quoteInSettlementCoin } from './pricing/quote.ts';
import { toResource, type CreatePaymentBody } from './schemas.ts';

const DEFAULT_EXPIRATION_MINUTES = 60;

/**
 * Creates a payment, its first event, its deadline, its quote in the settlement coin and, when the request
 * has an idempotency key, the claim with the stored reply: in one statement, thus in one round trip and one
 * commit, which it shares with others of the same moment. A claim that exists already is replayed, and
 * nothing is written. Throws ApiError idempotency_conflict, network_unavailable for a live payment without a
 * client of its network or a wallet, rate_unavailable for a price without a rate, and unavailable; and
 * LinkClosed where it is a payment of a link that has no item for it, or `beside` has refused it.
 */
export async function createPayment(
  ctx: Context,
  adapters: AdaptersByMode,
  caller: Caller,
  body: CreatePaymentBody,
  claim: IdempotencyClaim | null,
  { linkId = null, beside = null }: { linkId?: string | null; beside?: Beside | null } = {},
): Promise<Reply> {
  const now = ctx.now();
  const served = adaptersOf(adapters, caller.mode);
  const { settlement, isSimulated } = served;
  const opened = await openOrReplay(ctx, claim, () => open(ctx, served, caller, body, now));
  if ('text' in opened) return opened;
  const { place, cost } = opened;
  const { payment: created, rate } = newPayment(ctx, place, caller, { ...body, ...cost }, now);
  const finality = isSimulated ? null : finalityOf(created, ctx.config.finality);
  const settlement_mode = created.exchange === null ? settlement : SOLD_AT_EXCHANGE;
  const payment = { ...created, settlement_mode, finality, link_id: linkId };
  const event = eventOf(payment, TRANSITIONS.created.event, now);
  const response = reply(201, toResource(payment, ctx.config.publicUrl));
  const expiry = jobOf(expirePayment, payment, payment.expires_at);
  const storing = {
    payment: { ...payment, rate },
    claim: claim === null ? null : { ...claim, response, createdAt: now },
    event,
    jobs: [dispatchJobOf(event), expiry],
  };
  const stored = await storePayment(ctx.db, storing, beside);
  if (stored !== 'created') await place.giveBack?.();
  if (stored === 'closed') throw new LinkClosed();
  if (stored === 'exists' && claim !== null) return replayOf(ctx.db, claim);
  countCreated(payment.status);
  const amount = `${payment.pay_amount} ${payment.pay_currency}`;
  ctx.log.debug('payment created', { payment_id: payment.id, merchant_id: payment.merchant_id, amount });
  return response;
}

/** Returns what a payment costs, and where it takes money: without a rate no place is taken. */
async function open(
  ctx: Context,
  adapters: PaymentAdapters,
  caller: Caller,
  body: CreatePaymentBody,
  now: Date,
) {
  const { coin: pay_currency, network: pay_network } = parOf(caller);
  const payment = { merchant_id: caller.merchantId, pay_currency, pay_network };
  const cost = await costOf(ctx.db, adapters, payment, body, now);
  return { cost, place: await adapters.addresses.open(ctx, caller, pay_network) };
}

/** A request that is repeated is replayed where no new payment has a place, or a rate: it needs none. */
async function openOrReplay<Opened>(
  { db }: Pick<Context, 'db'>,
  claim: IdempotencyClaim | null,
  opening: () => Promise<Opened>,
): Promise<Opened | Reply> {
  try {
    return await opening();
  } catch (error) {
    const replayed = claim === null ? null : await findReplay(db, claim);
    if (replayed === null) throw error;
    return replayed;
  }
}

/** Returns what makes a transfer final that pays in full. */
const finalityOf = ({ network, coin, pay_amount: amount }: Payment, rules: FinalityRules): Finality =>
  finalityFor(network, [{ coin, amount }], null, rules);

/**
 * Returns a payment as it would be stored, and the rate of its quote, without storing them. The customer pays
 * in the settlement coin until they select another one.
 */
export function newPayment(
  { testClock, config }: Pick<Context, 'testClock' | 'config'>,
  place: DepositPlace & AddressBook,
  caller: Caller,
  body: CreatePaymentBody & Cost,
  now: Date,
): { payment: Payment; rate: string } {
  const id = newId('pay', now);
  const { coin, network } = parOf(caller);
  const { asks, rate } = quoteInSettlementCoin(body.pay_amount, coin, network);
  const address = place.derive(network, { id });
  if (address === null) throw new Error(`a new payment has no address on ${network}`);
  const expiresAt = addSeconds(now, (body.expiration_minutes ?? DEFAULT_EXPIRATION_MINUTES) * 60);
  const payment: Payment = {
    id,
    merchant_id: caller.merchantId,
    token_id: newPublicToken(config),
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
    price: body.price,
    status: TRANSITIONS.created.to,
    exceptions: [],
    sequence: 1,
    coin,
    network,
    address,
    crypto_amount: asks,
    tx_hash: null,
    tx_network: null,
    confirmations: 0,
    finality: null,
    fully_funded: false,
    amount_received: '0',
    amount_refunded: '0',
    actually_paid: null,
    actually_paid_currency: null,
    settlement_mode: 'simulated',
    settlement_coin: null,
    settlement_network: null,
    settlement_amount: null,
    settlement_problem: null,
    created_at: now,
    expires_at: expiresAt,
    deadline_at: expiresAt,
    settled_at: null,
    cancelled_at: null,
    policy: policyOf(caller.policy as PolicyChoice, body.policy),
    language: null,
    test_clock: testClock && id,
    clock_offset_ms: String(testClock?.offsetMs ?? 0),
    clock_frozen_until: testClock?.frozenUntil ?? null,
    wallet_id: place.wallet_id,
    deposit_index: place.deposit_index,
    exchange: place.exchange ?? null,
    link_id: null,
  };
  return { payment, rate };
}

/**
 * Returns the merchant's settlement coin, and its network. They were valid when the merchant was created;
 * throws when a release removed one.
 */
export function parOf({ merchantId, settlementCurrency: coin, settlementNetwork: network }: Caller) {
  if (!isCoin(coin) || !isNetwork(network))
    throw new Error(
      `merchant ${merchantId} settles in ${coin} on ${network}, which this release does not know`,
    );
  return { coin, network };
}
