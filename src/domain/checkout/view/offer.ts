import { isCoinOn, type CoinId } from '../../chain/coins.ts';
import { FAMILY_OF } from '../../chain/wallets/families.ts';
import { IS_IN_USE } from '../../chain/wallets/store.ts';
import { isSettledAtKraken } from '../../exchange/kraken/markets.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Payment } from '../../payments/lifecycle/payment.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import { converts, sells } from '../../payments/lifecycle/settlement.ts';

/** A coin on a network with which a customer can pay. */
export interface PaymentMethod {
  readonly coin: CoinId;
  readonly network: NetworkId;
}

/** What decides in what a payment can be settled. */
export interface Settling extends Pick<Payment, 'settlement_mode' | 'pay_currency' | 'pay_network'> {
  /** What the merchant accepts beside the settlement coin, where nothing is converted. */
  readonly accepted_methods: readonly PaymentMethod[];
}

/**
 * SQL: what the merchant `m` of a payment `p` accepts beside the settlement coin: of a live payment what the
 * merchant has a wallet for, or the payment. Index: wallet_in_use.
 */
export const ACCEPTED_METHODS = (p: string, m: string): string => `
  CASE WHEN ${p}.wallet_id IS NULL OR ${m}.accepted_methods = '[]' THEN ${m}.accepted_methods ELSE coalesce((
    SELECT jsonb_agg(a.method ORDER BY a.place)
    FROM jsonb_array_elements(${m}.accepted_methods) WITH ORDINALITY AS a (method, place)
      CROSS JOIN LATERAL (SELECT ${FAMILY_OF("a.method->>'network'")} AS family) f
    WHERE f.family = (SELECT family FROM wallets WHERE id = ${p}.wallet_id) OR EXISTS (
      SELECT FROM wallets w
      WHERE coalesce(w.merchant_id, '') IN (${m}.id, '') AND w.family = f.family AND ${IS_IN_USE}
    )), '[]') END`;

/** True for the same coin on the same network. */
export const isSame = (one: PaymentMethod, other: PaymentMethod): boolean =>
  one.coin === other.coin && one.network === other.network;

/**
 * Returns the methods that a payment offers, in the order of its merchant's choice (null: all): of these what
 * it can be settled in. Of real money, that is the settlement coin on its network and what else the
 * merchant accepts, and at an exchange what that sells; should nothing of it be chosen, it is the settlement
 * coin: it is always good.
 */
export function methodsOf(
  payment: Settling,
  chosen: readonly PaymentMethod[] | null,
): readonly PaymentMethod[] | null {
  if (converts(payment) && !sells(payment)) return chosen;
  const par = { coin: payment.pay_currency, network: payment.pay_network };
  const accepted = payment.accepted_methods.filter(
    (one) =>
      isCoinOn(one.coin, one.network) &&
      !isSame(one, par) &&
      (!sells(payment) || isSettledAtKraken(one.coin, one.network, par.coin)),
  );
  const settled = [par, ...accepted];
  if (chosen === null) return settled;
  const offered = chosen.filter((one) => settled.some((other) => isSame(one, other)));
  return offered.length > 0 ? offered : [par];
}

/** What says whether a method can be paid with now. */
export type Payable = Pick<PaymentAdapters, 'networks' | 'isHalted' | 'priced' | 'chains'>;

/** True when a method can be paid with now: its network is read, and it has a price where it needs one. */
export function isPayable(
  { networks, isHalted, priced, chains }: Payable,
  { pay_currency }: Pick<Payment, 'pay_currency'>,
  { coin, network }: PaymentMethod,
): boolean {
  if (!networks.includes(network) || isHalted(network)) return false;
  if (chains.contractOf(coin, network) === undefined) return false;
  return coin === pay_currency || (priced.has(coin) && priced.has(pay_currency));
}
