import { ModelChain, NETWORKS, type Network, type Sent } from './chain.ts';
import {
  isEnough,
  addExceptions,
  owedBack,
  sum,
  type Action,
  type Change,
  type Status,
  type Terms,
} from './terms.ts';

/**
 * The expected behaviour of a payment, written from the contract without the service's code: one payment, in
 * milliseconds and cents. The model has no transactions, no schedule and no transition table; it searches for
 * the next event.
 */

const MINUTE = 60_000;
const LATE_WINDOW = 24 * 60 * MINUTE;

export class Model {
  status: Status = 'WAITING';
  refunded = 0;
  readonly sent: Sent[] = [];
  readonly exceptions = new Set<string>();
  /** The events, as `type STATUS`. */
  readonly events: string[] = ['created WAITING'];
  readonly #terms: Terms;
  readonly #chains: Record<Network, ModelChain> = {
    ethereum: new ModelChain('ethereum'),
    tron: new ModelChain('tron'),
  };
  readonly #expiresAt: number;
  #deadline: number;
  #now = 0;
  #own: Network = 'ethereum';
  #promised: number[] = [];
  #isCovered = false;
  #isRefusing = false;

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#expiresAt = terms.minutes * MINUTE;
    this.#deadline = this.#expiresAt;
  }

  get received(): number {
    return sum(this.sent.filter(({ isDropped }) => !isDropped));
  }

  get #isWaiting(): boolean {
    return this.status === 'WAITING' || this.status === 'PENDING';
  }

  get #confirmed(): number {
    return sum(this.#confirmedTransfers());
  }

  /** Advances the time to `until`; everything happens at its own time. */
  advanceTo(until: number): void {
    for (;;) {
      const next = this.#nextMoment();
      if (next === null || next > until) break;
      this.#now = next;
      this.#lookAtEach();
      this.#endMoment();
    }
    this.#now = until;
  }

  /** Returns true when the action is allowed and done; false, without a change, when it must be refused. */
  act(action: Action): boolean {
    switch (action.do) {
      case 'wait':
        return true;
      case 'transfer': {
        if (this.received === 0) this.#own = action.network;
        const chain = this.#chains[action.network];
        chain.begin(this.#now);
        const place = { at: this.#now, block: chain.height(this.#now) + 1 };
        const sent: Sent = { ...action, ...place, isDropped: false, isConfirmed: false };
        this.sent.push(sent);
        this.#sync([{ kind: 'seen', sent }]);
        break;
      }
      case 'replace': {
        const sent = this.sent[action.which % Math.max(1, this.sent.length)];
        if (sent === undefined || sent.isDropped) return false;
        sent.isDropped = true;
        this.#sync([{ kind: 'dropped', sent }]);
        break;
      }
      case 'reorg':
        for (const network of this.#networks()) this.#reorganise(network, action.depth);
        break;
      case 'mine':
        for (const network of this.#networks()) {
          this.#chains[network].begin(this.#now);
          this.#chains[network].mine(action.blocks, this.#now);
        }
        this.#lookAtEach();
        break;
      case 'fail_conversion':
        this.#isRefusing = true;
        break;
      case 'refund':
        if (!this.#refund(action.cents)) return false;
        break;
    }
    this.#endMoment();
    return true;
  }

  #networks(): Network[] {
    return NETWORKS.filter(
      (network) => network === this.#own || this.sent.some((sent) => sent.network === network),
    );
  }

  #reorganise(network: Network, depth: number): void {
    const chain = this.#chains[network];
    chain.begin(this.#now);
    const height = chain.height(this.#now);
    const orphaned = this.sent.filter(
      (sent) => sent.network === network && chain.isMined(sent, this.#now) && sent.block > height - depth,
    );
    for (const sent of orphaned) sent.block = height + 1;
    if (orphaned.length > 0) this.#sync(orphaned.map((sent) => ({ kind: 'orphaned', sent })));
  }

  /** Networks are synced one by one: confirmations on two networks at the same time are two updates. */
  #lookAtEach(): void {
    for (const network of NETWORKS) this.#sync([], [network]);
  }

  /** The service learns of `changes`, and of what has confirmed on `networks` by now. */
  #sync(changes: readonly Change[], networks: readonly Network[] = NETWORKS): void {
    for (const sent of this.sent.filter(({ network }) => networks.includes(network)))
      sent.isConfirmed = this.#chains[sent.network].hasConfirmed(sent, this.#now);
    const { late } = this.#terms.policy;
    const isOpen = ['WAITING', 'PENDING', 'EXPIRED'].includes(this.status);
    const isLate = isOpen && changes.some(({ sent }) => sent.at >= this.#expiresAt);
    addExceptions(this.exceptions, changes, {
      isLate,
      over: this.received - this.#terms.cents,
      received: this.received,
    });
    this.#isCovered = this.#isEnough(this.sent.filter(({ isDropped }) => !isDropped));

    const honouredUntil = late === 'honour' ? this.#expiresAt + LATE_WINDOW : this.#expiresAt;
    const isOnItsWay = this.status === 'PENDING' || this.status === 'PROCESSING';
    if (isOnItsWay && changes.some(({ kind }) => kind === 'dropped')) this.#record('failed', 'FAILED');
    else if (isOnItsWay && changes.some(({ kind }) => kind === 'orphaned'))
      this.#record('pending', 'PENDING');
    else if (isOpen && changes.some(({ kind, sent }) => kind === 'seen' && sent.at < honouredUntil)) {
      if (isLate) this.#deadline = this.#expiresAt + LATE_WINDOW;
      this.#record('pending', 'PENDING');
    }
    if (this.status === 'PENDING' && this.#isEnough(this.#confirmedTransfers()))
      this.#record('processing', 'PROCESSING');
    this.#promiseWhatIsOwed();
  }

  /** What follows at once: expiry, conversion, and refunds that are on their way. */
  #endMoment(): void {
    if (this.#isWaiting && !this.#isCovered && this.#now >= this.#deadline) {
      // A decision about a deadline syncs the networks first: the payment's own chain begins now at the
      // latest.
      this.#chains.ethereum.begin(this.#now);
      this.#record('failed', 'EXPIRED');
      this.#promiseWhatIsOwed();
    }
    if (this.status === 'PROCESSING') {
      if (this.#isRefusing) this.#record('failed', 'FAILED');
      else {
        this.#record('settled', 'SETTLED');
        this.#promiseWhatIsOwed();
      }
    }
    for (const cents of this.#promised.splice(0)) this.#sendBack(cents);
  }

  #promiseWhatIsOwed(): void {
    const left = this.#confirmed - this.refunded - this.#promised.reduce((a, b) => a + b, 0);
    const isLateForGood = this.exceptions.has('late') && this.#confirmed === this.received;
    const owed = owedBack(this.#terms, { status: this.status, left, isLateForGood });
    if (owed > 0) this.#promised.push(owed);
  }

  #refund(asked: number | null): boolean {
    const isPartAllowed = this.status === 'SETTLED';
    if (!isPartAllowed && this.status !== 'EXPIRED' && this.status !== 'FAILED') return false;
    const left = this.#confirmed - this.refunded;
    // When only everything can be refunded, everything must be confirmed.
    if (!isPartAllowed && this.#confirmed !== this.received) return false;
    if (left <= 0 || (asked ?? left) > left) return false;
    if (!isPartAllowed && (asked ?? left) !== left) return false;
    this.#promised.push(asked ?? left);
    return true;
  }

  #sendBack(cents: number): void {
    this.refunded += cents;
    this.#record('refunded', this.refunded === this.received ? 'REFUNDED' : this.status);
  }

  #nextMoment(): number | null {
    const unconfirmed = this.sent.filter(
      (sent) => !sent.isDropped && !this.#chains[sent.network].hasConfirmed(sent, this.#now),
    );
    const moments = unconfirmed.map((sent) => this.#chains[sent.network].confirmedAt(sent));
    if (this.#isWaiting && !this.#isCovered) moments.push(this.#deadline);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  #confirmedTransfers(): Sent[] {
    return this.sent.filter(({ isConfirmed, isDropped }) => isConfirmed && !isDropped);
  }

  #isEnough(some: readonly Sent[]): boolean {
    return isEnough(this.#terms, some, this.refunded);
  }

  #record(type: string, status: Status): void {
    this.status = status;
    this.events.push(`${type} ${status}`);
  }
}
