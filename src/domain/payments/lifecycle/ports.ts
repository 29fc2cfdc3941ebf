import type { ChainOf, Payouts } from '../../chain/port.ts';
import type { AddressBooks } from '../../chain/wallets/address-book.ts';
import type { RecentMarket } from '../../chain/rates/priced.ts';
import type { CurrencySource, RateSource } from '../../chain/rates/rates.ts';
import type { ChainProfile } from '../../chain/profile.ts';
import type { TestChain } from '../../chain/test-chain.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Mode } from '../../api/endpoint.ts';
import type { OpenAccount } from '../../exchange/open.ts';
import type { SettlementMode } from '../../../sdk/event-types.ts';

/** Confirmed money of one coin on one network to convert, and what it was credited with. */
export interface Conversion {
  /**
   * The payment's id and the conversion's number, `pay_.../1`. Idempotent: a reference is converted once, and
   * always comes with the same amounts.
   */
  readonly reference: string;
  readonly paid: string;
  readonly paidCurrency: CoinId;
  readonly paidNetwork: NetworkId;
  readonly settled: string;
  readonly settledCurrency: CoinId;
}

/** Converts received coins into the settlement coin. */
export interface CurrencyExchange {
  convert(conversion: Conversion): Promise<'converted' | 'refused'>;
}

/** The ports that payments use; adapters.ts selects their adapters. */
export interface PaymentAdapters {
  /** The modes of the merchants whose payments these adapters serve. */
  readonly modes: readonly Mode[];
  /** The networks that they reach. */
  readonly networks: readonly NetworkId[];
  /** True while a network is not read until an operator resumes it. */
  readonly isHalted: (network: NetworkId) => boolean;
  /** No real money moves. */
  readonly isSimulated: boolean;
  /** How new payments settle. */
  readonly settlement: SettlementMode;
  /** Which chains stand behind the networks. */
  readonly chains: ChainProfile;
  /** Pages of explorers, with `{tx}` for a transaction's hash; none on a network: no link. */
  readonly explorers: Readonly<Partial<Record<NetworkId, string>>>;
  readonly addresses: AddressBooks;
  readonly chain: ChainOf;
  readonly rates: RateSource;
  /** What has a price, as far as this process knows. */
  readonly priced: Pick<RecentMarket, 'has' | 'refresh'>;
  /** For prices in money: those that are converted, and those that are only shown. */
  readonly currencies: CurrencySource;
  readonly payouts: Payouts;
  /** Asked in a mode that converts, and sells nothing. */
  readonly exchange: CurrencyExchange;
  /** Opens the account at which the money of a merchant is sold. */
  readonly accounts: OpenAccount;
}

/** The adapters of test payments, and of live ones where `modes` says so; else `live` serves those. */
export interface AdaptersByMode extends PaymentAdapters {
  /** The simulated chain, which the sandbox controls for test merchants. */
  readonly testChain: ChainOf<TestChain>;
  readonly live: PaymentAdapters;
}

/** Returns the adapters of the payments of merchants of a mode. */
export function adaptersOf(adapters: AdaptersByMode, mode: Mode): PaymentAdapters {
  return adapters.modes.includes(mode) ? adapters : adapters.live;
}
