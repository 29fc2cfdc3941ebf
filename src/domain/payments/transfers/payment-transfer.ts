import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { CreditedTransfer } from './credit.ts';

/** A transfer to one of a payment's addresses. */
export interface PaymentTransfer extends CreditedTransfer {
  readonly payment_id: string;
  readonly network: NetworkId;
  readonly tx_hash: string;
  readonly coin: CoinId;
  /** Null: the chain cannot say. */
  readonly sender: string | null;
  readonly seen_at: Date;
  /** Height of its block; a bigint, thus a string. Null: in the pool, or dropped. */
  readonly block_height: string | null;
  /** Blocks from the transfer's own to its network's head, both included; 0 in the pool. */
  readonly confirmations: number;
  readonly confirmed_at: Date | null;
  readonly dropped_at: Date | null;
  /** Number of the conversion that took, or was to take, its money; null: none did. */
  readonly conversion: number | null;
}

/** True for money that the chain has not dropped. */
export const isStanding = ({ dropped_at }: Pick<PaymentTransfer, 'dropped_at'>): boolean =>
  dropped_at === null;

/** True for money that can be converted, booked and sent back: mined deep enough, and not dropped. */
export const isConfirmed = (transfer: PaymentTransfer): boolean =>
  isStanding(transfer) && transfer.confirmed_at !== null;
