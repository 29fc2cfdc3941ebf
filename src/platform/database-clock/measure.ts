import { runOne, sql, type Db } from '../postgres/db.ts';
import type { Measurement } from './time.ts';

// Not now(): in a transaction that is the time of its begin.
const databaseTime = sql<{ milliseconds: number }>(
  'database_time',
  'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS milliseconds',
);

/** One of them is quick, even while the pool and the process are busy. */
const SAMPLES = 4;

/**
 * Asks the database for its time a few times and returns the sample of the shortest round trip. Rejects with
 * the driver's error when there is none.
 */
export async function measure(db: Db, monotonic = () => performance.now()): Promise<Measurement> {
  let best = await takeSample(db, monotonic);
  for (let i = 1; i < SAMPLES; i += 1) {
    const sample = await takeSample(db, monotonic).catch(() => best);
    if (sample.errorMs < best.errorMs) best = sample;
  }
  return best;
}

async function takeSample(db: Db, monotonic: () => number): Promise<Measurement> {
  const begin = monotonic();
  const row = await runOne(db, databaseTime, []);
  const end = monotonic();
  if (row === null) throw new Error('the time of the database has no row');
  return { at: (begin + end) / 2, time: row.milliseconds, errorMs: (end - begin) / 2 };
}
