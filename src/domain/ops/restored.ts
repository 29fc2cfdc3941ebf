import { REST_SECONDS } from '../exchange/addresses.ts';
import { beginEpoch, isElsewhere } from '../events/epoch.ts';
import { forgetAllCounts } from '../overview/counts/count.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { reconcileOnce } from './reconcile.ts';
import { IS_BEGUN } from '../payments/conversions/states.ts';
import { IS_PENDING } from '../payments/refunds/states.ts';

/** Processes that must not run while the feed is numbered again. */
const servingProcesses = sql<{ pid: number; application_name: string }>(
  'serving_processes',
  `SELECT pid, application_name FROM pg_stat_activity
   WHERE datname = current_database() AND application_name ~ '^(web|worker|watcher|dev) ' ORDER BY pid`,
);

/** What a restored backup says about what happens next. */
export interface RestoreFacts {
  readonly epoch: string;
  readonly events: number;
  /** Whether the database is a dump that was restored into another cluster. */
  readonly other_cluster: boolean;
  /** When its newest payment was created: what came later is lost in it. Null: it has none. */
  readonly newest_payment_at: string | null;
  readonly pending_refunds: readonly string[];
  readonly pending_conversions: readonly string[];
  readonly pending_deliveries: number;
  readonly restored_jobs: number;
  /** Wallets whose next indices are left out. */
  readonly wallets: number;
  /** Deposit addresses at exchanges that rest. */
  readonly exchange_addresses: number;
}

const remains = sql<{
  newest_payment_at: Date | null;
  pending_refunds: string[];
  pending_conversions: string[];
  pending_deliveries: number;
}>(
  'what_a_restore_repeats',
  `SELECT
     (SELECT created_at FROM payments WHERE test_clock IS NULL ORDER BY id DESC LIMIT 1) AS newest_payment_at,
     ARRAY(SELECT id FROM refunds r WHERE ${IS_PENDING('r')} ORDER BY id LIMIT 1000) AS pending_refunds,
     ARRAY(SELECT DISTINCT payment_id FROM conversions c WHERE ${IS_BEGUN('c')} ORDER BY 1 LIMIT 1000)
       AS pending_conversions,
     (SELECT count(*)::int FROM deliveries WHERE status = 'pending') AS pending_deliveries`,
);

/** More payments of one wallet than a backup is ever behind. */
const LEFT_OUT_INDICES = 10_000;

const leaveOutIndices = sql<{ id: string }>(
  'leave_out_deposit_indices',
  `UPDATE wallets SET next_index = next_index + ${LEFT_OUT_INDICES} RETURNING id`,
);

// As if they were given at the end of their rest: payments of since the backup that have them are not known.
const restAddresses = sql<{ address: string }, { until: Date }>(
  'rest_exchange_addresses',
  (p) => `UPDATE exchange_addresses SET given_at = ${p.until} WHERE retired_at IS NULL RETURNING address`,
);

/** The processes that write events and are connected to the database, as `application_name (pid)`. */
export async function servingNow(connection: Connection): Promise<string[]> {
  const rows = await run(connection, servingProcesses, []);
  return rows.map(({ pid, application_name }) => `${application_name} (pid ${pid})`);
}

/**
 * Makes a database ready that was restored from a backup, before a process serves it: the feed begins a new
 * epoch, jobs that rows lack are scheduled, and indices of wallets are left out that were given out since the
 * backup: customers still have those addresses. At an exchange there are no others: all of them rest. Leases
 * need nothing: they end at times of before the backup. Returns what an operator must check.
 */
export async function afterRestore(ctx: Context): Promise<RestoreFacts> {
  const otherCluster = await isElsewhere(ctx.db);
  const begun = await ctx.db.transaction(async (tx) => {
    await forgetAllCounts(tx);
    return beginEpoch(tx, ctx.now());
  });
  const wallets = (await run(ctx.db, leaveOutIndices, [])).length;
  const rested = await run(ctx.db, restAddresses, { until: addSeconds(ctx.now(), REST_SECONDS) });
  const restoredJobs = await reconcileOnce(ctx);
  const row = await runOne(ctx.db, remains, []);
  if (row === null) throw new Error('the remains have no row');
  return {
    ...begun,
    ...row,
    other_cluster: otherCluster,
    newest_payment_at: row.newest_payment_at?.toISOString() ?? null,
    restored_jobs: restoredJobs,
    wallets,
    exchange_addresses: rested.length,
  };
}

/** The facts as text for operators: what was done, and what they must do before and after the start. */
export function restoreText(facts: RestoreFacts): string {
  const since = facts.newest_payment_at ?? 'the backup';
  const listed = (ids: readonly string[]) => (ids.length === 0 ? '' : `: ${ids.join(' ')}`);
  return `The feed begins again: ${facts.events} events are numbered in their order, and cursors from before get 400.
${facts.restored_jobs} jobs were missing and are scheduled again.
The next ${LEFT_OUT_INDICES} indices of ${facts.wallets} wallets are left out: addresses of since the backup go to nobody else.
${facts.exchange_addresses} deposit addresses at exchanges rest for 25 hours: no new payment takes money there until then.

Before you start workers:
- Empty the Redis of the queues (FLUSHDB): it may know jobs of rows that are gone. Postgres fills it again.
- ${facts.pending_refunds.length} refunds and ${facts.pending_conversions.length} conversions are pending and are sent when workers start. What was sent after
  the backup is sent with the same id: ask the provider that it took it once.
  refunds${listed(facts.pending_refunds)}
  conversions of payments${listed(facts.pending_conversions)}
- API keys and webhook secrets are those of the backup: revoke and rotate again what was since ${since}.
After the start:
- Payments after ${since} are gone. Their customers may still pay: nobody credits that money.
  Compare with the merchants' orders and the logs of web since then.
- Transfers since then are read again from the chain, and credited once.
- ${facts.pending_deliveries} deliveries are pending. What was delivered since then is delivered again, with the same event id.
- Tell readers of GET /v1/events: they go on with after= the id of an event that they know.`;
}
