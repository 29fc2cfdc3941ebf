import { hashOf } from '../../../chain/transaction-hashes.ts';
import { schedule } from '../../../schedule/store.ts';
import { run, sql, type Tx } from '../../../../platform/postgres/db.ts';
import { sendRefund } from '../../lifecycle/jobs.ts';
import { HAS_QUARANTINED } from '../../lifecycle/quarantine.ts';
import { IS_COVERED_PART, IS_LOST_PART } from '../coverage.ts';
import type { Refund } from '../store.ts';
import { IS_HELD, IS_UNSIGNED, isUnsigned } from '../states.ts';
import { hold, takeBack } from './named.ts';
import { problemOf } from './problems.ts';

interface Reviewed extends Pick<Refund, 'id' | 'tx_hash' | 'status'> {
  readonly is_covered: boolean;
  readonly is_lost: boolean;
  /** A transfer of its coins that is not confirmed, if there is one, and else any. */
  readonly came_by: string;
}

// What is sent, or held for another reason, is decided elsewhere; what the signer was asked for may have
// left. A refund out of what was settled has no parts: what became of that is the merchant's.
const reviewed = sql<Reviewed, { paymentIds: readonly string[] }>(
  'refunds_to_review',
  (p) => `
    SELECT r.id, r.tx_hash, r.status, bool_or(${IS_LOST_PART}) AS is_lost,
      bool_and(${IS_COVERED_PART}) AND NOT ${HAS_QUARANTINED('r.payment_id')} AS is_covered,
      coalesce(min(part.tx_hash) FILTER (WHERE NOT (${IS_COVERED_PART})), min(part.tx_hash)) AS came_by
    FROM refunds r
      JOIN refund_parts part ON part.refund_id = r.id
      JOIN transfers t ON t.payment_id = part.payment_id AND t.network = part.network
        AND t.tx_hash = part.tx_hash AND t.coin = part.coin
    WHERE r.payment_id = ANY (${p.paymentIds}) AND r.offered_at IS NULL
      AND (${IS_UNSIGNED('r')} OR ${IS_HELD('r')} AND r.problem->>'code' = 'uncovered')
    GROUP BY r.id`,
);

const reopenRefund = sql<never, { id: string }>(
  'reopen_refund',
  (p) => `
    UPDATE refunds r SET status = 'PENDING', asked_at = NULL, problem = NULL
    WHERE id = ${p.id} AND (${IS_UNSIGNED('r')} OR ${IS_HELD('r')})`,
);

/** Money that a balance alone proves has no transaction. */
const NO_HASH = '-';

/**
 * Holds refunds that merchants are to pay while the coins that they send back are not confirmed any more, and
 * lets them be paid once these are again. They stay among those that a transfer completes: it may have been
 * sent already. Where coins are lost for good, the refund goes back to the service, which withdraws it. The
 * caller has locked the payments.
 */
export async function reviewAwaited(tx: Tx, paymentIds: readonly string[], now: Date): Promise<void> {
  for (const one of await run(tx, reviewed, { paymentIds })) {
    const { id, is_covered, is_lost, came_by } = one;
    if (is_lost) {
      await run(tx, reopenRefund, { id });
      await schedule(tx, [{ job: sendRefund, key: id, runAt: now, testClock: null }]);
    } else if (is_covered && !isUnsigned(one.status)) await takeBack(tx, one, null);
    else if (!is_covered && isUnsigned(one.status))
      await hold(tx, one, problemOf('uncovered', hashOf(came_by) ?? NO_HASH));
  }
}
