import type { Refund } from '../store.ts';
import { isSent } from '../states.ts';

/** A refund that a transfer fits, and that was accepted before it. */
export interface Candidate extends Refund {
  readonly merchant_id: string;
  /** Since when its transaction is named; null: it names none. */
  readonly named_at: Date | null;
  /** The merchant named it. */
  readonly is_announced: boolean;
  /** A transfer of the transaction that it names fits it, and stands. */
  readonly has_own: boolean;
}

/** Which refund a transfer completes. */
export type Choice = Candidate | 'contradictory' | null;

/**
 * Returns the one of the candidates, which come oldest first, that a transfer with this hash completes, so
 * that one transfer completes one refund, and always the same: one that names the transaction, a merchant's
 * word before what the watcher found; else the oldest that names no other, or one that never came.
 *
 * `contradictory`: it fits refunds of several merchants, and none of them named it. Whoever gets it for a
 * transfer of another would be thought paid, and the other would pay twice.
 */
export function chooseRefund(candidates: readonly Candidate[], txHash: string): Choice {
  const named = candidates
    .filter(({ tx_hash }) => tx_hash === txHash)
    .toSorted((a, b) => (a.named_at?.getTime() ?? 0) - (b.named_at?.getTime() ?? 0));
  const [first] = named;
  if (first !== undefined) {
    // Another merchant's word comes too late once the watcher found it for this one.
    const { merchant_id } = first;
    return named.find((one) => one.is_announced && one.merchant_id === merchant_id) ?? first;
  }
  const free = candidates.filter(({ has_own }) => !has_own);
  if (new Set(free.map(({ merchant_id }) => merchant_id)).size > 1) return 'contradictory';
  return free.find(({ status }) => !isSent(status)) ?? free[0] ?? null;
}
