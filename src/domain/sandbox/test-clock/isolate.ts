import { chainKey } from '../../chain/chain-key.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { TestChain } from '../../chain/test-chain.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import type { Payment } from '../../payments/lifecycle/payment.ts';
import { schedule } from '../../schedule/store.ts';
import { isolateDeliveries } from '../../webhooks/endpoints/isolate.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';

const addressesOfPayment = sql<{ network: NetworkId; address: string }, { paymentId: string }>(
  'addresses_of_payment',
  (p) => `
    SELECT DISTINCT network, address FROM quotes WHERE payment_id = ${p.paymentId} ORDER BY network`,
);
const copyCursor = sql<never, { from: string; to: string }>(
  'copy_chain_cursor',
  (p) => `
    INSERT INTO chain_cursors (chain, cursor, head, final_height)
    SELECT ${p.to}, cursor, head, final_height FROM chain_cursors WHERE chain = ${p.from}
    ON CONFLICT DO NOTHING`,
);

/**
 * Moves a payment's transfers to its own chains, which follow its test clock. The caller has locked its row.
 */
export async function isolatePayment(ctx: Context, tx: Tx, chain: TestChain, { id }: Payment): Promise<void> {
  const testClock = { id, offsetMs: 0, frozenUntil: null };
  for (const { network, address } of await run(tx, addressesOfPayment, { paymentId: id })) {
    const own = chainKey(network, id);
    await chain.isolate(tx, { network, address, testClock: id });
    await run(tx, copyCursor, { from: network, to: own });
    await schedule(tx, [{ job: syncChain, key: own, runAt: ctx.now(), testClock }]);
  }
}

// The primary key of scheduled_jobs begins with the job.
const moveJobs = sql<never, { paymentId: string; jobs: readonly string[] }>(
  'move_jobs_to_test_clock',
  (p) => `
    UPDATE scheduled_jobs SET test_clock = ${p.paymentId}
    WHERE test_clock IS NULL AND job = ANY (${p.jobs}) AND key = ANY (ARRAY(
      SELECT ${p.paymentId}::text
      UNION ALL SELECT id FROM events WHERE payment_id = ${p.paymentId}
      UNION ALL SELECT id FROM refunds WHERE payment_id = ${p.paymentId}))`,
);

/**
 * Makes a payment's jobs follow its test clock: when it is isolated, and later the jobs scheduled by a worker
 * that had begun before. `jobs` are the names of all jobs.
 */
export async function isolateJobs(
  tx: Tx,
  paymentId: string,
  { jobs, systemNow }: { jobs: readonly string[]; systemNow: Date },
): Promise<void> {
  await run(tx, moveJobs, { paymentId, jobs });
  await isolateDeliveries(tx, paymentId, systemNow);
}
