import { LIVE_CHAIN_KEY } from '../../chain/chain-key.ts';
import type { Job } from '../../schedule/job.ts';
import { putOff } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';

/** An operator looks at a network that has halted; what waits for it asks this often. */
const RETRY_SECONDS = 60;

interface OnHalted {
  readonly key: string;
  readonly merchant_id: string;
}

// Keys are ids of payments, or of their refunds.
const onHalted = sql<OnHalted, { keys: readonly string[] }>(
  'jobs_on_halted_networks',
  (p) => `
    SELECT DISTINCT job.key, p.merchant_id
    FROM (
      SELECT id AS key, id AS payment_id FROM payments WHERE id = ANY (${p.keys})
      UNION ALL
      SELECT id, payment_id FROM refunds WHERE id = ANY (${p.keys})
    ) job
      JOIN payments p ON p.id = job.payment_id
      JOIN transfers t ON t.payment_id = job.payment_id
      JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('t.network')}
    WHERE t.is_live AND c.halted_at IS NOT NULL`,
);

/** Does a payment's job with the adapters of one mode. */
type Work<Adapters> = (ctx: Context, adapters: Adapters, keys: readonly string[]) => Promise<void>;

/**
 * Returns the work of a job without what moves money of a network that has halted: what its blocks say is in
 * doubt, so that is put off.
 */
export function unlessHalted<Adapters>(
  job: Job,
  work: Work<Adapters>,
): Work<Adapters & Pick<PaymentAdapters, 'isSimulated'>> {
  return async (ctx, adapters, keys) => {
    const now = ctx.now();
    const halted = adapters.isSimulated ? [] : await run(ctx.db, onHalted, { keys });
    const runAt = addSeconds(now, RETRY_SECONDS);
    await putOff(
      ctx.db,
      halted.map(({ key, merchant_id: merchantId }) => ({ job, key, runAt, testClock: null, merchantId })),
      now,
    );
    const others = keys.filter((key) => !halted.some((one) => one.key === key));
    if (others.length > 0) await work(ctx, adapters, others);
  };
}
