import { Gauge, type Metric } from 'prom-client';
import type { Clock } from '../../platform/clock.ts';
import type { HealthSource } from '../../domain/ops/health/monitor.ts';
import { VERSION } from '../../platform/root.ts';
import type { QueueState } from '../../domain/ops/health/queues.ts';

/** What the background knows, for metrics. */
export interface HealthState {
  readonly kind: 'web' | 'worker';
  readonly health: HealthSource;
  /** By queue, as of the latest look. */
  readonly queues: () => readonly QueueState[];
  /** What the queues hold, asked of their server; rejects where it is away. Absent: nobody knows. */
  readonly queueJobs?: () => Promise<readonly QueueJobs[]>;
}

/** What a queue holds. */
export interface QueueJobs {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly paused: number;
}

/** The metrics of health, to be registered; a scrape causes no query but one of the queues' depth. */
export function healthMetrics({ kind, health, queues, queueJobs }: HealthState, systemNow: Clock): Metric[] {
  const info = new Gauge({
    name: 'service_process_info',
    help: 'Always 1: this process is there, web or worker. An alert fires where there is none of a kind.',
    labelNames: ['process', 'version'],
    registers: [],
  });
  info.set({ process: kind, version: VERSION }, 1);
  const failing = new Gauge({
    name: 'health_check_failing',
    help: 'Which checks make the status degraded: 1 for each that fails now.',
    labelNames: ['check'],
    registers: [],
    async collect() {
      this.reset();
      const { isReachable, faults } = await health.report();
      if (!isReachable) this.set({ check: 'postgres' }, 1);
      for (const { check } of faults) this.set({ check }, 1);
    },
  });
  const late = new Gauge({
    name: 'queue_oldest_due_seconds',
    help: 'How long ago the oldest job of the queue that is due should have run, leased or not.',
    labelNames: ['queue'],
    registers: [],
    collect() {
      this.reset();
      for (const { queue, oldestDueAt } of queues())
        this.set({ queue }, secondsSince(oldestDueAt, systemNow()) ?? 0);
    },
  });
  const due = new Gauge({
    name: 'queue_due_jobs',
    help: 'Jobs of the queue that are due and not finished, up to 1000 of each kind.',
    labelNames: ['queue'],
    registers: [],
    collect() {
      this.reset();
      for (const { queue, due: count } of queues()) this.set({ queue }, count);
    },
  });
  const failed = new Gauge({
    name: 'queue_failing_jobs',
    help: 'Jobs of the queue that failed the last time and are tried again.',
    labelNames: ['queue'],
    registers: [],
    collect() {
      this.reset();
      for (const { queue, failing: count } of queues()) this.set({ queue }, count);
    },
  });
  const finished = new Gauge({
    name: 'queue_last_finished_seconds',
    help: 'How long ago a worker last finished a job of the queue.',
    labelNames: ['queue'],
    registers: [],
    collect() {
      this.reset();
      for (const { queue, finishedAt } of queues()) {
        const seconds = secondsSince(finishedAt, systemNow());
        if (seconds !== null) this.set({ queue }, seconds);
      }
    },
  });
  const workers = new Gauge({
    name: 'queue_workers',
    help: 'Workers that serve the queue and have reported within 15 s.',
    labelNames: ['queue'],
    registers: [],
    collect() {
      this.reset();
      for (const { queue, workers: count } of queues()) this.set({ queue }, count);
    },
  });
  const depth = new Gauge({
    name: 'queue_jobs',
    help: 'Jobs that were handed over to the queue: waiting, active, or paused. Absent while its server is away.',
    labelNames: ['queue', 'state'],
    registers: [],
    async collect() {
      const counts = (await queueJobs?.()) ?? [];
      this.reset();
      for (const { queue, ...counted } of counts)
        for (const state of ['waiting', 'active', 'paused'] as const)
          this.set({ queue, state }, counted[state]);
    },
  });
  return [info, depth, failing, late, due, failed, finished, workers];
}

function secondsSince(time: Date | null, now: Date): number | null {
  return time === null ? null : Math.max(0, (now.getTime() - time.getTime()) / 1000);
}
