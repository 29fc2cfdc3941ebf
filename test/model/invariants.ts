import { expect } from 'chai';
import { CONFIRMATIONS } from './chain.ts';
import { METHOD_NAMES, METHODS, SETTLEMENT, isSettlementCoin, type Method, type Network } from './coins.ts';
import { maxOf, ONE, parse, sumOf } from './decimal.ts';
import type { Facts, TransferFact } from './facts.ts';
import type { Model } from './model.ts';
import type { Terms } from './terms.ts';

/** How long a rate may be locked, and some: a step lies between the lock and its end. */
const LOCK_MS = 15 * 60_000;

/** What holds in every state that a script reaches, checked on the service's own rows. */
export class Invariants {
  readonly #price: bigint;
  readonly #sells: boolean;
  /** The market's rates as they were, newest last. */
  readonly #market: { at: number; rates: ReadonlyMap<Method, bigint> }[] = [];
  #before: readonly TransferFact[] = [];

  constructor({ price, settlement }: Terms) {
    this.#price = parse(price);
    this.#sells = settlement === 'simulated';
  }

  check(when: string, facts: Facts, model: Model): void {
    this.#market.push({ at: model.now, rates: ratesOf(model) });
    for (const method of METHOD_NAMES) checkCoin(when, facts, method, this.#sells);
    for (const transfer of facts.transfers) checkTransfer(when, facts, transfer);
    for (const event of facts.events) checkDescribed(when, facts, event);
    this.#checkCredits(when, facts, model.now);
    this.#before = facts.transfers;
  }

  /** All that a payment at rest holds has gone back, but for dust. */
  checkNothingIsStuck({ transfers, refunds }: Facts): void {
    for (const method of METHOD_NAMES) {
      const own = transfers.filter((one) => one.method === method && one.confirmed && !one.dropped);
      expect(sumOf(own, heldOf) <= METHODS[method].dust, `${method} that nobody can move`).to.equal(true);
    }
    expect(refunds.map(({ status }) => status)).to.not.include('PENDING');
    expect(refunds.map(({ status }) => status)).to.not.include('NEEDS_ADDRESS');
  }

  /**
   * No free option. Whatever customer and market do, the service credits at most what the market paid for the
   * coins: at the moment when they came or, for money of at most one price, at a moment at most 15 minutes
   * earlier, when the rate was locked. Only credit is paid out in another coin than the one that came.
   */
  #checkCredits(when: string, { transfers }: Facts, now: number): void {
    const standing = transfers.filter(({ dropped }) => !dropped);
    const paying = standing.filter(({ returned }) => parse(returned) === 0n);
    const locked = sumOf(paying, (one) => parse(one.locked_credit));
    expect(locked <= this.#price, `more than the price at locked rates ${when}`).to.equal(true);
    const lost = (some: readonly TransferFact[]) => some.filter(({ dropped }) => dropped).length;
    // A replacement takes over the credit of the transfer that it replaces.
    if (lost(transfers) > lost(this.#before)) return;
    for (const one of transfers.slice(this.#before.length)) {
      const [amount, credit] = [parse(one.amount), parse(one.credit)];
      const method = one.method as Method;
      if (isSettlementCoin(method)) expect(credit === amount, `par ${when}`).to.equal(true);
      const rates = this.#market.map(({ at, rates }) => ({ at, rate: rates.get(method) ?? 0n }));
      const recent = rates.filter(({ at }, i) => (rates[i + 1]?.at ?? now) >= now - LOCK_MS || at === now);
      const best = recent.map(({ rate }) => rate).reduce(maxOf, 0n);
      const above = amount - parse(one.locked_amount);
      const fair = above * (rates.at(-1)?.rate ?? 0n) + parse(one.locked_amount) * best;
      expect(credit * ONE <= fair, `${one.credit} for ${one.amount} ${method} ${when}`).to.equal(true);
    }
  }
}

function ratesOf(model: Model): Map<Method, bigint> {
  return new Map(METHOD_NAMES.map((method) => [method, model.pricing.rateOf(method)]));
}

/** An event describes one transfer, whole; at settlement it has all of its confirmations. */
function checkDescribed(
  when: string,
  { transfers }: Facts,
  { event, payment }: Facts['events'][number],
): void {
  const { txHash, network, confirmations, requiredConfirmations } = payment;
  if (txHash === null) return;
  const own = transfers.filter(({ hash, method }) => hash === txHash && method.endsWith(` ${network}`));
  expect(own, `the transfer of ${event} ${when}`).to.have.length(1);
  expect(requiredConfirmations, `of ${event} ${when}`).to.equal(CONFIRMATIONS[network as Network]);
  if (event === 'settled SETTLED')
    expect(confirmations, `confirmations at settlement ${when}`).to.be.at.least(requiredConfirmations);
}

/** For each coin, in = out + held, in the ledger and between the ledger and the rows that it summarises. */
function checkCoin(when: string, facts: Facts, method: Method, sells: boolean): void {
  const balance = (account: string) => parse(facts.balances[`${method} ${account}`] ?? '0');
  const [customer, held, merchant] = [balance('customer'), balance('held'), balance('merchant')];
  const total = customer + held + balance('converted') + merchant;
  expect(total === 0n, `balance of ${method} ${when}`).to.equal(true);
  const own = facts.transfers.filter((one) => one.method === method && one.confirmed && !one.dropped);
  const received = sumOf(own, ({ amount }) => parse(amount));
  const refunds = facts.refunds.filter((one) => one.method === method && one.status === 'COMPLETED');
  const sent = (source: string) => sumOf(refunds, (one) => (one.source === source ? parse(one.coins) : 0n));
  const conversions = facts.conversions.filter(({ status }) => status === 'CONVERTED');
  const converted = sumOf(conversions, (one) => (one.method === method ? parse(one.amount) : 0n));
  const sold = method === SETTLEMENT ? sumOf(conversions, ({ credit }) => parse(credit)) : 0n;
  const settled = sells ? sold : converted;
  expect(-customer === received - sent('held') - sent('settled'), `in and out of ${method} ${when}`).to.equal(
    true,
  );
  expect(held === received - sent('held') - converted, `${method} held ${when}`).to.equal(true);
  expect(merchant === settled - sent('settled'), `${method} of the merchant ${when}`).to.equal(true);
  expect(merchant >= 0n, `${method} sent back and never settled ${when}`).to.equal(true);
  expect(held >= 0n || hasLost(facts), `${method} sent and never confirmed ${when}`).to.equal(true);
}

/**
 * Each coin of a transfer is converted (credited), returned or held (returnable); only confirmed ones move.
 */
function checkTransfer(when: string, facts: Facts, transfer: TransferFact): void {
  const { amount, method, confirmed } = transfer;
  const [converted, returned] = [parse(transfer.converted), parse(transfer.returned)];
  const name = `${amount} ${method} ${when}`;
  expect(converted >= 0n && returned >= 0n && heldOf(transfer) >= 0n, `parts of ${name}`).to.equal(true);
  const hasMoved = converted > 0n || returned > 0n;
  expect(confirmed || !hasMoved || hasLost(facts), `moved and not confirmed: ${name}`).to.equal(true);
}

/** What was confirmed when it moved may be reorganised or replaced afterwards; the ledger shows that loss. */
function hasLost({ exceptions, transfers }: Facts): boolean {
  return exceptions.includes('reorged') || transfers.some(({ dropped }) => dropped);
}

function heldOf({ amount, converted, returned }: TransferFact): bigint {
  return parse(amount) - parse(converted) - parse(returned);
}
