import { isCurrency } from '../../../chain/currencies.ts';
import type { Context } from '../../../../platform/context.ts';
import { runOne, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { ApiError, ValidationError } from '../../../api/errors.ts';
import { asWritten } from '../../../../platform/values/money.ts';
import type { CheckoutPrice } from '../../../../sdk/event-types.ts';
import { aboveDust, type Part } from '../../conversions/plan.ts';
import type { Payment } from '../../lifecycle/payment.ts';
import type { PaymentAdapters } from '../../lifecycle/ports.ts';
import { HAS_QUARANTINED } from '../../lifecycle/quarantine.ts';
import { withTestClockOf } from '../../lifecycle/test-clock.ts';
import { convertPrice } from '../../pricing/price.ts';
import type { PaymentTransfer } from '../../transfers/payment-transfer.ts';
import { planHeld, planSettled, type PlannedRefund, type RefundTerms } from '../accept.ts';
import { checkRefund, isWhole, leftToRefund, takenOfSettled, type Left, type SettledMoney } from '../left.ts';
import { isForeignAddress, type RefundAddressRules } from '../refund-address.ts';
import type { RefundBody } from '../schemas.ts';
import { MOST_TRANSFERS, readTransfersToRefund, type TransferToRefund } from './transfers-to-refund.ts';

/** The adapters that say which addresses can take a payment's money, and what a price is in its coin. */
export type RefundAdapters = Pick<
  PaymentAdapters,
  'addresses' | 'networks' | 'chains' | 'rates' | 'currencies'
>;

/** The same, with the addresses of the payment. */
export type AskedRules = RefundAddressRules & Pick<RefundAdapters, 'rates' | 'currencies'>;

/** What a request of the merchant would send back. */
export interface AskedPlan {
  readonly planned: readonly PlannedRefund[];
  /** All that is left was asked for, in more transfers than that sends back. */
  readonly hasMore: boolean;
}

/**
 * Plans the refunds that a request of the merchant means, and writes nothing; `requestRefund` says what. Who
 * accepts them has locked the payment before.
 */
export async function planAsked(
  ctx: Context,
  connection: Connection,
  rules: AskedRules,
  payment: Payment,
  body: RefundBody,
): Promise<AskedPlan> {
  const now = withTestClockOf(ctx, payment).now();
  const transfers = await readTransfersToRefund(connection, payment.id);
  const refunded = await runOne(connection, settledRefunds, { paymentId: payment.id });
  // A change that is quarantined may say that the money is lost.
  if (refunded?.is_behind === true) throw new ApiError('refund_not_allowed', { message: BEHIND });
  const left = leftToRefund(payment, transfers, refunded?.settled ?? []);
  const { asked, price } = await askedOf(connection, rules, payment, body, now);
  checkRefund(payment, asked, left, transfers, price === null ? 'amount' : 'price_amount');
  checkAddress(payment, { address: body.address, asked }, left, rules);
  const { address, to_sender: toSender, reason = null } = body;
  const terms = { address, toSender, reason, transfers, price };
  const { held, hasMore } = sentAtOnce(left, transfers);
  if (asked !== undefined && isWhole(asked, left) && hasMore)
    throw new ApiError('refund_not_allowed', { message: MANY });
  const planned = await planAll(connection, payment, { asked, left: { ...left, held }, terms }, now);
  if (planned.length === 0) throw new ApiError('refund_not_allowed', { message: MANY });
  // Each would tell of the whole price.
  if (price !== null && planned.length > 1) throw new ApiError('refund_not_allowed', { message: SEVERAL });
  return { planned, hasMore: asked === undefined && hasMore };
}

const MANY =
  `What is left came in more than ${MOST_TRANSFERS} transfers, and a refund sends back that many at most: ` +
  'without an amount it sends the largest of them.';

/** Of what is held, that which one refund sends back, and whether that leaves any. */
function sentAtOnce(
  { held }: Left,
  transfers: readonly TransferToRefund[],
): { held: readonly Part[]; hasMore: boolean } {
  const sums = new Set<PaymentTransfer>(transfers.filter(({ is_sum }) => is_sum));
  const alone = aboveDust(held.filter(({ transfer }) => !sums.has(transfer)));
  return { held: alone, hasMore: held.some(({ transfer }) => sums.has(transfer)) };
}

const SEVERAL =
  'What is left is in several coins, each of which is a refund of its own. Ask for an amount, or for all.';

/** Returns what is asked for in pay_currency, and the price of which that was converted, if it was. */
async function askedOf(
  connection: Connection,
  adapters: Pick<RefundAdapters, 'rates' | 'currencies'>,
  payment: Payment,
  { amount: asked, price_amount: amount, price_currency }: RefundBody,
  now: Date,
): Promise<{ asked: string | undefined; price: CheckoutPrice | null }> {
  if (amount === undefined) return { asked, price: null };
  const currency = price_currency ?? payment.price?.currency;
  if (currency === undefined || !isCurrency(currency))
    throw new ValidationError('price_currency', 'required', 'is required: the payment has no price');
  const { pay_amount, price } = await convertPrice(connection, adapters, payment, { amount, currency }, now);
  return { asked: pay_amount, price };
}

const BEHIND = 'Transfers of the payment are being processed. Try again later.';

const settledRefunds = sql<{ settled: SettledMoney[]; is_behind: boolean }, { paymentId: string }>(
  'refunds_out_of_settlement',
  (p) => `
    SELECT coalesce(json_agg(r), '[]') AS settled, ${HAS_QUARANTINED(p.paymentId)} AS is_behind
    FROM (
      SELECT coin, network, sum(coin_amount::numeric)::text AS coin_amount,
        sum(amount::numeric)::text AS amount
      FROM refunds WHERE payment_id = ${p.paymentId} AND source = 'settled' GROUP BY coin, network
    ) r`,
);

function checkAddress(
  payment: Payment,
  { address, asked }: { readonly address: string | undefined; readonly asked: string | undefined },
  left: Left,
  rules: RefundAddressRules,
): void {
  if (address === undefined) return;
  const networks = [
    ...takenOfSettled(asked, left).map(({ network }) => network),
    ...(isWhole(asked, left) ? left.held.map(({ transfer }) => transfer.network) : []),
  ];
  const wrong = networks.find((network) => !isForeignAddress(rules, payment, network, address));
  if (wrong === undefined) return;
  throw new ValidationError(
    'address',
    'format',
    `must be an address on ${wrong}, and neither one of the payment's own nor a token's contract`,
  );
}

interface Asked {
  readonly asked: string | undefined;
  readonly left: Left;
  readonly terms: RefundTerms;
}

async function planAll(
  connection: Connection,
  payment: Payment,
  { asked, left, terms }: Asked,
  now: Date,
): Promise<PlannedRefund[]> {
  const { pay_amount } = payment;
  const planned: PlannedRefund[] = [];
  for (const money of takenOfSettled(asked, left)) {
    const amount = asWritten(money.amount, asked ?? pay_amount);
    const coin_amount = asWritten(money.coin_amount, amount);
    planned.push(await planSettled(connection, payment, { ...money, coin_amount, amount }, terms, now));
  }
  if (!isWhole(asked, left)) return planned;
  return [...planned, ...(await planHeld(connection, payment, left.held, terms, now))];
}
