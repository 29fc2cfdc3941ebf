import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Context } from '../../platform/context.ts';
import { MEASURES } from '../../platform/metrics/measures.ts';
import { poolMetrics } from '../../platform/metrics/pool.ts';
import { unhandledErrors } from '../../platform/logging/unhandled.ts';
import { clockGauge } from './clock.ts';
import { healthMetrics, type HealthState } from './health-metrics.ts';
import { countLogLines } from './log-metrics.ts';
import { surveyMetrics } from './survey-metrics.ts';

/** One registry a process, with everything that it measures; where Postgres is asked, one statement each. */
export function createMetrics(
  ctx: Context,
  health: HealthState,
): { registry: Registry; failedSignIns: Counter<'outcome'> } {
  const registry = new Registry();
  registry.setDefaultLabels(labelsOf(ctx));
  collectDefaultMetrics({ register: registry });
  countUnhandled(registry);
  countLogLines(registry);
  for (const metric of [
    ...MEASURES,
    ...poolMetrics(ctx.db),
    ...surveyMetrics(ctx),
    clockGauge(ctx),
    ...healthMetrics(health, ctx.systemNow),
  ])
    registry.registerMetric(metric);
  const failedSignIns = new Counter({
    name: 'operator_sign_ins_failed_total',
    help: 'Sign-ins with a wrong password, and tries that were refused unseen after too many of them.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  // An increase counts from what was there before.
  for (const outcome of ['failed', 'refused']) failedSignIns.inc({ outcome }, 0);
  return { registry, failedSignIns };
}

/** Which cell the process is of, where there are cells. */
export function labelsOf({ config: { cell } }: Pick<Context, 'config'>): Readonly<Record<string, string>> {
  return cell === null ? {} : { cell };
}

/** Prometheus gives a scrape up after 10 s: a metric that hangs must not take the others with it. */
export const PATIENCE_MS = 2_000;

/**
 * Returns the text of a scrape: each metric by itself. One whose server is away, or that takes longer than
 * `patienceMs`, is absent and named by `metric_failing`, while what tells of the outage is served.
 */
export async function scrape(
  registry: Registry,
  labels: Readonly<Record<string, string>>,
  patienceMs: number,
): Promise<string> {
  const own = new Registry();
  own.setDefaultLabels(labels);
  const failing = new Gauge({
    name: 'metric_failing',
    help: 'Metrics that are absent because they cannot be read now: their alerts are blind.',
    labelNames: ['metric'],
    registers: [own],
  });
  const timer = new AbortController();
  const late = sleep(patienceMs, null, { signal: timer.signal }).catch(() => null);
  const texts = registry.getMetricsAsArray().map(async ({ name }) => {
    const text = await Promise.race([registry.getSingleMetricAsString(name).catch(() => null), late]);
    if (text === null) failing.set({ metric: name }, 1);
    return text ?? '';
  });
  const all = (await Promise.all(texts)).filter((text) => text !== '');
  timer.abort();
  return [...all, await own.metrics()].join('\n\n');
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
