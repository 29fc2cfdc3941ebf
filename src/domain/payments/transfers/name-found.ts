import { hashOf, isFound } from '../../chain/transaction-hashes.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import { compare, isZero, subtract } from '../../../platform/values/money.ts';
import { moneyOf, type Money } from './credit-new.ts';
import { isStanding, type PaymentTransfer } from './payment-transfer.ts';

/**
 * Returns what a page names of money that was found by a balance before, and what is left of that: a rescan
 * or a trace finds the transfers that the balance was made of. All that a page reports up to the height of
 * the find, and that was not counted then, is part of it, as far as it reaches: it counts as it did without a
 * name. Throws where a part of it is committed to a conversion or a refund: a person decides whose part.
 */
export function nameFound(
  stored: readonly PaymentTransfer[],
  page: readonly ChainTransfer[],
  at: Date,
): ReadonlyMap<ChainTransfer, Money> {
  const named = new Map<ChainTransfer, Money>();
  for (const found of stored) {
    if (!isFound(found.tx_hash) || !isStanding(found)) continue;
    const naming = page.filter((one) => !named.has(one) && isPartOf(found, one, stored));
    const last = naming.at(-1);
    if (last === undefined) continue;
    let left = found;
    let by: ChainTransfer | null = null;
    for (const transfer of naming) {
      if (isZero(left.amount)) break;
      if (compare(transfer.amount, found.amount) !== 0) assertUncommitted(found, transfer);
      // More than was there: coins had left before. It is new money, whole, in place of what was found.
      if (compare(transfer.amount, left.amount) > 0) {
        left = { ...left, amount: '0' };
        by = null;
        break;
      }
      const money = moneyOf(left, transfer);
      named.set(transfer, money);
      by = transfer;
      left = {
        ...left,
        amount: subtract(left.amount, transfer.amount),
        credit: subtract(left.credit, money.credit),
        locked_amount: subtract(left.locked_amount, money.locked_amount),
        locked_credit: subtract(left.locked_credit, money.locked_credit),
      };
    }
    const isGone = isZero(left.amount);
    const state = isGone ? { block: null, droppedAt: at, replacedBy: by?.txHash ?? null } : STANDING;
    named.set({ ...asReported(found, last), amount: isGone ? found.amount : left.amount, ...state }, left);
  }
  return named;
}

function isPartOf(found: PaymentTransfer, one: ChainTransfer, stored: readonly PaymentTransfer[]): boolean {
  const { network, coin, block, droppedAt, txHash } = one;
  if (network !== found.network || coin !== found.coin || droppedAt !== null || hashOf(txHash) === null)
    return false;
  if (block === null || block.height > Number(found.block_height)) return false;
  const isCounted = (known: PaymentTransfer) => isStanding(known) && known.block_height !== null;
  return !stored.some((known) => known.tx_hash === txHash && known.coin === coin && isCounted(known));
}

const STANDING = { droppedAt: null, replacedBy: null };

/** Found money as a chain would report it. */
function asReported(found: PaymentTransfer, { address }: ChainTransfer): ChainTransfer {
  const { network, tx_hash: txHash, coin, amount, sender, seen_at: seenAt, block_height, block_hash } = found;
  const block = { height: Number(block_height), hash: block_hash ?? '' };
  const named = { ...STANDING, reason: null, final: true };
  return { network, txHash, coin, address, sender, amount, seenAt, block, ...named };
}

function assertUncommitted(
  { conversion, returned, tx_hash }: PaymentTransfer,
  { txHash }: ChainTransfer,
): void {
  if (conversion === null && isZero(returned)) return;
  throw new Error(
    `transfer ${txHash} is a part of ${tx_hash}, whose coins are committed to a conversion or a refund already`,
  );
}
