import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import { isZero } from '../../../platform/values/money.ts';
import { ExchangeError, type SaleReason } from '../../exchange/port.ts';
import type { OpenedAccount } from '../../exchange/open.ts';
import { finish, reschedule } from '../../schedule/store.ts';
import { sellPayment } from '../lifecycle/jobs.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { endSale, note } from './end.ts';
import { clientIdOf, endOrder, markTaken, readOrders, storeOrder, voidOrder, type Order } from './orders.ts';
import { creditOf, nextStep, orderOf, referenceRate, type Step } from './plan.ts';
import { HELD, OPEN } from './states.ts';
import { markCredited, readUnsold, type Sale } from './store.ts';

type Sellers = Pick<PaymentAdapters, 'accounts' | 'rates'>;

/** The exchange refuses an order that reaches it later: it takes no deadline beyond 60 s. */
const ORDER_SECONDS = 20;
/** Behind the deadline, by the clocks of both, an order that was taken is listed. */
const LISTED_SECONDS = 60;
/** Deposits of a payment are looked for from so long before it was created: by the exchange's clock. */
const SKEW_SECONDS = 600;
/** Orders in a row that find no buyer: then a person decides. */
const MOST_EMPTY_ORDERS = 10;
/** A step that fails is tried again after 5 s, 10 s, 20 s ... */
const FIRST_RETRY_SECONDS = 5;
const LAST_RETRY_SECONDS = 300;
/** Far more steps than a sale has: orders that fill in part. */
const MOST_STEPS = 100;

/** What follows a step: at once another, later another, or nothing. */
type Then = 'again' | 'ended' | { readonly waitSeconds: number };

/**
 * Sells what came for payments at their merchants' accounts, as far as the exchanges let it now. What a run
 * does to an exchange it has stored before: killed anywhere, the next one looks up what became of it, and
 * sells nothing twice.
 */
export async function sellPayments(ctx: Context, sellers: Sellers, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const startedAt = ctx.now();
    const waits: number[] = [];
    for (const { payment_id, number } of await readUnsold(ctx.db, id)) {
      const waitSeconds = await sellUntilItWaits(ctx, sellers, id, { payment_id, number });
      if (waitSeconds !== null) waits.push(waitSeconds);
    }
    if (waits.length === 0) await finish(ctx.db, sellPayment, [id], startedAt);
    else {
      const runAt = addSeconds(ctx.now(), Math.min(...waits));
      await reschedule(ctx.db, sellPayment, id, { startedAt, runAt, testClock: null });
    }
  }
}

/** Returns for how long a sale waits; null: it has ended, or waits for a person. */
async function sellUntilItWaits(
  ctx: Context,
  sellers: Sellers,
  id: string,
  key: Pick<Sale, 'payment_id' | 'number'>,
): Promise<number | null> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    // Anew with each step: a person, or another run, may have changed it.
    const sale = (await readUnsold(ctx.db, id)).find(({ number }) => number === key.number);
    if (sale === undefined) return null;
    const step = nextStep(sale, await readOrders(ctx.db, sale));
    if (step.do === 'wait-for-person') return null;
    const then = await take(ctx, sellers, sale, step).catch((error: unknown) => failed(ctx, sale, error));
    if (then === 'ended') return null;
    if (then !== 'again') return then.waitSeconds;
  }
  return FIRST_RETRY_SECONDS;
}

async function take(
  ctx: Context,
  sellers: Sellers,
  sale: Sale,
  step: Exclude<Step, { do: 'wait-for-person' }>,
): Promise<Then> {
  if (step.do === 'end') return end(ctx, sale);
  const opened = await sellers.accounts(ctx, sale.merchant_id);
  if (step.do === 'order') return order(ctx, sellers, opened, sale, step);
  return step.do === 'look-up' ? lookUp(ctx, opened, sale, step.order) : checkDeposit(ctx, opened, sale);
}

async function end(ctx: Context, sale: Sale): Promise<Then> {
  await transact(ctx.db, (tx) => endSale(tx, sale, ctx.now()));
  return 'ended';
}

async function checkDeposit(ctx: Context, { account }: OpenedAccount, sale: Sale): Promise<Then> {
  const { coin, network, payment_created_at: since } = sale;
  const credit = creditOf(sale, await account.listDeposits(coin, network, addSeconds(since, -SKEW_SECONDS)));
  if (credit === 'not_credited') return later(ctx, sale, credit, null);
  if (credit !== 'credited') return hold(ctx, sale, credit, null);
  await markCredited(ctx.db, sale);
  return 'again';
}

/** Asks what became of an order: whether it was taken is certain a while after its deadline. */
async function lookUp(ctx: Context, { account }: OpenedAccount, sale: Sale, sent: Order): Promise<Then> {
  const { client_id: clientId, exchange_id: exchangeId, deadline } = sent;
  const fill = await account.findOrder({ clientId, exchangeId });
  if (fill === null) {
    const isCertain = exchangeId === null && ctx.now() > addSeconds(deadline, LISTED_SECONDS);
    if (!isCertain) return { waitSeconds: FIRST_RETRY_SECONDS };
    await voidOrder(ctx.db, sent, 'not taken before its deadline', ctx.now());
    return 'again';
  }
  if (!fill.isEnded) return { waitSeconds: FIRST_RETRY_SECONDS };
  await endOrder(ctx.db, sent, fill, ctx.now());
  ctx.log.info('order ended', {
    payment_id: sale.payment_id,
    order: fill.exchangeId,
    sold: fill.sold,
    proceeds: fill.proceeds,
    fee: fill.fee,
  });
  if (!isZero(fill.sold)) return noted(ctx, sale, { failures: 0, emptyOrders: 0 }, 'again');
  const emptyOrders = sale.empty_orders + 1;
  if (emptyOrders >= MOST_EMPTY_ORDERS) return hold(ctx, sale, 'price_moved', null);
  const waitSeconds = backOff(emptyOrders);
  return noted(ctx, sale, { failures: 0, emptyOrders, reason: 'price_moved' }, { waitSeconds });
}

async function order(
  ctx: Context,
  { rates }: Sellers,
  { account, slippagePercent }: OpenedAccount,
  sale: Sale,
  { attempt, left }: Extract<Step, { do: 'order' }>,
): Promise<Then> {
  const { coin, pay_currency, merchant_id } = sale;
  const market = await account.readMarket(coin, pay_currency);
  const reference = referenceRate(
    (await rates(ctx.db, [merchant_id], ctx.now()))(merchant_id),
    coin,
    pay_currency,
  );
  if (reference === null) return later(ctx, sale, 'rate_unavailable', null);
  const terms = orderOf(left, reference, slippagePercent, market);
  // A rest that is too small to be sold stays as it came.
  if (terms === null) return left === sale.amount ? hold(ctx, sale, 'below_minimum', null) : end(ctx, sale);
  const clientId = clientIdOf(sale, attempt);
  const deadline = addSeconds(ctx.now(), ORDER_SECONDS);
  const asked = { clientId, pair: market.pair, ...terms, deadline };
  const isStored = await transact(ctx.db, (tx) => storeOrder(tx, sale, { attempt, ...asked }));
  if (!isStored) return { waitSeconds: FIRST_RETRY_SECONDS };
  const sent = { client_id: clientId };
  try {
    await markTaken(ctx.db, sent, await account.sell(asked));
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.meaning === 'unknown') throw error;
    await voidOrder(ctx.db, sent, error.message, ctx.now());
    throw error;
  }
  return 'again';
}

/** What an exchange refuses waits for a person; anything else is tried again. */
async function failed(ctx: Context, sale: Sale, error: unknown): Promise<Then> {
  if (!(error instanceof ExchangeError)) throw error;
  const { meaning, reason, message } = error;
  return meaning === 'refused' ? hold(ctx, sale, reason, message) : later(ctx, sale, reason, message);
}

const backOff = (times: number): number =>
  Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(times - 1, 16));

async function later(ctx: Context, sale: Sale, reason: SaleReason, detail: string | null): Promise<Then> {
  const failures = sale.failures + 1;
  if (detail !== null)
    ctx.log.warn('sale not finished, retrying', { payment_id: sale.payment_id, reason, detail, failures });
  return noted(ctx, sale, { failures, reason, detail }, { waitSeconds: backOff(failures) });
}

async function hold(ctx: Context, sale: Sale, reason: SaleReason, detail: string | null): Promise<Then> {
  const { payment_id, merchant_id } = sale;
  ctx.log.error('sale held for a person: see `ops sales list`', { payment_id, merchant_id, reason, detail });
  const { failures, empty_orders: emptyOrders } = sale;
  return noted(ctx, sale, { status: HELD, failures, emptyOrders, reason, detail }, 'ended');
}

async function noted(
  ctx: Context,
  sale: Sale,
  changes: Partial<Omit<Parameters<typeof note>[2], 'now'>>,
  then: Then,
): Promise<Then> {
  const { empty_orders: emptyOrders, failures } = sale;
  const before = { status: OPEN, reason: null, detail: null, failures, emptyOrders };
  await transact(ctx.db, (tx) => note(tx, sale, { ...before, ...changes, now: ctx.now() }));
  return then;
}
