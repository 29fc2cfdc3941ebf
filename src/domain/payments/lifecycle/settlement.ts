import { Type } from 'typebox';
import { nullable } from '../../api/schemas.ts';
import type { CheckoutSettlement, SettlementMode } from '../../../sdk/event-types.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { SALE_REASONS, type SaleReason } from '../../exchange/port.ts';
import type { Payment } from './payment.ts';
import { isProcessing } from './states.ts';

/**
 * What a mode means for the money of its payment; a new mode must state it. The sdk declares the modes,
 * because merchants' code compiles against them.
 */
interface ModeTraits {
  /** What came becomes the settlement coin: a currency exchange is asked. Else it stays as it came. */
  readonly converts: boolean;
  /** What came is sold at the merchant's account, by orders that may find no buyer (sales/). */
  readonly sells: boolean;
}

const MODE_TRAITS: Readonly<Record<SettlementMode, ModeTraits>> = {
  par: { converts: false, sells: false },
  as_received: { converts: false, sells: false },
  exchange: { converts: true, sells: true },
  simulated: { converts: true, sells: false },
};

export const SETTLEMENT_MODES = Object.keys(MODE_TRAITS) as SettlementMode[];

/** The mode of new payments that take money at an exchange. */
export const SOLD_AT_EXCHANGE = 'exchange' satisfies SettlementMode;

/** In what a payment settles, as payments and events say it. */
export const Settlement = Type.Object(
  {
    mode: Type.Enum([...SETTLEMENT_MODES], {
      description:
        "par: the settlement coin came to the merchant's own wallet. as_received: another accepted coin did, and " +
        "stays what it is. exchange: sold through the merchant's account. simulated: no real money moves.",
    }),
    coin: nullable(Type.String(), 'Null when the payment was settled in several coins, each as it came.'),
    network: nullable(Type.String(), 'Null at an exchange, and when it was settled on several networks.'),
    amount: nullable(
      Type.String(),
      'In coin; null until settled, and for several coins. At an exchange the proceeds without its fee.',
    ),
    problem: Type.Optional(
      Type.Enum(Object.keys(SALE_REASONS) as SaleReason[], {
        description:
          'Only while the payment is PROCESSING and its money cannot be sold: why. The operator tries again, or ' +
          'settles it as it came.',
      }),
    ),
  },
  { description: 'In what the payment settles: until it is settled what is planned.' },
);

/** True when what comes for the payment becomes its settlement coin. */
export const converts = ({ settlement_mode }: Pick<Payment, 'settlement_mode'>): boolean =>
  MODE_TRAITS[settlement_mode].converts;

/** True when what comes for the payment is sold at the merchant's account. */
export const sells = ({ settlement_mode }: Pick<Payment, 'settlement_mode'>): boolean =>
  MODE_TRAITS[settlement_mode].sells;

/** SQL: what comes for the payment in the row `p` becomes its settlement coin. */
export const CONVERTS = (p: string): string =>
  `${p}.settlement_mode IN (${SETTLEMENT_MODES.filter((mode) => MODE_TRAITS[mode].converts)
    .map((mode) => `'${mode}'`)
    .join(', ')})`;

interface Method {
  readonly coin: CoinId | null;
  readonly network: NetworkId | null;
}

/** Returns the mode of a payment that is settled in a coin on a network; null: in several. */
export function modeOf(
  payment: Pick<Payment, 'settlement_mode' | 'pay_currency' | 'pay_network'>,
  { coin, network }: Method,
): SettlementMode {
  if (converts(payment)) return payment.settlement_mode;
  return coin === payment.pay_currency && network === payment.pay_network ? 'par' : 'as_received';
}

/** Returns in what a payment settles when all of its money comes by a method. */
export function settlesIn(
  payment: Pick<Payment, 'settlement_mode' | 'pay_currency' | 'pay_network'>,
  method: { readonly coin: CoinId; readonly network: NetworkId },
): { coin: CoinId; network: NetworkId } {
  return converts(payment) ? { coin: payment.pay_currency, network: payment.pay_network } : method;
}

/** What `settlementOf` reads beside what a payment shows anyway. */
export const SETTLEMENT_COLUMNS = [
  'settlement_mode',
  'settlement_coin',
  'settlement_network',
  'settlement_amount',
  'settlement_problem',
  'coin',
  'network',
] as const satisfies readonly (keyof Payment)[];
type SettlementRow = Pick<
  Payment,
  (typeof SETTLEMENT_COLUMNS)[number] | 'status' | 'settled_at' | 'pay_currency' | 'pay_network'
>;

/**
 * Returns what a payment says of its settlement (contract, "Settlement"): until it is settled what is
 * planned, by the method that the customer has; then what had settled.
 */
export function settlementOf(payment: SettlementRow): CheckoutSettlement & { readonly problem?: SaleReason } {
  const { settlement_mode: mode, settlement_amount: amount, settled_at } = payment;
  const settlement_problem = isProcessing(payment.status) ? payment.settlement_problem : null;
  if (settled_at === null || converts(payment)) {
    const { coin, network } = settlesIn(payment, payment);
    const problem = settlement_problem === null ? {} : { problem: settlement_problem };
    return {
      mode: modeOf(payment, payment),
      coin,
      network: sells(payment) ? null : network,
      amount,
      ...problem,
    };
  }
  return { mode, coin: payment.settlement_coin, network: payment.settlement_network, amount };
}
