import type { Metric } from 'prom-client';
import type { Clock } from '../../platform/clock.ts';
import type { HealthSource } from '../../domain/ops/health/monitor.ts';
import { gauge } from '../../platform/metrics/gauge.ts';
import { VERSION } from '../../platform/root.ts';
import type { QueueState } from '../../domain/ops/health/queues.ts';

/** What the background knows, for metrics. */
export interface HealthState {
  readonly kind: 'web' | 'worker' | 'watcher';
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
  return [
    gauge({
      name: 'service_process_info',
      help: 'Always 1: this process is there, web or worker. An alert fires where there is none of a kind.',
      labelNames: ['process', 'version'],
      read: () => [[{ process: kind, version: VERSION }, 1]],
    }),
    gauge({
      name: 'queue_jobs',
      help: 'Jobs that were added to the queue: waiting, active, or paused. Absent while its server is away.',
      labelNames: ['queue', 'state'],
      read: async () =>
        ((await queueJobs?.()) ?? []).flatMap(({ queue, ...counted }) =>
          (['waiting', 'active', 'paused'] as const).map(
            (state) => [{ queue, state }, counted[state]] as const,
          ),
        ),
    }),
    gauge({
      name: 'health_check_failing',
      help: 'Which checks make the status degraded: 1 for each that fails now.',
      labelNames: ['check'],
      async read() {
        const { isReachable, faults } = await health.report();
        const failing = [...(isReachable ? [] : ['postgres']), ...faults.map(({ check }) => check)];
        return failing.map((check) => [{ check }, 1]);
      },
    }),
    ...queueMetrics(queues, systemNow),
  ];
}

function queueMetrics(queues: HealthState['queues'], systemNow: Clock): Metric[] {
  return [
    gauge({
      name: 'queue_oldest_due_seconds',
      help: 'How long ago the oldest job of the queue that is due should have run, leased or not.',
      labelNames: ['queue'],
      read: () =>
        queues().map(({ queue, oldestDueAt }) => [{ queue }, secondsSince(oldestDueAt, systemNow()) ?? 0]),
    }),
    gauge({
      name: 'queue_due_jobs',
      help: 'Jobs of the queue that are due and not finished, up to 1000 of each kind.',
      labelNames: ['queue'],
      read: () => queues().map(({ queue, due }) => [{ queue }, due]),
    }),
    gauge({
      name: 'queue_failing_jobs',
      help: 'Jobs of the queue that failed the last time and are tried again.',
      labelNames: ['queue'],
      read: () => queues().map(({ queue, failing }) => [{ queue }, failing]),
    }),
    gauge({
      name: 'queue_last_finished_seconds',
      help: 'How long ago a worker last finished a job of the queue.',
      labelNames: ['queue'],
      read: () =>
        queues().flatMap(({ queue, finishedAt }) => {
          const seconds = secondsSince(finishedAt, systemNow());
          return seconds === null ? [] : [[{ queue }, seconds] as const];
        }),
    }),
    gauge({
      name: 'queue_workers',
      help: 'Workers that serve the queue and have reported within 15 s.',
      labelNames: ['queue'],
      read: () => queues().map(({ queue, workers }) => [{ queue }, workers]),
    }),
  ];
}

function secondsSince(time: Date | null, now: Date): number | null {
  return time === null ? null : Math.max(0, (now.getTime() - time.getTime()) / 1000);
}
