import { Gauge, Histogram, type Metric } from 'prom-client';
import type { Db } from '../postgres/db.ts';

/** What knex's pool (tarn) reports of itself. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
  on(event: 'acquireRequest' | 'acquireSuccess' | 'acquireFail', listener: (id: number) => void): void;
}

/** The metrics of a pool of connections to Postgres, to be registered. */
export function poolMetrics(db: Db): Metric[] {
  const { pool } = db.client as { pool: Pool };
  const connections = new Gauge({
    name: 'db_pool_connections',
    help: 'Connections to Postgres of the pool of this process, used and free.',
    labelNames: ['state'] as const,
    registers: [],
    collect() {
      this.set({ state: 'used' }, pool.numUsed());
      this.set({ state: 'free' }, pool.numFree());
    },
  });
  const size = new Gauge({
    name: 'db_pool_size',
    help: 'The most connections that the pool of this process opens.',
    registers: [],
    collect() {
      this.set((db.client as { config: { pool: { max: number } } }).config.pool.max);
    },
  });
  const waiting = new Gauge({
    name: 'db_pool_waiting',
    help: 'Callers that wait for a connection of the pool at this moment.',
    registers: [],
    collect() {
      this.set(pool.numPendingAcquires());
    },
  });
  return [connections, size, waiting, waitsOf(pool)];
}

function waitsOf(pool: Pool): Histogram<'outcome'> {
  const waits = new Histogram({
    name: 'db_pool_wait_seconds',
    help: 'How long callers waited for a connection of the pool, until they got it or failed.',
    labelNames: ['outcome'] as const,
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [],
  });
  // A rate counts from what was there before.
  waits.zero({ outcome: 'failed' });
  const begun = new Map<number, number>();
  const end = (outcome: 'served' | 'failed') => (id: number) => {
    const startedAt = begun.get(id);
    if (startedAt === undefined) return;
    begun.delete(id);
    waits.observe({ outcome }, (performance.now() - startedAt) / 1000);
  };
  pool.on('acquireRequest', (id) => void begun.set(id, performance.now()));
  pool.on('acquireSuccess', end('served'));
  pool.on('acquireFail', end('failed'));
  return waits;
}
