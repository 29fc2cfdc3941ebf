import { compare, sum } from '../../../platform/values/money.ts';
import { ExchangeError, type OrderFill } from '../port.ts';
import { decimalOf, fieldsOf, listOf, type Call } from './request.ts';

/** QueryTrades takes no more at once. */
const TRADES_AT_ONCE = 20;

/**
 * Open orders first: one that closes between the two look-ups is among the closed ones. That there is none is
 * said by two empty lists alone: of any other answer nobody knows what it was meant for.
 */
export async function findByClientId(call: Call, clientId: string): Promise<OrderFill | null> {
  for (const [method, list] of [
    ['OpenOrders', 'open'],
    ['ClosedOrders', 'closed'],
  ] as const) {
    const listed = fieldsOf(await call(method, { cl_ord_id: clientId, trades: 'true' }))[list];
    const found = Object.entries(fieldsOf(listed));
    const own = found.find(([, order]) => fieldsOf(order).cl_ord_id === clientId);
    if (own !== undefined) return fillOf(call, own[0], fieldsOf(own[1]));
    if (typeof listed !== 'object' || listed === null || found.length > 0)
      throw new ExchangeError('unknown', 'exchange_unavailable', `${method}: an answer about other orders`);
  }
  return null;
}

/** Returns an order by the exchange's own id. One that it has just named may be unknown to it yet. */
export async function findById(call: Call, exchangeId: string): Promise<OrderFill | null> {
  const asked = call('QueryOrders', { txid: exchangeId, trades: 'true' }).catch((error: unknown) => {
    if (error instanceof ExchangeError && error.message.includes('EOrder:')) return {};
    throw error;
  });
  const found = fieldsOf(await asked)[exchangeId];
  return found === undefined ? null : fillOf(call, exchangeId, fieldsOf(found));
}

const ENDED_STATUSES: readonly unknown[] = ['closed', 'canceled', 'expired'];

/** Proceeds and fee are those of the trades: an order is ended once they make up what it sold. */
async function fillOf(
  call: Call,
  exchangeId: string,
  order: Readonly<Record<string, unknown>>,
): Promise<OrderFill> {
  const sold = decimalOf(order.vol_exec);
  const ids = listOf(order.trades).map(String);
  const trades: Readonly<Record<string, unknown>>[] = [];
  for (let at = 0; at < ids.length; at += TRADES_AT_ONCE) {
    const txid = ids.slice(at, at + TRADES_AT_ONCE).join(',');
    trades.push(...Object.values(fieldsOf(await call('QueryTrades', { txid }))).map(fieldsOf));
  }
  const total = (name: string) => sum(trades.map((trade) => decimalOf(trade[name])));
  const isWhole = compare(total('vol'), sold) === 0;
  return {
    exchangeId,
    isEnded: ENDED_STATUSES.includes(order.status) && isWhole,
    sold,
    proceeds: total('cost'),
    fee: total('fee'),
  };
}
