import { transitionsTotal } from '../../../platform/metrics/measures.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import type { Status, Trigger } from './states.ts';

/** A transition as the metric counts it. */
interface Counted {
  readonly from: Status;
  readonly to: Status;
  readonly trigger: Trigger;
}

/** Counts transitions once their transaction has committed; one that is rolled back has moved nothing. */
export function countTransitions(tx: Tx, transitions: readonly Counted[]): void {
  const count = () => {
    for (const { from, to, trigger } of transitions) transitionsTotal.inc({ from, to, cause: trigger });
  };
  // The caller handles the rejection of the transaction itself.
  void tx.executionPromise.then(count, () => undefined);
}

/** Counts a payment that one statement has created and committed. */
export function countCreated(to: Status): void {
  transitionsTotal.inc({ from: 'none', to, cause: 'created' });
}
