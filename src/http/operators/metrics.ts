import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { feedHeldSeconds } from '../../domain/events/horizon.ts';
import { overdue } from '../../domain/schedule/lateness.ts';
import type { Context } from '../../platform/context.ts';
import { MEASURES } from '../../platform/metrics/measures.ts';
import { poolMetrics } from '../../platform/metrics/pool.ts';
import { unhandledErrors } from '../../platform/logging/unhandled.ts';
import { clockGauge } from './clock.ts';
import { healthMetrics, type HealthState } from './health-metrics.ts';
import { countLogLines } from './log-metrics.ts';
import { stuckGauge } from './stuck.ts';
import { surveyMetrics } from './survey-metrics.ts';

/** One registry a process, with everything that it measures; where Postgres is asked, one statement each. */
export function createMetrics(
  ctx: Context,
  health: HealthState,
): { registry: Registry; failedSignIns: Counter<'outcome'> } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countUnhandled(registry);
  countLogLines(registry);
  const oldest = new Gauge({
    name: 'due_work_oldest_seconds',
    help: 'How long the oldest overdue job has waited.',
    registers: [],
  });
  const count = new Gauge({
    name: 'due_work_overdue',
    help: 'Jobs that have been due for 5 s and are not finished, leased or not, up to 1000 of each kind.',
    registers: [],
    async collect() {
      const late = await overdue(ctx.db, ctx.now());
      this.set(late.count);
      oldest.set(late.oldestSeconds);
    },
  });
  const held = new Gauge({
    name: 'feed_held_seconds',
    help: 'How long the oldest open transaction that has written events holds the event feed back.',
    registers: [],
    async collect() {
      this.set(await feedHeldSeconds(ctx.db));
    },
  });
  for (const metric of [...MEASURES, ...poolMetrics(ctx.db), ...surveyMetrics(ctx)])
    registry.registerMetric(metric);
  registry.registerMetric(held);
  registry.registerMetric(count);
  registry.registerMetric(oldest);
  registry.registerMetric(stuckGauge(ctx));
  registry.registerMetric(clockGauge(ctx));
  for (const metric of healthMetrics(health, ctx.systemNow)) registry.registerMetric(metric);
  const failedSignIns = new Counter({
    name: 'operator_sign_ins_failed_total',
    help: 'Sign-ins with a wrong password, and tries that were refused unseen after too many of them.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return { registry, failedSignIns };
}

function countUnhandled(registry: Registry): void {
  const errors = new Counter({
    name: 'unhandled_errors_total',
    help: 'Errors of this process that nothing handled. Each is a bug.',
    registers: [registry],
    collect() {
      errors.reset();
      errors.inc(unhandledErrors());
    },
  });
}
