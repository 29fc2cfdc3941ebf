import type { CoinId } from '../../chain/coins.ts';
import type { Finality } from '../../chain/finality.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { DropReason } from '../../chain/port.ts';
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
  /** The block's hash; null as well: an earlier release saw it. */
  readonly block_hash: string | null;
  /** What makes it final. */
  readonly finality: Finality;
  /** Blocks from the transfer's own to its network's head, both included; 0 in the pool. */
  readonly confirmations: number;
  readonly confirmed_at: Date | null;
  readonly dropped_at: Date | null;
  /** When a reorganisation put it back into the pool; null: none did since it was seen. */
  readonly pooled_at: Date | null;
  /** Since when it holds nothing, and has no credit, because it was not mined in time; null: it counts. */
  readonly lapsed_at: Date | null;
  /** Number of the conversion that took, or was to take, its money; null: none did. */
  readonly conversion: number | null;
}

/** How a transfer to one of our addresses differs from its stored state. */
export interface TransferUpdate {
  readonly paymentId: string;
  /**
   * `lost`: it was dropped, and its money with it. `moved`: it is in another block now, for example its
   * first, or another transaction moves the same money.
   */
  readonly kind: 'seen' | 'lost' | 'orphaned' | 'moved';
  /** Why it was lost; null: an earlier release did not ask. */
  readonly reason: DropReason | null;
  readonly txHash: string;
  readonly coin: string;
}

/**
 * True for money that counts: the chain has not dropped it, and it was mined in time, or still may be. One
 * that lapsed counts once it is mined: what marks it then may be older than what lets it lapse.
 */
export const isStanding = ({
  dropped_at,
  lapsed_at,
  block_height,
}: Pick<PaymentTransfer, 'dropped_at' | 'lapsed_at' | 'block_height'>): boolean =>
  dropped_at === null && (lapsed_at === null || block_height !== null);

/** SQL: the same of a row of transfers. */
export const IS_STANDING = (t: string) =>
  `${t}.dropped_at IS NULL AND (${t}.lapsed_at IS NULL OR ${t}.block_height IS NOT NULL)`;

/** True for money that can be converted, booked and sent back: mined deep enough, and not dropped. */
export const isConfirmed = (transfer: PaymentTransfer): boolean =>
  isStanding(transfer) && transfer.confirmed_at !== null;
