import { chainKey, isolateChain } from '../../chain/simulator/store.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { schedule } from '../../schedule/store.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import type { Payment } from '../../payments/lifecycle/payment.ts';
import { isolateDeliveries } from '../../webhooks/endpoints/isolate.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';

const addressesOfPayment = sql<{ network: NetworkId; address: string }>(
  'addresses_of_payment',
  `SELECT DISTINCT network, address FROM quotes WHERE payment_id = $1 ORDER BY network`,
);
const copyCursor = sql(
  'copy_chain_cursor',
  `INSERT INTO chain_cursors (chain, cursor, head) SELECT $2, cursor, head FROM chain_cursors WHERE chain = $1 ON CONFLICT DO NOTHING`,
);

/** Takes a payment out of the shared world: its transfers go to a chain of its own. The caller holds the payment's row. */
export async function isolatePayment(ctx: Context, tx: Tx, { id }: Payment): Promise<void> {
  for (const { network, address } of await run(tx, addressesOfPayment, [id])) {
    const chain = chainKey(network, id);
    await isolateChain(tx, network, chain, address);
    await run(tx, copyCursor, [network, chain]);
    await schedule(tx, [
      { job: syncChain, key: chain, runAt: ctx.now(), testClock: { id: id, offsetMs: 0, frozenUntil: null } },
    ]);
  }
}

// The schedule's index begins with the job.
const moveJobs = sql(
  'move_work_to_world',
  `UPDATE scheduled_jobs SET test_clock = $1
   WHERE test_clock IS NULL AND job = ANY ($2) AND key = ANY (ARRAY(
     SELECT $1::text
     UNION ALL SELECT id FROM events WHERE payment_id = $1
     UNION ALL SELECT id FROM refunds WHERE payment_id = $1))`,
);

/**
 * Makes a payment's due work follow its own clock: at the fork, and afterwards what a worker wrote that had begun in the shared world
 * before it. `jobs` are the names of all jobs.
 */
export async function isolateJobs(
  tx: Tx,
  paymentId: string,
  { jobs, systemNow }: { jobs: readonly string[]; systemNow: Date },
): Promise<void> {
  await run(tx, moveJobs, [paymentId, jobs]);
  await isolateDeliveries(tx, paymentId, systemNow);
}
