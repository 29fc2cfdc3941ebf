import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';

/** Since when, and why, workers take no new work. */
export interface Drain {
  readonly since: Date;
  readonly reason: string | null;
}

const readRow = sql<Drain>('worker_drain', 'SELECT since, reason FROM worker_drain');

/** Returns the drain of all workers; null: they work. */
export async function readDrain(connection: Connection): Promise<Drain | null> {
  return runOne(connection, readRow, []);
}

const insertRow = sql<never, { now: Date; reason: string | null }>(
  'begin_worker_drain',
  (p) => `INSERT INTO worker_drain (since, reason) VALUES (${p.now}, ${p.reason}) ON CONFLICT DO NOTHING`,
);

/** From now on no worker leases jobs; what is under way ends. One that is on already keeps its time. */
export async function beginDrain(connection: Connection, now: Date, reason: string | null): Promise<void> {
  await run(connection, insertRow, { now, reason });
}

const deleteRow = sql<Drain>('end_worker_drain', 'DELETE FROM worker_drain RETURNING since, reason');

/** Relays go on. Returns the drain that has ended; null: there was none. */
export async function endDrain(connection: Connection): Promise<Drain | null> {
  return runOne(connection, deleteRow, []);
}

// A lease puts visible_at after run_at, within its length; so does a wait after a failure, which is no work.
const underWay = sql<{ jobs: number; endpoints: number }, { now: Date; leaseSeconds: number }>(
  'work_under_way',
  (p) => `
    SELECT (SELECT count(*)::int FROM scheduled_jobs
        WHERE visible_at > ${p.now} AND visible_at > run_at AND failures = 0 AND test_clock IS NULL
          AND visible_at <= ${p.now}::timestamptz + make_interval(secs => ${p.leaseSeconds}::float8)) AS jobs,
      (SELECT count(*)::int FROM webhook_endpoints WHERE leased_until > ${p.now}) AS endpoints`,
);

/** Returns how many jobs are leased, and to how many endpoints a run sends: 0 and 0 when all is drained. */
export async function countUnderWay(
  connection: Connection,
  now: Date,
  leaseSeconds: number,
): Promise<{ jobs: number; endpoints: number }> {
  return (await runOne(connection, underWay, { now, leaseSeconds })) ?? { jobs: 0, endpoints: 0 };
}

/** A worker notices a drain within this time; a query a pass would be 200 a second. */
const KNOWN_FOR_MS = 1_000;

/** Whether workers are drained, as a worker knows it. */
export class DrainWatch {
  #isOn = false;
  #readAt = -Infinity;

  async isOn(connection: Connection): Promise<boolean> {
    const now = performance.now();
    if (now - this.#readAt >= KNOWN_FOR_MS) {
      this.#isOn = (await readDrain(connection)) !== null;
      this.#readAt = now;
    }
    return this.#isOn;
  }
}
