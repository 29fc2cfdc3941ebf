import type { Network, Sent } from './chain.ts';

export type Status = 'WAITING' | 'PENDING' | 'PROCESSING' | 'SETTLED' | 'EXPIRED' | 'FAILED' | 'REFUNDED';

export interface Terms {
  readonly cents: number;
  readonly minutes: number;
  readonly policy: {
    readonly underpaid: 'wait' | 'accept';
    readonly underpaid_tolerance_percent: number;
    readonly late: 'honour' | 'refund';
    readonly overpaid: 'keep' | 'refund_excess';
  };
}

export type Action =
  | { readonly do: 'wait' }
  | { readonly do: 'transfer'; readonly cents: number; readonly network: Network }
  /** The index of a transfer sent so far, modulo their number. */
  | { readonly do: 'replace'; readonly which: number }
  | { readonly do: 'reorg'; readonly depth: number }
  | { readonly do: 'mine'; readonly blocks: number }
  | { readonly do: 'fail_conversion' }
  /** Null: all that is left. */
  | { readonly do: 'refund'; readonly cents: number | null };

export type Change = { readonly kind: 'seen' | 'orphaned' | 'dropped'; readonly sent: Sent };

/** `underpaid` and `overpaid` follow the sum; the others are permanent. */
export function addExceptions(
  exceptions: Set<string>,
  changes: readonly Change[],
  { isLate, over, received }: { isLate: boolean; over: number; received: number },
): void {
  if (changes.some(({ kind }) => kind === 'dropped')) exceptions.add('replaced');
  if (changes.some(({ kind }) => kind === 'orphaned')) exceptions.add('reorged');
  if (isLate) exceptions.add('late');
  exceptions.delete('underpaid');
  exceptions.delete('overpaid');
  if (over > 0) exceptions.add('overpaid');
  if (over < 0 && received > 0) exceptions.add('underpaid');
}

/** True when the transfers that count reach the price less the tolerance, plus the refunds. */
export function isEnough(
  { cents, minutes, policy }: Terms,
  some: readonly Sent[],
  refunded: number,
): boolean {
  const tolerated = policy.underpaid === 'accept' ? (cents * policy.underpaid_tolerance_percent) / 100 : 0;
  const value = sum(some.filter(({ at }) => policy.late === 'honour' || at < minutes * 60_000));
  return value > 0 && value >= cents - tolerated + refunded;
}

/** Returns the sum in cents. */
export function sum(some: readonly Sent[]): number {
  return some.reduce((total, { cents }) => total + cents, 0);
}

/** Returns the due refund by policy, of the cents that are left. */
export function owedBack(
  { cents, policy }: Terms,
  { status, left, isLateForGood }: { status: Status; left: number; isLateForGood: boolean },
): number {
  if (policy.late === 'refund' && status === 'EXPIRED' && isLateForGood) return left;
  return policy.overpaid === 'refund_excess' && status === 'SETTLED' ? left - cents : 0;
}
