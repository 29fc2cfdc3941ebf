import { displayedAddress } from '../../chain/addresses.ts';
import { blocksToFinal } from '../../chain/finality.ts';
import { SIMULATED_CHAINS, type ChainProfile } from '../../chain/profile.ts';
import { lateWindowEnd } from '../../payments/transfers/evaluate.ts';
import { networkOfTransfer, payableUntil, type Payment } from '../../payments/lifecycle/payment.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import { leftToSend } from '../../payments/pricing/quote.ts';
import { canSelectMethod } from '../../payments/pricing/quotes.ts';
import { hasReturnableMoney } from '../../payments/refunds/refund-address.ts';
import { acceptsMoney, isUnderWay, paysForOrder, type Status } from '../../payments/lifecycle/states.ts';
import { compare, isZero, max, subtract, sum, writtenLike } from '../../../platform/values/money.ts';
import { appearanceOf, isOffered, type MerchantAppearance } from './appearance.ts';
import type { CheckoutPayment } from './store.ts';
import { returnsExcess, returnsLate } from '../../payments/lifecycle/policy.ts';

/** The statuses that the page divides into finer states, because customers ask what happens now. */
interface DividedStates {
  readonly WAITING: 'waiting' | 'sent';
  readonly PENDING: 'underpaid' | 'sent' | 'seen' | 'confirming';
  readonly PROCESSING: 'converting';
  readonly EXPIRED: 'expired' | 'expiredPartly' | 'returning' | 'cancelled';
  readonly FAILED: 'failed' | 'replaced';
}
type Divided = keyof DividedStates;

/** What the page says: the status in lower case, or one of the states into which it is divided. */
export type State = DividedStates[Divided] | Lowercase<Exclude<Status, Divided>>;

const DIVIDED: { readonly [S in Divided]: (payment: CheckoutPayment) => DividedStates[S] } = {
  WAITING: ({ sent_hash }) => (sent_hash === null ? 'waiting' : 'sent'),
  PENDING({ fully_funded, confirmations, sent_hash }) {
    if (!fully_funded) return sent_hash === null ? 'underpaid' : 'sent';
    return confirmations === 0 ? 'seen' : 'confirming';
  },
  PROCESSING: () => 'converting',
  EXPIRED({ amount_received, exceptions, policy, cancelled_at }) {
    const isPaid = !isZero(amount_received);
    if (isPaid && exceptions.includes('late') && returnsLate(policy)) return 'returning';
    if (cancelled_at !== null) return 'cancelled';
    return isPaid ? 'expiredPartly' : 'expired';
  },
  // A payment that goes on without a lost transfer can still fail for another reason.
  FAILED: ({ exceptions, amount_received }) =>
    exceptions.includes('replaced') && isZero(amount_received) ? 'replaced' : 'failed',
};

function stateOf(payment: CheckoutPayment): State {
  const { status } = payment;
  return isDivided(status) ? DIVIDED[status](payment) : (status.toLowerCase() as Lowercase<typeof status>);
}

const isDivided = (status: Status): status is Divided => Object.hasOwn(DIVIDED, status);

/** What serves the payment: it can be paid on these networks, with real money or not. */
export type Served = Pick<
  PaymentAdapters,
  'networks' | 'isSimulated' | 'explorers' | 'isHalted' | 'priced' | 'chains'
>;

export interface View {
  /** What people call a network where the payment is served. */
  readonly nameOf: ChainProfile['nameOf'];
  readonly payment: CheckoutPayment;
  readonly appearance: MerchantAppearance;
  readonly state: State;
  /** The deposit address as people read it. */
  readonly address: string;
  /** What to send, in the payment's coin; null when no money is asked for. */
  readonly toSend: string | null;
  /** Until when; null when it no longer matters. */
  readonly payBy: Date | null;
  /** Until when `toSend` holds; null: as long as it can be paid. */
  readonly priceUntil: Date | null;
  /** Seconds until the nearer of the two. */
  readonly secondsLeft: number;
  /** What was asked before the price changed at the end of its lock; null: it is as it was. */
  readonly askedBefore: string | null;
  /** The customer may still select another payment method. */
  readonly canChoose: boolean;
  /**
   * The payment's own method is not offered, and nothing has come: no address is shown until the customer has
   * chosen.
   */
  readonly mustChoose: boolean;
  /** Whether the page asks where money goes back to, or shows it; null: no money goes back. */
  readonly refundTo: 'ask' | 'known' | null;
  /** How much goes back there next, as far as it is known, with its coin: "4.00 USDC". */
  readonly goesBack: string;
  /** The page may still change, so it follows its payment. */
  readonly isLive: boolean;
  /** Where a checkpoint of the network decides, as many as that usually takes. */
  readonly requiredConfirmations: number;
  /** At most `requiredConfirmations`. */
  readonly confirmations: number;
}

/** What the page of `payment` shows at the payment's time `now`; `nameOf`: what networks are called on it. */
export function viewOf(
  payment: CheckoutPayment,
  now: Date,
  { nameOf }: Pick<ChainProfile, 'nameOf'> = SIMULATED_CHAINS,
): View {
  const [state, appearance] = [stateOf(payment), appearanceOf(payment)];
  const asksForMoney = isAsking(state);
  const mustChoose = state === 'waiting' && !isOffered(appearance, payment);
  const requiredConfirmations = blocksToFinal(networkOfTransfer(payment), payment.finality);
  const { locked_until, deadline_at } = payment;
  // Late money has no locked rate.
  const isLocked = locked_until !== null && locked_until < payableUntil(payment);
  const priceUntil = asksForMoney && isLocked ? locked_until : null;
  const endsAt = priceUntil ?? deadline_at;
  const canChoose = canSelectMethod(payment, now);
  return {
    nameOf,
    payment,
    appearance,
    state,
    address: displayedAddress(payment.network, payment.address),
    toSend: asksForMoney && !mustChoose ? amountToSend(payment) : null,
    payBy: asksForMoney ? deadline_at : null,
    secondsLeft: Math.max(0, Math.floor((endsAt.getTime() - now.getTime()) / 1000)),
    canChoose,
    mustChoose,
    priceUntil,
    askedBefore: asksForMoney && !mustChoose ? askedBefore(payment) : null,
    refundTo: refundTo(payment),
    goesBack: goesBack(payment),
    isLive: isLive(payment, now),
    requiredConfirmations,
    confirmations: Math.min(payment.confirmations, requiredConfirmations),
  };
}

/** Money is missing, also where a transaction is awaited: whoever did not send it finds what to send. */
const isAsking = (state: State): boolean => ['waiting', 'sent', 'underpaid'].includes(state);

/** What the price lacks, in the payment's coin, at the rate of its quote. */
function amountToSend({
  coin,
  network,
  crypto_amount,
  pay_amount,
  amount_received,
  quote,
}: CheckoutPayment): string {
  const missing = max(subtract(pay_amount, amount_received), '0');
  return writtenLike(leftToSend(quote, missing, { coin, network }), crypto_amount);
}

/** Money that came since is not what has changed the amount. */
function askedBefore({ asked_before, quote, pay_amount, amount_received }: CheckoutPayment): string | null {
  const { asks, covers } = quote;
  if (asked_before === null || asks === null || covers === null) return null;
  const isMissing = compare(subtract(pay_amount, amount_received), covers) === 0;
  return isMissing && compare(asked_before, asks) !== 0 ? asked_before : null;
}

function refundTo(payment: CheckoutPayment): View['refundTo'] {
  if (payment.refund_address !== null) return 'known';
  return canAskForAddress(payment) ? 'ask' : null;
}

/** Of a payment that pays for its order only what is too much goes back, unless a refund waits. */
function goesBack(payment: CheckoutPayment): string {
  const { refund_amount, refund_coin, needs_address, status, pay_amount, pay_currency } = payment;
  if (refund_amount !== null && (needs_address || !paysForOrder(status)))
    return `${writtenLike(refund_amount, pay_amount)} ${refund_coin}`;
  const left = subtract(payment.amount_received, returned(payment));
  const rest = paysForOrder(status) ? subtract(left, pay_amount) : left;
  return `${writtenLike(max(rest, '0'), pay_amount)} ${pay_currency}`;
}

/** True while the page asks where money goes back to: a refund waits for it, or may follow. */
export function canAskForAddress(payment: CheckoutPayment): boolean {
  if (payment.refund_address !== null) return false;
  const accepted = { ...payment, amount_refunded: returned(payment) };
  return payment.needs_address || (hasReturnableMoney(accepted) && !isKept(payment));
}

/** What went back, or is on its way to an address: no other can be given for that. */
function returned({ amount_refunded, amount_underway }: CheckoutPayment): string {
  return sum([amount_refunded, amount_underway]);
}

/** What was paid too much stays with the merchant by policy: it goes back only when they refund it. */
export function isKept({ status, policy }: Payment): boolean {
  return paysForOrder(status) && !returnsExcess(policy);
}

/** Late money can still revive an expired payment until the end of the late window. */
function isLive(payment: Payment, now: Date): boolean {
  const { status } = payment;
  if (isUnderWay(status)) return true;
  return acceptsMoney(status) && now < lateWindowEnd(payment);
}
