import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import type { CoinId } from '../coins.ts';
import type { NetworkId } from '../networks.ts';

/** A payment whose deposit addresses are asked for. */
export interface Deposit {
  /** The payment's id; of a simulated payment it is all that its addresses are derived from. */
  readonly id: string;
}

/** The wallet of a payment, and its index there; null: its address is simulated, or an exchange's. */
export interface DepositPlace {
  readonly wallet_id: string | null;
  readonly deposit_index: number | null;
  /** The exchange that has the payment's addresses; null or absent: none. */
  readonly exchange?: string | null;
}

/** A place of a new payment. */
export interface NewPlace extends DepositPlace, AddressBook {}

/** What a payment is to take. */
export interface WantedMethod {
  readonly coin: CoinId;
  readonly network: NetworkId;
}

/** A payment that exists, with its place. */
export interface PlacedDeposit extends Deposit, DepositPlace {
  readonly merchant_id: string;
}

/** Derives the deposit addresses of a payment: always the same, without I/O. */
export interface AddressBook {
  /** Null: the payment takes no money on the network. Only an exchange has an address for each coin. */
  derive(network: NetworkId, deposit: Deposit, coin?: CoinId): string | null;
  /** Called where no payment has the new place after all; absent: none is new, or its loss harms nobody. */
  giveBack?(): Promise<void>;
}

type BookContext = Pick<Context, 'db' | 'config' | 'log' | 'now'>;

/** Says where the money of payments goes. */
export interface AddressBooks {
  /**
   * Returns where a new payment takes money: no other payment gets the same place. Throws ApiError
   * network_unavailable where the caller has no wallet for its settlement network.
   */
  open(ctx: BookContext, caller: Caller, network: NetworkId): NewPlace | Promise<NewPlace>;
  /**
   * Returns the book of a payment that exists, which takes a place for the method that is `wanted` where it
   * has none. It may read and write: call it outside any transaction. Throws ApiError
   * network_unavailable where its merchant has no wallet for the network.
   */
  of(ctx: BookContext, payment: PlacedDeposit, wanted?: WantedMethod): AddressBook | Promise<AddressBook>;
}

/** Books without wallets: addresses are derived from the payment's id. */
export function booksWithoutWallets(book: AddressBook): AddressBooks {
  const opened = {
    wallet_id: null,
    deposit_index: null,
    derive: (network: NetworkId, deposit: Deposit) => book.derive(network, deposit),
  };
  return { open: () => opened, of: () => book };
}
