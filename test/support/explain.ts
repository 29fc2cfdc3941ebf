import { poolOf, type Db, type Tx } from '../../src/platform/postgres/db.ts';

/** Postgres decides by itself which of the two a prepared statement gets; both must be good. */
const PLAN_MODES = ['force_custom_plan', 'force_generic_plan'] as const;

/** Returns EXPLAIN ANALYZE of each statement of `work`, once with each kind of plan. Nothing is committed. */
export async function explain(db: Db, work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  for (const mode of PLAN_MODES) {
    const connection = await poolOf(db).connect();
    const tx = await db.transaction(undefined, { connection });
    try {
      await tx.raw(
        `LOAD 'auto_explain'; SET LOCAL auto_explain.log_min_duration = 0; SET LOCAL auto_explain.log_analyze = on;
         SET LOCAL auto_explain.log_level = notice; SET LOCAL client_min_messages = notice; SET LOCAL plan_cache_mode = ${mode}`,
      );
      const { client } = connection;
      const note = ({ message }: { message?: string | undefined }) =>
        void plans.push(`${mode}\n${message ?? ''}`);
      client.on('notice', note);
      await work(tx);
      // A SELECT is only over, for auto_explain, when the next statement takes its place.
      await tx.raw('SET LOCAL client_min_messages = warning');
      client.off('notice', note);
    } finally {
      await tx.rollback();
      connection.release();
    }
  }
  return plans;
}

/** Returns the rows of a table that a plan read, those that a filter removed included. */
export function rowsRead(plan: string, table: string): number {
  const lines = plan.split('\n');
  return lines.reduce((sum, line, i) => {
    const scan = new RegExp(`Scan.* on ${table}\\b.*actual time=\\S+ rows=([\\d.]+) loops=(\\d+)`).exec(line);
    if (scan === null) return sum;
    const removed = /Rows Removed by \w+: (\d+)/.exec(lines.slice(i + 1, i + 5).join('\n'))?.[1] ?? '0';
    return sum + (Number(scan[1]) + Number(removed)) * Number(scan[2]);
  }, 0);
}
