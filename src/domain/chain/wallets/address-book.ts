import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import type { NetworkId } from '../networks.ts';

/** A payment whose deposit addresses are asked for. */
export interface Deposit {
  /** The payment's id; of a simulated payment it is all that its addresses are derived from. */
  readonly id: string;
}

/** The wallet of a payment, and its index there; null: the payment has a simulated address. */
export interface DepositPlace {
  readonly wallet_id: string | null;
  readonly deposit_index: number | null;
}

/** A payment that exists, with its place. */
export interface PlacedDeposit extends Deposit, DepositPlace {
  readonly merchant_id: string;
}

/** Derives the deposit addresses of a payment: always the same, without I/O. */
export interface AddressBook {
  /** Null: the payment takes no money on the network. */
  derive(network: NetworkId, deposit: Deposit): string | null;
}

type BookContext = Pick<Context, 'db' | 'config' | 'log'>;

/** Says where the money of payments goes. */
export interface AddressBooks {
  /**
   * Returns where a new payment takes money: no other payment gets the same place. Throws ApiError
   * network_unavailable where the caller has no wallet for its settlement network.
   */
  open(
    ctx: BookContext,
    caller: Caller,
    network: NetworkId,
  ): (DepositPlace & AddressBook) | Promise<DepositPlace & AddressBook>;
  /**
   * Returns the book of a payment that exists, which takes a place on the network that is `wanted` where it
   * has none in its family. It may read and write: call it outside any transaction. Throws ApiError
   * network_unavailable where its merchant has no wallet for the network.
   */
  of(ctx: BookContext, payment: PlacedDeposit, wanted?: NetworkId): AddressBook | Promise<AddressBook>;
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
