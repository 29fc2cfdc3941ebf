import { METHODS, type Network } from './coins.ts';
import { format, sumOf } from './decimal.ts';
import { Money } from './money.ts';
import { allHeld, RETRY_MS, type Refund } from './returns.ts';
import type { Status, Terms } from './terms.ts';
import { availableOf, toleranceOf, type Sent } from './transfers.ts';

const LATE_WINDOW = 24 * 60 * 60_000;

/** What a sync of a network reports of a transfer. `same`: it replaces another and pays the same address. */
export interface Change {
  readonly kind: 'seen' | 'orphaned' | 'lost' | 'same';
  readonly sent: Sent;
}

/** What a payment's status makes of its money. */
export class PaymentStatus {
  status: Status = 'WAITING';
  isSettled = false;
  /** Set when the payment settles. */
  paid: { amount: string; coin: string } | null = null;
  /** Set when the payment settles in what came: the mode, and the coin and its amount, where it is one. */
  settledAs: string | null = null;
  deadline: number;
  /** The exchange refuses every conversion. */
  isRefusing = false;
  readonly exceptions = new Set<string>();
  /** The events, as `type STATUS`; of money that moves nothing, its transfer too. */
  readonly events: string[] = ['created WAITING'];
  readonly money: Money;
  readonly #policy: Terms['policy'];
  readonly #price: bigint;
  readonly #expiresAt: number;
  #isFunded = false;

  constructor(
    price: bigint,
    expiresAt: number,
    { policy, settlement }: Pick<Terms, 'policy' | 'settlement'>,
  ) {
    this.#price = price;
    this.#expiresAt = expiresAt;
    this.#policy = policy;
    this.deadline = expiresAt;
    this.money = new Money(price, settlement === 'simulated');
  }

  get #isOpen(): boolean {
    return this.status === 'WAITING' || this.status === 'PENDING';
  }

  /** The customer is asked for more. */
  get isShort(): boolean {
    return this.#isOpen && !this.#isFunded;
  }

  get #honouredUntil(): number {
    return this.#policy.late === 'honour' ? this.#expiresAt + LATE_WINDOW : this.#expiresAt;
  }

  get #returnsExcess(): boolean {
    return this.#policy.overpaid === 'refund_excess';
  }

  /** The service learns of `changes`, and of what has confirmed by now. */
  sync(changes: readonly Change[]): void {
    const wasFunded = this.#isFunded;
    this.#isFunded = this.#isEnough(this.money.standing);
    const acceptsMoney = this.#isOpen || this.status === 'EXPIRED';
    const seen = changes.flatMap(({ kind, sent }) => (kind === 'seen' ? [sent] : []));
    if (acceptsMoney && seen.some(({ seenAt }) => seenAt >= this.#expiresAt)) this.exceptions.add('late');
    this.#noteExceptions(changes);
    const isOnItsWay = this.status === 'PENDING';
    if (isOnItsWay && changes.some(({ kind }) => kind === 'lost')) this.#lose();
    else if (isOnItsWay && changes.some(({ kind }) => kind === 'orphaned'))
      this.#record('pending', 'PENDING');
    const accepts = acceptsMoney && !(isOnItsWay && wasFunded) && !this.money.hasOpenRefund;
    const paying = accepts ? seen.filter(({ seenAt }) => seenAt < this.#honouredUntil) : [];
    if (paying.length > 0) this.#accept(paying);
    for (const sent of seen)
      if (!paying.includes(sent)) this.events.push(`funds_received ${this.status} ${describe(sent)}`);
    if (this.status === 'PENDING' && this.#isEnough(this.money.confirmed))
      this.#record('processing', 'PROCESSING');
    this.#acceptDueRefunds();
  }

  /** What follows at once: expiry, conversion, and refunds that are on their way. */
  endMoment(now: number): void {
    if (this.isShort && now >= this.deadline) {
      this.#record('failed', 'EXPIRED');
      this.#acceptDueRefunds();
    }
    if (this.status === 'PROCESSING') this.#settle();
    else if (this.status === 'SETTLED') this.#convert();
    for (;;) {
      const refund = this.money.refunds.find(({ status, sendAt }) => status === 'PENDING' && sendAt <= now);
      if (refund === undefined) break;
      if (this.money.isCovered(refund)) this.#complete(refund);
      else if (this.money.hasLost(refund)) this.#withdraw(refund);
      else refund.sendAt = now + RETRY_MS;
    }
  }

  /** What the merchant asks for; false when it must be refused. */
  refund(asked: bigint | null, to: Network | null): boolean {
    const isAll = this.status === 'EXPIRED' || this.status === 'FAILED';
    if (!isAll && this.status !== 'SETTLED' && this.status !== 'REFUNDED') return false;
    // Everything goes back, so everything must be confirmed.
    if (isAll && this.money.confirmed.length < this.money.standing.length) return false;
    return this.money.refund(asked, to, this.status === 'SETTLED');
  }

  #noteExceptions(changes: readonly Change[]): void {
    if (changes.some(({ kind }) => kind === 'lost')) this.exceptions.add('replaced');
    if (changes.some(({ kind }) => kind === 'orphaned')) this.exceptions.add('reorged');
    const { received, standing } = this.money;
    const over = received - this.#price;
    const tolerance = toleranceOf(this.#price, standing);
    this.exceptions.delete('underpaid');
    this.exceptions.delete('overpaid');
    if (over >= tolerance) this.exceptions.add('overpaid');
    if (-over >= tolerance && received > 0n) this.exceptions.add('underpaid');
  }

  /** A lost transfer is a loss: what still stands decides. */
  #lose(): void {
    if (this.money.standing.length === 0) this.#record('failed', 'FAILED');
    else if (!this.#isFunded) this.#record('pending', 'PENDING');
  }

  /** What comes at once is one event. */
  #accept(paying: readonly Sent[]): void {
    if (paying.some(({ seenAt }) => seenAt >= this.#expiresAt)) this.deadline = this.#expiresAt + LATE_WINDOW;
    this.#record('pending', 'PENDING');
  }

  #settle(): void {
    if (this.isRefusing) {
      this.#convert();
      this.#record('failed', 'FAILED');
      return;
    }
    this.isSettled = true;
    this.paid = this.money.paid;
    this.#record('settled', 'SETTLED');
    this.#convert();
    if (!this.money.sells) this.settledAs = this.money.settledAs;
  }

  #convert(): void {
    const { converted, excess } = this.money.split(this.#returnsExcess);
    this.money.convert(converted, this.isRefusing);
    if (this.status === 'SETTLED') this.money.sendBack(excess);
  }

  #complete(refund: Refund): void {
    this.money.complete(refund);
    const isAll = this.status !== 'SETTLED' || this.money.refunded >= this.money.received;
    this.#record('refunded', isAll ? 'REFUNDED' : 'SETTLED');
    this.#acceptDueRefunds();
  }

  /** What stands of its coins goes back instead. */
  #withdraw(refund: Refund): void {
    this.money.withdraw(refund);
    this.#acceptDueRefunds();
    if (this.status === 'SETTLED') this.#convert();
    const rest = this.money.confirmed.filter(({ method }) => method === refund.method);
    if (this.status !== 'SETTLED') this.money.sendBack(allHeld(rest), METHODS[refund.method].network);
  }

  /** What the policy sends back, in the coins that came. */
  #acceptDueRefunds(): void {
    const { confirmed, standing } = this.money;
    // What comes after a settled payment was sent back pays for nothing. Late or not, it goes together: what
    // is dust alone goes with the rest.
    if (this.#returnsExcess && this.status === 'REFUNDED' && this.isSettled)
      this.money.sendBack(allHeld(confirmed));
    // Of several networks with news at one moment, the money of a later one may free more.
    else if (this.#returnsExcess && this.status === 'SETTLED')
      this.money.sendBack(this.money.split(true).excess);
    else if (this.#policy.late === 'refund') {
      const late = confirmed.filter(({ seenAt }) => seenAt >= this.#expiresAt);
      if (this.status === 'REFUNDED') this.money.sendBack(allHeld(late));
      if (this.status === 'EXPIRED' && this.exceptions.has('late') && confirmed.length === standing.length)
        this.money.sendBack(allHeld(confirmed));
    }
  }

  /** True when the honoured money of `some` reaches the price less what the policy tolerates. */
  #isEnough(some: readonly Sent[]): boolean {
    const { underpaid, underpaid_tolerance_percent: percent } = this.#policy;
    const tolerated = underpaid === 'accept' ? (this.#price * BigInt(percent)) / 100n : 0n;
    const honoured = some.filter(({ seenAt }) => seenAt < this.#honouredUntil);
    const sum = sumOf(honoured, availableOf);
    const tolerance = toleranceOf(this.#price, this.money.standing);
    return sum > 0n && this.#price - tolerated - sum < tolerance;
  }

  #record(type: string, status: Status): void {
    this.status = status;
    this.events.push(`${type} ${status}`);
  }
}

function describe({ method, amount, credit }: Sent): string {
  return `${format(amount)} ${method} for ${format(credit)}`;
}
