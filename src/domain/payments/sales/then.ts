import type { Context } from '../../../platform/context.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import { ExchangeError, type SaleReason } from '../../exchange/port.ts';
import { note } from './end.ts';
import { HELD, OPEN } from './states.ts';
import type { Sale } from './store.ts';

/** A step that fails is tried again after 5 s, 10 s, 20 s ... */
export const FIRST_RETRY_SECONDS = 5;
const LAST_RETRY_SECONDS = 300;

/** What follows a step: at once another, later another, or nothing. */
export type Then = 'again' | 'ended' | { readonly waitSeconds: number };

/** What an exchange refuses waits for a person; anything else is tried again. */
export async function failed(ctx: Context, sale: Sale, error: unknown): Promise<Then> {
  if (!(error instanceof ExchangeError)) throw error;
  const { meaning, reason, message } = error;
  return meaning === 'refused' ? hold(ctx, sale, reason, message) : later(ctx, sale, reason, message);
}

/** Returns after how many seconds a step is tried that has failed so often. */
export const backOff = (times: number): number =>
  Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(times - 1, 16));

/** Notes why a sale does not go on now. */
export async function later(
  ctx: Context,
  sale: Sale,
  reason: SaleReason,
  detail: string | null,
): Promise<Then> {
  const failures = sale.failures + 1;
  if (detail !== null)
    ctx.log.warn('sale not finished, retrying', { payment_id: sale.payment_id, reason, detail, failures });
  return noted(ctx, sale, { failures, reason, detail }, { waitSeconds: backOff(failures) });
}

/** Leaves a sale to a person. */
export async function hold(
  ctx: Context,
  sale: Sale,
  reason: SaleReason,
  detail: string | null,
): Promise<Then> {
  const { payment_id, merchant_id } = sale;
  ctx.log.error('sale held for a person: see `ops sales list`', { payment_id, merchant_id, reason, detail });
  const { failures, empty_orders: emptyOrders } = sale;
  return noted(ctx, sale, { status: HELD, failures, emptyOrders, reason, detail }, 'ended');
}

/** Notes how a sale stands, and returns what follows. */
export async function noted(
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
