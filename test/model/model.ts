import { HOLD_MS, modelChains } from './chain.ts';
import { CREDIT_UNIT, METHODS, NETWORKS, type Method, type Network } from './coins.ts';
import { ONE, parse, ratioDown } from './decimal.ts';
import type { Money } from './money.ts';
import { PaymentStatus, type Change } from './payment.ts';
import { Pricing } from './pricing.ts';
import type { Action, Terms } from './terms.ts';
import type { Sent } from './transfers.ts';

/**
 * The expected behaviour of a payment, written from the contract without the service's code: one payment, in
 * milliseconds and exact decimals. The model has no transactions, no schedule and no transition table; it
 * searches for the next event.
 */

const MINUTE = 60_000;

export class Model {
  readonly payment: PaymentStatus;
  readonly pricing: Pricing;
  readonly #price: bigint;
  readonly #chains: ReturnType<typeof modelChains>;
  #now = 0;
  #own: Network = 'ethereum';

  constructor({ price, minutes, ...terms }: Terms, blockMs: number | null = null) {
    this.#chains = modelChains(blockMs);
    this.#price = parse(price);
    const expiresAt = minutes * MINUTE;
    this.payment = new PaymentStatus(this.#price, expiresAt, terms);
    this.pricing = new Pricing(this.#price, expiresAt);
  }

  get money(): Money {
    return this.payment.money;
  }

  /** Advances the time to `until`; everything happens at its own time. */
  advanceTo(until: number): void {
    for (;;) {
      const next = this.#nextMoment();
      if (next === null || next > until) break;
      this.#now = next;
      // Networks are synced one by one: what confirms on two at the same time is two updates.
      for (const network of NETWORKS) this.#sync([], [network]);
      this.#lapse();
      this.#endMoment();
    }
    this.#now = until;
  }

  get now(): number {
    return this.#now;
  }

  /** True when a refund waits until the customer says where on `network` it goes. */
  waitsForAddress(network: Network): boolean {
    return this.money.refunds.some(
      ({ status, method }) => status === 'NEEDS_ADDRESS' && METHODS[method].network === network,
    );
  }

  /** The coins of a transfer, in units of its coin. */
  amountOf({ method, share }: Extract<Action, { do: 'transfer' }>): bigint {
    return this.pricing.amountOf(method, share, this.money.standing, this.#now);
  }

  /** The sum that a refund asks for; null: all that is left. */
  askedOf({ percent }: Extract<Action, { do: 'refund' }>): bigint | null {
    if (percent === null) return null;
    return (this.#price * BigInt(percent)) / 100n;
  }

  /** Returns true when the action is allowed and done; false, without a change, when it must be refused. */
  act(action: Exclude<Action, { do: 'give_address' }>): boolean {
    const isDone = this.#do(action);
    if (isDone) this.#endMoment();
    return isDone;
  }

  /**
   * The customer gave the address that the page asked for, on `network`; null: it asked for none. Returns
   * false when it asked wrongly: it must ask while a refund waits, and may ask once for each network.
   */
  giveAddress(network: Network | null): boolean {
    const waiting = NETWORKS.filter((one) => this.waitsForAddress(one));
    if (network === null) return waiting.length === 0;
    if (this.money.given.has(network) || (waiting.length > 0 && !waiting.includes(network))) return false;
    this.money.giveAddress(network);
    this.#endMoment();
    return true;
  }

  #do(action: Exclude<Action, { do: 'give_address' }>): boolean {
    switch (action.do) {
      case 'wait':
        return true;
      case 'transfer':
        this.#send(action);
        return true;
      case 'choose':
        if (!this.payment.isShort || this.#now >= this.payment.deadline || this.money.received > 0n)
          return false;
        this.#select(action.method);
        return true;
      case 'market':
        this.pricing.setRate(action.coin, action.percent);
        return true;
      case 'replace':
        return this.#replace(action);
      case 'reorg':
        for (const network of this.#networks()) this.#reorganise(network, action.depth);
        return true;
      case 'mine':
        for (const network of this.#networks()) this.#chains[network].mine(action.blocks, this.#now);
        for (const network of NETWORKS) this.#sync([], [network]);
        return true;
      case 'fail_conversion':
        // Nobody is asked where nothing is sold.
        this.payment.isRefusing = this.money.sells;
        return true;
      default:
        return this.payment.refund(this.askedOf(action), action.to);
    }
  }

  #select(method: Method): void {
    const isAsked = this.payment.isShort && this.#now < this.payment.deadline;
    this.pricing.select(method, this.money.standing, this.#now, isAsked);
    if (this.money.received === 0n) this.#own = METHODS[method].network;
  }

  #send(action: Extract<Action, { do: 'transfer' }>): void {
    const { method, direct } = action;
    // Nobody watches an address that was never shown.
    if (direct && !this.pricing.isWatched(method)) return;
    const amount = this.amountOf(action);
    if (!direct) this.#select(method);
    const credit = this.pricing.credit(method, amount, this.money.standing, this.#now);
    const { network } = METHODS[method];
    const block = this.#chains[network].height(this.#now) + 1;
    const state = {
      block,
      heldUntil: this.#now + HOLD_MS[network],
      isLapsed: false,
      place: 0,
      isDropped: false,
      isConfirmed: false,
      isOffered: false,
      converted: 0n,
      returned: 0n,
    };
    const sent: Sent = { method, amount, seenAt: this.#now, ...credit, ...state };
    this.money.add(sent);
    this.#sync([{ kind: 'seen', sent }]);
  }

  #replace({ which, speedUp }: Extract<Action, { do: 'replace' }>): boolean {
    const { sent } = this.money;
    const old = sent[which % Math.max(1, sent.length)];
    if (old === undefined || old.isDropped) return false;
    const { network } = METHODS[old.method];
    const chain = this.#chains[network];
    if (speedUp) {
      const heldUntil = chain.isMined(old, this.#now) ? this.#now + HOLD_MS[network] : old.heldUntil;
      this.money.replace(old, chain.height(this.#now) + 1, heldUntil);
    }
    old.isDropped = true;
    this.#sync(old.isLapsed ? [] : [{ kind: speedUp ? 'same' : 'lost', sent: old }]);
    return true;
  }

  /** The networks that a step concerns: the payment's own, and those on which money came. */
  #networks(): Network[] {
    const used = this.money.sent.map(({ method }) => METHODS[method].network);
    return NETWORKS.filter((network) => network === this.#own || used.includes(network));
  }

  #reorganise(network: Network, depth: number): void {
    const chain = this.#chains[network];
    const height = chain.height(this.#now);
    const orphaned = this.money.sent.filter(
      (sent) =>
        METHODS[sent.method].network === network &&
        chain.isMined(sent, this.#now) &&
        sent.block > height - depth,
    );
    for (const sent of orphaned)
      Object.assign(sent, { block: height + 1, heldUntil: this.#now + HOLD_MS[network] });
    if (orphaned.length > 0) this.#sync(orphaned.map((sent) => ({ kind: 'orphaned', sent })));
  }

  /** The service learns of `changes`, and of what has confirmed on `networks` by now. */
  #sync(changes: readonly Change[], networks: readonly Network[] = NETWORKS): void {
    const mined = this.money.sent.filter((sent) => sent.isLapsed && this.#isMinedOn(networks, sent));
    for (const sent of mined) {
      const amount = sent.amount * this.pricing.rateOf(sent.method);
      this.money.comeBack(sent, this.#now, ratioDown(amount, 1n, ONE, CREDIT_UNIT));
    }
    const back = this.money.sent.filter((sent) => mined.includes(sent));
    this.money.confirm(this.#chains, networks, this.#now);
    this.payment.sync([...changes, ...back.map((sent) => ({ kind: 'seen' as const, sent }))]);
  }

  #isMinedOn(networks: readonly Network[], sent: Sent): boolean {
    const { network } = METHODS[sent.method];
    return networks.includes(network) && this.#chains[network].isMined(sent, this.#now);
  }

  /** What is not mined by the end of its time stops to hold rate and deadline. */
  #lapse(): void {
    const over = this.#unmined.filter(({ heldUntil }) => heldUntil === this.#now);
    if (over.length === 0) return;
    this.money.lapse(over);
    this.payment.sync([]);
  }

  get #unmined(): Sent[] {
    return this.money.standing.filter((sent) => !this.#isMinedOn(NETWORKS, sent));
  }

  /** What follows at once: expiry, new quotes, conversion, and refunds that are on their way. */
  #endMoment(): void {
    this.payment.endMoment(this.#now);
    if (this.payment.isShort) this.pricing.requote(this.money.standing, this.#now);
  }

  #nextMoment(): number | null {
    const moments = this.money.standing
      .filter(({ isConfirmed }) => !isConfirmed)
      .map((sent) => this.#chains[METHODS[sent.method].network].confirmedAt(sent));
    const lapsed = this.money.sent.filter(({ isLapsed, isDropped }) => isLapsed && !isDropped);
    moments.push(...lapsed.map((sent) => this.#chains[METHODS[sent.method].network].minedAt(sent)));
    moments.push(...this.#unmined.map(({ heldUntil }) => heldUntil).filter((end) => end > this.#now));
    if (this.payment.isShort) moments.push(this.payment.deadline);
    for (const { status, sendAt } of this.money.refunds) if (status === 'PENDING') moments.push(sendAt);
    const lockEnd = this.pricing.nextLockEnd(this.#now);
    if (lockEnd !== null) moments.push(lockEnd);
    return moments.length === 0 ? null : Math.min(...moments);
  }
}
