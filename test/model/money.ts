import type { ModelChain } from './chain.ts';
import { METHODS, SETTLEMENT, type Network } from './coins.ts';
import { format, ratioDown, sumOf } from './decimal.ts';
import { ModelLedger } from './ledger.ts';
import {
  aboveDust,
  allHeld,
  cameFromOneWallet,
  canTake,
  creditOfParts,
  isPayable,
  settledAsItCame,
  settledLeft,
  splitExcess,
  type Parts,
  type Refund,
} from './returns.ts';
import { creditOfHeld, type Sent } from './transfers.ts';

/** A refund that somebody asks for or the policy owes. */
type Proposal = Omit<Refund, 'status' | 'sendAt'>;

/** The money of one payment: its transfers, its refunds and its ledger. */
export class Money {
  refunds: Refund[] = [];
  readonly ledger = new ModelLedger();
  /** Networks for which the customer gave an address on the page. */
  readonly given = new Set<Network>();
  /** The sum of the refunds that were paid out, in the settlement coin. */
  refunded = 0n;
  #sent: Sent[] = [];
  readonly #price: bigint;
  /** What came is sold for the settlement coin; else it stays what it is. */
  readonly sells: boolean;

  constructor(price: bigint, sells: boolean) {
    this.#price = price;
    this.sells = sells;
  }

  /** Every transfer, oldest first; one that replaces another stands beside it. */
  get sent(): readonly Sent[] {
    return this.#sent;
  }

  get standing(): Sent[] {
    return this.#sent.filter(({ isDropped, isLapsed }) => !isDropped && !isLapsed);
  }

  get confirmed(): Sent[] {
    return this.standing.filter(({ isConfirmed }) => isConfirmed);
  }

  get received(): bigint {
    return sumOf(this.standing, ({ credit }) => credit);
  }

  get hasOpenRefund(): boolean {
    return this.refunds.some(({ status }) => status !== 'COMPLETED');
  }

  /** What was paid: in the coin when only one came, else in the settlement coin. */
  get paid(): { amount: string; coin: string } {
    const coins = new Set(this.confirmed.map(({ method }) => METHODS[method].coin));
    const [only] = coins;
    if (coins.size === 1 && only !== undefined)
      return { amount: format(sumOf(this.confirmed, ({ amount }) => amount)), coin: only };
    return { amount: format(sumOf(this.confirmed, ({ credit }) => credit)), coin: METHODS[SETTLEMENT].coin };
  }

  /** What has settled as it came. */
  get settledAs(): string {
    const settled = this.confirmed.filter(({ converted }) => converted > 0n);
    const [method, ...others] = new Set(settled.map((sent) => sent.method));
    if (method !== undefined && others.length === 0)
      return `${method === SETTLEMENT ? 'par' : 'as_received'} ${method} ${format(sumOf(settled, ({ converted }) => converted))}`;
    const coins = new Set(settled.map((sent) => METHODS[sent.method].coin));
    const networks = new Set(settled.map((sent) => METHODS[sent.method].network));
    const only = (names: ReadonlySet<string>) => (names.size === 1 ? [...names][0] : 'null');
    const amount = coins.size === 1 ? format(sumOf(settled, ({ converted }) => converted)) : 'null';
    return `as_received ${only(coins)} ${only(networks)} ${amount}`;
  }

  add(sent: Sent): void {
    this.#sent.push(Object.assign(sent, { place: this.#sent.length }));
    this.#sort();
  }

  #sort(): void {
    this.#sent.sort((a, b) => a.seenAt - b.seenAt || a.place - b.place);
  }

  /** Transfers that stop to hold now: of others the coins are committed already. */
  lapse(some: readonly Sent[]): void {
    for (const sent of some)
      if (!sent.isOffered && sent.returned === 0n)
        Object.assign(sent, { isLapsed: true, credit: 0n, lockedAmount: 0n, lockedCredit: 0n });
  }

  /** A transfer that had lapsed is mined: it is money that comes now, at the market's rate. */
  comeBack(sent: Sent, now: number, credit: bigint): void {
    Object.assign(sent, { isLapsed: false, seenAt: now, credit });
    this.#sort();
  }

  /** Books what confirmed on `networks` by now, and takes back what did no longer. */
  confirm(chains: Record<Network, ModelChain>, networks: readonly Network[], now: number): void {
    for (const sent of this.#sent) {
      const { network } = METHODS[sent.method];
      const isConfirmed = chains[network].hasConfirmed(sent, now);
      if (!networks.includes(network) || isConfirmed === sent.isConfirmed) continue;
      sent.isConfirmed = isConfirmed;
      this.ledger.receive(sent.method, isConfirmed ? sent.amount : -sent.amount);
    }
  }

  /** What a settled payment converts, and what it sends back by policy. */
  split(returnsExcess: boolean): { converted: Parts; excess: Parts } {
    if (returnsExcess) return splitExcess(this.#price, this.standing);
    const waiting = this.confirmed.filter(({ isOffered }) => !isOffered);
    return { converted: allHeld(waiting), excess: new Map() };
  }

  /** Offers `parts` to the exchange, which takes all of them or none. */
  convert(parts: Parts, isRefused: boolean): void {
    for (const [sent, coins] of parts) {
      if (coins > 0n) sent.isOffered = true;
      if (isRefused) continue;
      if (this.sells) this.ledger.convert(sent.method, coins, creditOfHeld(sent, coins));
      else this.ledger.settle(sent.method, coins);
      sent.converted += coins;
    }
  }

  /** Accepts the refunds of what is held in `parts`, one for each coin and network. */
  sendBack(parts: Parts, to: Network | null = null): void {
    this.#accept(proposals(parts), to);
  }

  /**
   * A refund that the merchant asks for. Of a settled payment, a sum of what was settled; of another,
   * everything, in the coins that came. Returns false, without a change, when it must be refused.
   */
  refund(asked: bigint | null, to: Network | null, isSettled: boolean): boolean {
    const propose = (credit: bigint | null) =>
      !isSettled ? [] : this.sells ? this.#soldProposals(credit) : this.#settledProposals(credit);
    // A sum of what was settled, or everything: what is held goes back whole.
    const all = [...propose(null), ...proposals(allHeld(this.confirmed))];
    const isAll = asked === null || asked === sumOf(all, (one) => one.credit);
    const some = isAll ? all : propose(asked);
    if (some.length === 0) return false;
    if (to !== null && !some.every(({ method }) => canTake(to, METHODS[method].network))) return false;
    this.#accept(some, to);
    return true;
  }

  /** True when the customer's address is accepted: one for each network. */
  giveAddress(network: Network): void {
    this.given.add(network);
    for (const refund of this.refunds)
      if (refund.status === 'NEEDS_ADDRESS' && METHODS[refund.method].network === network)
        refund.status = 'PENDING';
  }

  /** True when all coins that a refund reserved are confirmed. */
  isCovered({ parts }: Refund): boolean {
    return [...parts.keys()].every(({ isConfirmed }) => isConfirmed);
  }

  /** True when a transfer of which it reserved coins is gone for good. */
  hasLost({ parts }: Refund): boolean {
    return [...parts.keys()].some(({ isDropped }) => isDropped);
  }

  /** Takes back a refund that was not paid out: its coins are held again. */
  withdraw(refund: Refund): void {
    this.refunds = this.refunds.filter((other) => other !== refund);
    for (const [sent, coins] of refund.parts) sent.returned -= coins;
  }

  /**
   * A transfer that replaces another and pays the same address is the same money, and all that became of it.
   */
  replace(old: Sent, block: number, heldUntil: number): void {
    const same = { ...old, block, heldUntil, isConfirmed: false };
    this.add(same);
    for (const { parts } of this.refunds) {
      const coins = parts.get(old);
      if (coins !== undefined && parts.delete(old)) parts.set(same, coins);
    }
    old.converted = 0n;
    old.returned = 0n;
  }

  /** Pays a refund out. */
  complete(refund: Refund): void {
    refund.status = 'COMPLETED';
    this.refunded += refund.credit;
    this.ledger.sendBack(refund.method, refund.source === 'held' ? 'held' : 'merchant', refund.coins);
  }

  /** A sum out of what one coin was settled in; null: all of each. None when it cannot be paid. */
  #settledProposals(asked: bigint | null): Proposal[] {
    const left = settledAsItCame(this.confirmed, this.refunds);
    const common = { source: 'settled', parts: new Map() } as const;
    if (asked === null) return left.map((one) => ({ ...one, ...common }));
    const from = left.find(({ credit }) => asked <= credit);
    if (from === undefined || asked % METHODS[SETTLEMENT].unit !== 0n) return [];
    const { unit, dust } = METHODS[from.method];
    const coins = ratioDown(asked, from.coins, from.credit, unit);
    return coins <= dust ? [] : [{ method: from.method, coins, credit: asked, ...common }];
  }

  /** A sum of what was sold; null: all of it. None when it cannot be paid. */
  #soldProposals(asked: bigint | null): Proposal[] {
    const left = settledLeft(this.confirmed, this.refunds);
    const credit = asked ?? ratioDown(left, 1n, 1n, METHODS[SETTLEMENT].unit);
    if (credit > left || !isPayable(credit)) return [];
    return [{ method: SETTLEMENT, source: 'settled', coins: credit, credit, parts: new Map() }];
  }

  #accept(some: readonly Proposal[], to: Network | null): void {
    for (const refund of some) {
      const { network } = METHODS[refund.method];
      const hasAddress =
        to !== null || this.given.has(network) || cameFromOneWallet(refund.method, this.standing);
      for (const [sent, coins] of refund.parts) sent.returned += coins;
      this.refunds.push({ ...refund, status: hasAddress ? 'PENDING' : 'NEEDS_ADDRESS', sendAt: 0 });
    }
  }
}

function proposals(parts: Parts): Proposal[] {
  return [...aboveDust(parts)].map(([method, group]) => ({
    method,
    source: 'held' as const,
    coins: sumOf(group.values(), (coins) => coins),
    credit: creditOfParts(group),
    parts: group,
  }));
}
