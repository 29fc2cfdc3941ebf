import type { CoinId } from '../../chain/coins.ts';
import { isFound } from '../../chain/transaction-hashes.ts';
import { add, compare, subtract, sum } from '../../../platform/values/money.ts';
import type { BookedTransfer, PaidRefund } from './rows.ts';
import type { Moved } from './witness.ts';

/** A coin at an address of a payment: what the books have, and what is there. */
export interface Place {
  readonly payment_id: string;
  readonly wallet_id: string;
  readonly address: string;
  readonly coin: CoinId;
  /** What the ledger has up to the block, with what is about to confirm there. */
  readonly booked: string;
  /** What was there before its payment. */
  readonly baseline: string;
  /** What is there after the block; null: nobody can tell. */
  readonly held: string | null;
}

/** What is so at a place. */
export interface Compared {
  /** What has left its address. */
  readonly left: string;
  /** What no transaction proves any more: only a balance had told of it, and it has left. */
  readonly untold: string;
  /** How the ledger differs from the chain; null: it does not. */
  readonly differs: string | null;
  /** What is there and not in the ledger; null: nothing. */
  readonly unknown: string | null;
}

/** True for a place of which its balance says all: nothing has left, and nothing is there beyond. */
export const isAllThere = ({ booked, baseline, held }: Place): boolean =>
  held !== null && compare(held, add(booked, baseline)) === 0;

/** Compares a place with what the transactions move that the books name. */
export function comparePlace(
  place: Place,
  transfers: readonly BookedTransfer[],
  moved: ReadonlyMap<string, Moved>,
): Compared {
  const { address, booked, held, baseline, coin } = place;
  const amountOf = ({ tx_hash }: BookedTransfer) =>
    moved.get(tx_hash)?.find((one) => one.coin === coin && one.address === address)?.amount ?? '0';
  const isUntold = ({ tx_hash }: BookedTransfer) => isFound(tx_hash);
  const untold = sum(transfers.filter(isUntold).map(({ amount }) => amount));
  const named = transfers.filter((one) => !isUntold(one));
  const onChain = add(sum(named.map(amountOf)), untold);
  const wrong = named.filter((one) => compare(amountOf(one), one.amount) !== 0);
  const excess = held === null ? '0' : subtract(held, add(booked, baseline));
  const hasLeft = compare(excess, '0') < 0;
  return {
    left: hasLeft ? subtract('0', excess) : '0',
    untold,
    differs:
      compare(onChain, booked) === 0
        ? null
        : `the ledger has ${booked} ${coin}, the chain ${onChain}${wrong
            .map(
              (one) =>
                `; ${one.tx_hash} of block ${one.height} moves ${amountOf(one)}, and not ${one.amount}`,
            )
            .join('')}`,
    unknown:
      compare(excess, '0') > 0 ? `it holds ${held ?? '0'} ${coin}, ${excess} more than is known` : null,
  };
}

/** Returns how a refund differs from the chain; null: it is paid there. */
export function compareRefund(refund: PaidRefund, moved: ReadonlyMap<string, Moved>): string | null {
  const { tx_hash, coin, amount, address, height } = refund;
  const own = (moved.get(tx_hash) ?? []).filter((one) => one.coin === coin);
  const paid = own.filter((one) => address === null || one.address.toLowerCase() === address.toLowerCase());
  // One transfer completes one refund: a second one with its hash has none.
  if (height !== null && paid.some((one) => compare(one.amount, amount) === 0)) return null;
  const where =
    height === null ? 'no transfer that was read has completed it, and no other refund' : `block ${height}`;
  const said = paid.map((one) => one.amount).join(', ') || 'nothing';
  return `COMPLETED by ${tx_hash || 'no transaction'} (${where}): ${amount} ${coin} in the books, on the chain ${said}`;
}
