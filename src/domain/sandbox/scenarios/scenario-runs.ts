import { claimAfterwards } from '../../idempotency/afterwards.ts';
import { replayOf } from '../../idempotency/claim.ts';
import type { IdempotencyClaim, Reply } from '../../api/endpoint.ts';
import { run, sql, type Db, type Tx } from '../../../platform/postgres/db.ts';

// A row of scenario_runs commits with the payment of its scenario: a process that dies at any moment later
// leaves a row that the sweep finds.

const insertRun = sql<never, { paymentId: string }>(
  'begin_scenario_run',
  (p) => `INSERT INTO scenario_runs (payment_id) VALUES (${p.paymentId})`,
);
const updateRun = sql<never, { paymentId: string; systemNow: Date }>(
  'end_scenario_run',
  (p) => `UPDATE scenario_runs SET ended_at = ${p.systemNow} WHERE payment_id = ${p.paymentId}`,
);

/** Records that a scenario runs on this payment. */
export async function beginRun(tx: Tx, paymentId: string): Promise<void> {
  await run(tx, insertRun, { paymentId });
}

/**
 * Records that a scenario has run to its end, together with its reply for the claim, and returns the reply;
 * that of another request, and records nothing, when one with this claim was faster.
 */
export function endRun(
  db: Db,
  paymentId: string,
  { claim, reply, systemNow }: { claim: IdempotencyClaim | null; reply: Reply; systemNow: Date },
): Promise<Reply> {
  return db.transaction(async (tx) => {
    const isFirst = await claimAfterwards(tx, claim, reply, systemNow);
    if (!isFirst && claim !== null) return replayOf(tx, claim);
    await run(tx, updateRun, { paymentId, systemNow });
    return reply;
  });
}
