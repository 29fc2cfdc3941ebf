import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import { isZero } from '../../../platform/values/money.ts';
import { ExchangeError } from '../../exchange/port.ts';
import type { OpenedAccount } from '../../exchange/open.ts';
import { finish, reschedule } from '../../schedule/store.ts';
import { sellPayment } from '../lifecycle/jobs.ts';
import { lockPayments } from '../lifecycle/store.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { endSale } from './end.ts';
import { clientIdOf, endOrder, markTaken, readOrders, storeOrder, voidOrder, type Order } from './orders.ts';
import { creditOf, nextStep, orderOf, referenceRate, type Step } from './plan.ts';
import { isHeld } from './states.ts';
import { markCredited, readUnsold, type Sale } from './store.ts';
import { backOff, failed, FIRST_RETRY_SECONDS, hold, later, noted, type Then } from './then.ts';

type Sellers = Pick<PaymentAdapters, 'accounts' | 'rates'>;

/** The exchange refuses an order that reaches it later: it takes no deadline beyond 60 s. */
const ORDER_SECONDS = 20;
/** Behind the deadline, by the clocks of both, an order that was taken is listed. */
const LISTED_SECONDS = 60;
/** Deposits of a payment are looked for from so long before it was created: by the exchange's clock. */
const SKEW_SECONDS = 600;
/** Orders in a row that find no buyer: then a person decides. */
const MOST_EMPTY_ORDERS = 10;
/** Far more steps than a sale has: orders that fill in part. */
const MOST_STEPS = 100;

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
    await transact(ctx.db, async (tx) => {
      // A sale that began meanwhile has left this job in place: whoever begins one has locked the payment.
      await lockPayments(tx, [id]);
      const isOpen = (await readUnsold(tx, id)).some(({ status }) => !isHeld(status));
      if (waits.length === 0 && !isOpen) return finish(tx, sellPayment, [id], startedAt);
      const waitSeconds = waits.length === 0 ? 0 : Math.min(...waits);
      const runAt = addSeconds(ctx.now(), waitSeconds);
      return reschedule(tx, sellPayment, id, { startedAt, runAt, testClock: null });
    });
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

/** Another run may have sent an order meanwhile: then the sale has not ended. */
async function end(ctx: Context, sale: Sale, isLost = false): Promise<Then> {
  await transact(ctx.db, (tx) => endSale(tx, sale, ctx.now(), isLost));
  return 'again';
}

async function checkDeposit(ctx: Context, { account }: OpenedAccount, sale: Sale): Promise<Then> {
  const { coin, network, payment_created_at: since } = sale;
  const credit = creditOf(sale, await account.listDeposits(coin, network, addSeconds(since, -SKEW_SECONDS)));
  if (credit === 'not_credited') return later(ctx, sale, credit, null);
  if (credit === 'lost') return end(ctx, sale, true);
  if (credit !== 'credited') return hold(ctx, sale, credit, null);
  await markCredited(ctx.db, sale);
  return 'again';
}

/**
 * Asks what became of an order: whether it was taken is certain of what is asked a while after its deadline.
 * An answer may come, or be read, long after it was true.
 */
async function lookUp(ctx: Context, { account }: OpenedAccount, sale: Sale, sent: Order): Promise<Then> {
  const { client_id: clientId, exchange_id: exchangeId, deadline } = sent;
  const isListed = ctx.now() > addSeconds(deadline, LISTED_SECONDS);
  const fill = await account.findOrder({ clientId, exchangeId });
  if (fill === null && exchangeId === null && isListed) {
    await voidOrder(ctx.db, sent, 'not taken before its deadline', ctx.now());
    return 'again';
  }
  if (fill === null || !fill.isEnded)
    return isListed
      ? later(ctx, sale, 'exchange_unavailable', `the end of order ${exchangeId ?? clientId} is not known`)
      : { waitSeconds: FIRST_RETRY_SECONDS };
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
  const clientId = clientIdOf(sale, attempt);
  // A database that was restored from a backup lacks the orders since: it would send one again.
  const isKnown = (await account.findOrder({ clientId, exchangeId: null })) !== null;
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
  const deadline = addSeconds(ctx.now(), ORDER_SECONDS);
  const asked = { clientId, pair: market.pair, ...terms, deadline };
  const isStored = await transact(ctx.db, (tx) => storeOrder(tx, sale, { attempt, ...asked }));
  if (!isStored) return { waitSeconds: FIRST_RETRY_SECONDS };
  if (isKnown) return 'again';
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
