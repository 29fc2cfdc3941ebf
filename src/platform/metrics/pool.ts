import { Histogram, type Metric } from 'prom-client';
import { poolOf, type Db } from '../postgres/db.ts';
import type { ConnectionPool } from '../postgres/pool.ts';
import { gauge } from './gauge.ts';

/** The metrics of a pool of connections to Postgres, to be registered. */
export function poolMetrics(db: Db): Metric[] {
  const pool = poolOf(db);
  return [
    gauge({
      name: 'db_pool_connections',
      help: 'Connections to Postgres of the pool of this process, used and free.',
      labelNames: ['state'],
      read: () => [
        [{ state: 'used' }, pool.usedCount],
        [{ state: 'free' }, pool.idleCount],
      ],
    }),
    gauge({
      name: 'db_pool_size',
      help: 'The most connections that the pool of this process opens.',
      read: () => pool.size,
    }),
    gauge({
      name: 'db_pool_waiting',
      help: 'Callers that wait for a connection of the pool at this moment.',
      read: () => pool.waitingCount,
    }),
    waitsOf(pool),
  ];
}

function waitsOf(pool: ConnectionPool): Histogram<'outcome'> {
  const waits = new Histogram({
    name: 'db_pool_wait_seconds',
    help: 'How long callers waited for a connection of the pool, until they got it or failed.',
    labelNames: ['outcome'] as const,
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [],
  });
  // A rate counts from what was there before.
  waits.zero({ outcome: 'failed' });
  pool.onWait = (outcome, ms) => waits.observe({ outcome }, ms / 1000);
  return waits;
}
