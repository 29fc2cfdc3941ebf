import { addSeconds } from '../../../platform/clock.ts';
import { displayedAddress } from '../../chain/addresses.ts';
import { blocksToFinal } from '../../chain/finality.ts';
import { SIMULATED_CHAINS, type ChainProfile } from '../../chain/profile.ts';
import { lateWindowEnd } from '../../payments/transfers/evaluate.ts';
import { networkOfTransfer, payableUntil, type Payment } from '../../payments/lifecycle/payment.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import { leftToSend } from '../../payments/pricing/quote.ts';
import { canSelectMethod } from '../../payments/pricing/quotes.ts';
import { acceptsMoney, isUnderWay, type Status } from '../../payments/lifecycle/states.ts';
import { compare, isZero, max, subtract, writtenLike } from '../../../platform/values/money.ts';
import { goesBack, refundTo, type RefundStep } from './going-back.ts';
import { appearanceOf, isOffered, type MerchantAppearance } from './appearance.ts';
import { isCompleted } from '../../payments/refunds/states.ts';
import type { CheckoutPayment, ShownRefund } from './store.ts';
import { returnsLate } from '../../payments/lifecycle/policy.ts';

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
  WAITING: (payment) => (isAwaited(payment) ? 'sent' : 'waiting'),
  PENDING(payment) {
    if (!payment.fully_funded) return isAwaited(payment) ? 'sent' : 'underpaid';
    return payment.confirmations === 0 ? 'seen' : 'confirming';
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

const isAwaited = ({ sent_hash, is_sent_lost }: CheckoutPayment): boolean =>
  sent_hash !== null && is_sent_lost === null;

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
  readonly refundTo: RefundStep;
  /** How much goes back there next, as far as it is known, with its coin: "4.00 USDC". */
  readonly goesBack: string;
  /** The refund that the page is about: one that waits for an address, else one that is not paid out. */
  readonly refund: ShownRefund | null;
  /** The time to pay has ended, and whether money came in time is not known yet: nothing is asked for. */
  readonly isOver: boolean;
  /** A receipt is due, and nobody has said where it is mailed to. */
  readonly asksForMail: boolean;
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
  const { locked_until, deadline_at } = payment;
  const isPast = isAsking(state) && now >= deadline_at;
  const asksForMoney = isAsking(state) && !isPast;
  const mustChoose = asksForMoney && state === 'waiting' && !isOffered(appearance, payment);
  const requiredConfirmations = blocksToFinal(networkOfTransfer(payment), payment.finality);
  // Late money has no locked rate.
  const isLocked = locked_until !== null && locked_until < payableUntil(payment);
  const priceUntil = asksForMoney && isLocked ? locked_until : null;
  const canChoose = canSelectMethod(payment, now);
  return {
    nameOf,
    payment,
    appearance,
    state,
    address: displayedAddress(payment.network, payment.address),
    toSend: asksForMoney && !mustChoose ? amountToSend(payment) : null,
    payBy: asksForMoney ? deadline_at : null,
    secondsLeft: secondsBetween(now, priceUntil ?? deadline_at),
    canChoose,
    mustChoose,
    priceUntil,
    askedBefore: asksForMoney && !mustChoose ? askedBefore(payment) : null,
    refundTo: refundTo(payment),
    goesBack: goesBack(payment),
    refund: payment.refunds.find(({ status }) => !isCompleted(status)) ?? null,
    isOver: isPast && state !== 'sent',
    asksForMail: asksForMail(payment, state, now),
    isLive: isLive(payment, now),
    requiredConfirmations,
    confirmations: Math.min(payment.confirmations, requiredConfirmations),
  };
}

const secondsBetween = (now: Date, end: Date): number =>
  Math.max(0, Math.floor((end.getTime() - now.getTime()) / 1000));

/** Money is missing, also where a transaction is awaited: whoever did not send it finds what to send. */
const isAsking = (state: State): boolean => ['waiting', 'sent', 'underpaid'].includes(state);

/** The states in which money came that pays for the order. */
export const GETS_RECEIPT: readonly State[] = ['seen', 'confirming', 'converting', 'settled'];

/** Later nobody asks for a receipt but who has found a link. */
const RECEIPT_DAYS = 7;

function asksForMail({ customer_email, settled_at }: Payment, state: State, now: Date): boolean {
  if (customer_email !== null || !GETS_RECEIPT.includes(state)) return false;
  return settled_at === null || now < addSeconds(settled_at, RECEIPT_DAYS * 86_400);
}

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

/** Late money can still revive an expired payment until the end of the late window, and refunds go on. */
function isLive(payment: CheckoutPayment, now: Date): boolean {
  const { status, needs_address, amount_underway } = payment;
  if (isUnderWay(status) || needs_address || !isZero(amount_underway)) return true;
  return acceptsMoney(status) && now < lateWindowEnd(payment);
}
