import type { NetworkId } from '../../chain/networks.ts';
import { finish, recordFailure } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Handler, Job } from '../../schedule/job.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import type { AdaptersByMode, PaymentAdapters } from '../lifecycle/ports.ts';

/** The job of a live payment; its key is the payment's id, or that of one of its refunds. */
interface LiveJob {
  readonly key: string;
  readonly payment_id: string;
  readonly network: NetworkId;
}

const liveJobs = sql<LiveJob, { keys: readonly string[] }>(
  'live_jobs',
  (p) => `
    SELECT job.key, p.id AS payment_id, job.network
    FROM (
      SELECT id AS key, id AS payment_id, pay_network AS network FROM payments WHERE id = ANY (${p.keys})
      UNION ALL
      SELECT id, payment_id, network FROM refunds WHERE id = ANY (${p.keys})
    ) job JOIN payments p ON p.id = job.payment_id JOIN merchants m ON m.id = p.merchant_id
    WHERE m.mode = 'live'`,
);

/** Returns those of the jobs that belong to live payments which the simulator must not move. */
export async function findUnsimulated(
  connection: Connection,
  { modes }: Pick<PaymentAdapters, 'modes'>,
  keys: readonly string[],
): Promise<LiveJob[]> {
  return modes.includes('live') ? [] : run(connection, liveJobs, { keys });
}

/** Does a payment's job for the payments of one mode. */
type Work = (ctx: Context, adapters: PaymentAdapters, keys: readonly string[]) => Promise<void>;

/**
 * The handler of a payment's job, which runs `work` once for each mode with that mode's adapters: a live
 * payment never reaches the simulator. `unserved` says what becomes of a live payment on a network without a
 * client (it was created while SIMULATE_LIVE was on): `defer` keeps the job due and logs an error, `drop`
 * finishes it, `run` runs it, for work that skips networks which its adapters do not reach.
 */
export function byMode(
  job: Job,
  adapters: AdaptersByMode,
  work: Work,
  unserved: 'defer' | 'drop' | 'run',
): Handler {
  return {
    job,
    async handle(ctx, keys) {
      const startedAt = ctx.now();
      // Only test payments have test clocks.
      const live = ctx.testClock === null ? await findUnsimulated(ctx.db, adapters, keys) : [];
      const isServed = ({ network }: LiveJob) =>
        unserved === 'run' || adapters.live.networks.includes(network);
      const stuck = live.filter((one) => !isServed(one));
      if (unserved === 'drop') await finish(ctx.db, job, stuck.map(keyOf), startedAt);
      else for (const one of stuck) await defer(ctx, job, one);
      const liveKeys = new Set(live.map(keyOf));
      const others = keys.filter((key) => !liveKeys.has(key));
      if (others.length > 0) await work(ctx, adapters, others);
      const served = live.filter(isServed).map(keyOf);
      if (served.length > 0) await work(ctx, adapters.live, served);
    },
  };
}

const keyOf = ({ key }: LiveJob) => key;

/** Deferred one by one: each keeps its own count of failures, and does not fail the others. */
async function defer(ctx: Context, job: Job, { key, payment_id, network }: LiveJob): Promise<void> {
  const error = `no real client serves live payments on ${network}`;
  ctx.log.error('live payment not moved: no real client serves its network; the job stays due', {
    job: job.name,
    key,
    payment_id,
    network,
  });
  await recordFailure(ctx.db, job, [key], error, ctx.now());
}
