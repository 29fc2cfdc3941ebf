import type { ExchangeDeposit, SaleMarket } from '../../exchange/port.ts';
import { isSameAddress } from '../../chain/addresses.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { Market } from '../../chain/rates/rates.ts';
import { compare, divide, isZero, multiply, subtract, sum } from '../../../platform/values/money.ts';
import type { Order } from './orders.ts';
import { isHeld, isInDoubt } from './states.ts';
import type { Sale } from './store.ts';

/** What is done next for a sale. */
export type Step =
  | { readonly do: 'look-up'; readonly order: Order }
  | { readonly do: 'check-deposit' }
  | { readonly do: 'end' }
  | { readonly do: 'wait-for-person' }
  | { readonly do: 'order'; readonly attempt: number; readonly left: string };

/**
 * Decides, without I/O, what is next for a sale. An order in doubt comes before everything else, a person's
 * decision too: what it sold is sold.
 */
export function nextStep(sale: Sale, orders: readonly Order[]): Step {
  const order = orders.find(({ status }) => isInDoubt(status));
  if (order !== undefined) return { do: 'look-up', order };
  if (sale.as_received) return { do: 'end' };
  if (isHeld(sale.status)) return { do: 'wait-for-person' };
  if (!sale.is_credited) return { do: 'check-deposit' };
  const left = subtract(sale.amount, sum(orders.map(({ sold }) => sold)));
  // What came in the settlement coin is settled.
  if (sale.coin === sale.pay_currency || isZero(left)) return { do: 'end' };
  return { do: 'order', attempt: orders.length + 1, left };
}

/**
 * Returns what the exchange says of the money of a sale; lost: it knows nothing of what the chain has
 * dropped. A transaction may pay other addresses of the account as well, and be listed again after it has
 * failed. What took its place on the chain may be less than is to be sold.
 */
export function creditOf(
  sale: Pick<Sale, 'network' | 'amount' | 'addresses' | 'deposits'>,
  listed: readonly ExchangeDeposit[],
): 'credited' | 'lost' | 'not_credited' | 'deposit_failed' | 'deposit_differs' {
  const { network, addresses, deposits } = sale;
  const isOwn = ({ address }: ExchangeDeposit) =>
    address === null || addresses.some((one) => isSameAddress(network, one, address));
  const found = deposits.map(({ txHash, amount, isLost }) => {
    const own = listed.filter((one) => one.txHash.toLowerCase() === txHash.toLowerCase() && isOwn(one));
    const has = (state: ExchangeDeposit['state']) => own.some((one) => one.state === state);
    const credited = own.filter(({ state }) => state === 'credited');
    if (own.length === 0) return isLost ? 'lost' : 'not_credited';
    if (compare(sum(credited.map((one) => one.amount)), amount) === 0) return 'credited';
    if (has('pending')) return 'not_credited';
    return has('failed') ? 'deposit_failed' : 'deposit_differs';
  });
  if (found.every((one) => one === 'lost')) return 'lost';
  const worst = (['deposit_failed', 'deposit_differs', 'not_credited'] as const).find((one) =>
    found.includes(one),
  );
  const came = sum(deposits.filter(({ isLost }) => !isLost).map(({ amount }) => amount));
  return worst ?? (compare(came, sale.amount) < 0 ? 'deposit_differs' : 'credited');
}

const RATE_DECIMALS = 18;

/** Returns how many of a coin one of another is worth; null: one of them has no rate now. */
export function referenceRate(market: Market, coin: CoinId, settled: CoinId): string | null {
  const [sold, bought] = [market.get(coin), market.get(settled)];
  return sold === undefined || bought === undefined
    ? null
    : divide(sold.usd, bought.usd, RATE_DECIMALS, 'down');
}

/**
 * Returns the order that sells what is left for at least the reference rate without the slippage; null: it
 * would be smaller than the exchange takes.
 */
export function orderOf(
  left: string,
  reference: string,
  slippagePercent: string,
  market: SaleMarket,
): { volume: string; limit: string } | null {
  const share = subtract('100', slippagePercent);
  const limit = divide(multiply(reference, share), '100', market.priceDecimals, 'up');
  const volume = divide(left, '1', market.volumeDecimals, 'down');
  const isEnough =
    compare(volume, '0') > 0 &&
    compare(volume, market.leastVolume) >= 0 &&
    compare(multiply(volume, limit), market.leastValue) >= 0;
  return isEnough ? { volume, limit } : null;
}
