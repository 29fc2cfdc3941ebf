import { isSameAddress } from '../../../chain/addresses.ts';
import type { Outcome } from '../../../chain/port.ts';
import { compare } from '../../../../platform/values/money.ts';
import type { Refund, RefundProblem } from '../store.ts';

/** Why a transaction does not complete a refund. A merchant's program may go by the code. */
export const PROBLEMS = {
  not_found: 'its network does not know the transaction: look whether it was sent on another one',
  dropped: 'it was replaced or dropped before it was final',
  reverted: 'it was reverted, and moved nothing',
  wrong_address: 'it moves nothing to the address of the refund',
  wrong_coin: 'it moves another coin there',
  wrong_amount: 'it moves another amount there',
  too_early: 'it was sent before the refund was accepted and its address known',
  already_used: 'it has completed another refund: each needs a transaction of its own',
  claimed_elsewhere: "it fits this refund, and was counted for another merchant's: ask the operator",
  ambiguous: 'it fits refunds of several merchants: announce it, if it is yours',
  uncovered: 'it brought the money that goes back, and is not confirmed any more: do not pay before it is',
  not_scanned: 'it fits and is final, but the watcher did not see it: an operator reads its block again',
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** Returns a problem as the refund says it; `detail` says more. */
export function problemOf(code: ProblemCode, txHash: string, detail = ''): RefundProblem {
  return { code, message: `Transaction ${txHash}: ${PROBLEMS[code]}${detail}.`, tx_hash: txHash };
}

/** A refund whose announced transaction is judged. */
export type Judged = Pick<Refund, 'coin' | 'coin_amount' | 'network'> & { readonly address: string };

/**
 * Returns why an announced transaction does not complete a refund, as far as it says so itself; null: it is
 * not known, not mined yet, or fits.
 */
export function misfitOf(
  refund: Judged,
  txHash: string,
  { state, transfers }: Pick<Outcome, 'state' | 'transfers'>,
): RefundProblem | null {
  const { coin, coin_amount, network, address } = refund;
  if (state === 'reverted') return problemOf('reverted', txHash);
  if (state !== 'mined') return null;
  const there = transfers.filter((one) => isSameAddress(network, one.address, address));
  if (there.length === 0) return problemOf('wrong_address', txHash, `, ${address} on ${network}`);
  const same = there.find((one) => one.coin === coin);
  if (same === undefined)
    return problemOf('wrong_coin', txHash, `, ${there.map((one) => one.coin).join()} and not ${coin}`);
  if (compare(same.amount, coin_amount) === 0) return null;
  // What one transaction moves there is one transfer of its sum: two refunds need two transactions.
  return problemOf('wrong_amount', txHash, `, ${same.amount} ${coin} and not ${coin_amount}`);
}
