import type { CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';

/** The exchanges at which merchants can have an account. */
export const EXCHANGE_IDS = ['kraken'] as const;
export type ExchangeId = (typeof EXCHANGE_IDS)[number];

/** Money that came to an account, as the exchange says it. */
export interface ExchangeDeposit {
  readonly txHash: string;
  /** Where it came; null: the exchange does not say. */
  readonly address: string | null;
  /** What the account got, without a fee. */
  readonly amount: string;
  readonly state: 'credited' | 'pending' | 'failed';
}

/** How a coin is sold for another. */
export interface SaleMarket {
  /** The exchange's name of it. */
  readonly pair: string;
  readonly priceDecimals: number;
  readonly volumeDecimals: number;
  /** The smallest order, in the coin, and in what it is sold for. */
  readonly leastVolume: string;
  readonly leastValue: string;
}

/** An order to sell at once what finds a buyer at a price of at least `limit`, and nothing later. */
export interface SaleOrder {
  /** Ours; the exchange keeps it with the order. */
  readonly clientId: string;
  readonly pair: string;
  readonly volume: string;
  readonly limit: string;
  /** The exchange refuses the order after it: from then on a look-up is certain. */
  readonly deadline: Date;
}

/** What became of an order that the exchange took. */
export interface OrderFill {
  readonly exchangeId: string;
  /** Nothing more is sold by it, and all of its trades are known. */
  readonly isEnded: boolean;
  readonly sold: string;
  /** Before the fee. */
  readonly proceeds: string;
  /** Out of the proceeds. */
  readonly fee: string;
}

/** A merchant's account at an exchange. Every method throws ExchangeError. */
export interface ExchangeAccount {
  /** Returns the deposit addresses for a coin on a network. */
  listAddresses(coin: CoinId, network: NetworkId): Promise<string[]>;
  /** Makes one more deposit address; null: the exchange makes no more. */
  addAddress(coin: CoinId, network: NetworkId): Promise<string | null>;
  /** Returns what came since a time. */
  listDeposits(coin: CoinId, network: NetworkId, since: Date): Promise<ExchangeDeposit[]>;
  readMarket(coin: CoinId, settled: CoinId): Promise<SaleMarket>;
  /** Returns the exchange's own id of the order, which it has taken. */
  sell(order: SaleOrder): Promise<string>;
  /** Returns what became of an order of ours, by its trades; null: the exchange knows none of this id. */
  findOrder(order: {
    readonly clientId: string;
    readonly exchangeId: string | null;
  }): Promise<OrderFill | null>;
  /** Throws unless the key has the rights that a sale needs, and none to withdraw. */
  checkRights(): Promise<void>;
}

/**
 * What an error of an exchange means. `refused`: nothing was done, and nothing will be until a person acts.
 * `later`: nothing was done, and a later try may be. `unknown`: it may have been done.
 */
export type ErrorMeaning = 'refused' | 'later' | 'unknown';

/** What a database or a terminal might not take; an exchange's texts may hold anything. */
const UNPRINTABLE = /[^\x20-\x7e]/g;

/** A request that an exchange did not fulfil. The message holds no secret. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly meaning: ErrorMeaning;
  readonly reason: SaleReason;

  constructor(meaning: ErrorMeaning, reason: SaleReason, message: string) {
    super(message.replace(UNPRINTABLE, '?'));
    this.meaning = meaning;
    this.reason = reason;
  }
}

/** Why money is not sold yet, as merchants and operators read it. */
export const SALE_REASONS = {
  exchange_unavailable: 'the exchange does not answer, or says that it cannot now',
  rate_limited: 'the exchange takes no more requests of this account now',
  not_credited: 'the exchange has not credited the deposit',
  deposit_failed: 'the exchange has refused the deposit',
  deposit_differs: 'the exchange has credited another amount than came on the chain',
  rate_unavailable: 'there is no reference rate that can be trusted',
  price_moved: 'nobody buys within the bound below the reference rate',
  below_minimum: 'the amount is below what the exchange sells',
  insufficient_funds: 'the account does not have the coins: they were sold or withdrawn by somebody else',
  order_refused: 'the exchange has refused the order',
  key_refused: 'the exchange refuses the API key, or the key lacks a right',
  no_account: 'the merchant has no account at the exchange any more',
} as const;
export type SaleReason = keyof typeof SALE_REASONS;
