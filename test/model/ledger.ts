import { SETTLEMENT, type Method } from './coins.ts';
import { format } from './decimal.ts';

export type Account = 'customer' | 'held' | 'converted' | 'merchant';

/** The model's own ledger: balances per coin on a network and account. */
export class ModelLedger {
  readonly #balances = new Map<string, bigint>();

  /** Money confirmed (above zero), or what had confirmed is orphaned or dropped (below). */
  receive(method: Method, coins: bigint): void {
    this.#post(method, 'customer', 'held', coins);
  }

  /** Coins become credit in the settlement coin, which is the merchant's. */
  convert(method: Method, coins: bigint, credit: bigint): void {
    this.#post(method, 'held', 'converted', coins);
    this.#post(SETTLEMENT, 'converted', 'merchant', credit);
  }

  /** Coins become the merchant's as they came. */
  settle(method: Method, coins: bigint): void {
    this.#post(method, 'held', 'merchant', coins);
  }

  sendBack(method: Method, from: 'held' | 'merchant', coins: bigint): void {
    this.#post(method, from, 'customer', coins);
  }

  balance(method: Method, account: Account): bigint {
    return this.#balances.get(`${method} ${account}`) ?? 0n;
  }

  /** Every balance that is not zero. */
  get balances(): Record<string, string> {
    const open = [...this.#balances].filter(([, balance]) => balance !== 0n);
    return Object.fromEntries(open.map(([name, balance]) => [name, format(balance)]));
  }

  #post(method: Method, from: Account, to: Account, coins: bigint): void {
    for (const [account, change] of [
      [from, -coins],
      [to, coins],
    ] as const) {
      const name = `${method} ${account}`;
      this.#balances.set(name, (this.#balances.get(name) ?? 0n) + change);
    }
  }
}
