import type { Client } from 'pg';

/** What Postgres needs to count its statements; planning is a large part of short ones. */
export const COUNTING_FLAGS = [
  '-c',
  'shared_preload_libraries=pg_stat_statements',
  '-c',
  'pg_stat_statements.track_planning=on',
  '-c',
  'pg_stat_statements.max=10000',
];

const MOST = 25;

interface Counted {
  readonly calls: string;
  readonly total_ms: number;
  readonly plan_ms: number;
  readonly mean_ms: number;
  readonly rows: string;
  readonly text: string;
}

/** Prints the statements of a database, our own and the queue's, that took the most time of the server. */
export async function printStatements(db: Client): Promise<void> {
  await db.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const { rows } = await db.query<Counted>(
    `SELECT calls, total_exec_time + total_plan_time AS total_ms, total_plan_time AS plan_ms,
       (total_exec_time + total_plan_time) / greatest(calls, 1) AS mean_ms, rows,
       regexp_replace(query, '\\s+', ' ', 'g') AS text
     FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY total_ms DESC LIMIT ${MOST}`,
  );
  console.log('\n     ms   planning    calls   ms each     rows  statement');
  for (const { total_ms, plan_ms, calls, mean_ms, rows: count, text } of rows)
    console.log(
      `${total_ms.toFixed(0).padStart(7)} ${plan_ms.toFixed(0).padStart(10)} ${calls.padStart(8)} ` +
        `${mean_ms.toFixed(3).padStart(9)} ${count.padStart(8)}  ${text.trim().slice(0, 110)}`,
    );
}
