import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ROOT } from './documents.ts';

/** What a Prometheus gets from one process. */
export interface Target {
  readonly name: string;
  readonly url: string;
}

/** A moment of all targets: the values by series, the kinds by metric. */
export interface Scrape {
  readonly at: number;
  readonly values: ReadonlyMap<string, number>;
  readonly kinds: ReadonlyMap<string, string>;
}

/** Prometheus gives up after this long; a process that is well needs milliseconds. */
const TIMEOUT_MS = 5_000;

/** Reads every target as Prometheus does: `up` says whether it could, and labels say which it is. */
export async function scrapeAll(targets: readonly Target[], password: string): Promise<Scrape> {
  const values = new Map<string, number>();
  const kinds = new Map<string, string>();
  const Authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  const pages = targets.map(async ({ name, url }) => {
    const text = await fetch(url, { headers: { Authorization }, signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then((response) => (response.ok ? response.text() : null))
      .catch(() => null);
    const own = `instance="${name}",service="payment-checkout"`;
    values.set(`up{${own}}`, text === null ? 0 : 1);
    for (const line of text?.split('\n') ?? []) {
      const [, metric = '', kind = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
      if (metric !== '') kinds.set(metric, kind);
      const [, series = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (series === '' || value === 'Nan') continue;
      values.set(`${series}{${labels === '' ? '' : `${labels},`}${own}}`, Number(value));
    }
  });
  await Promise.all(pages);
  return { at: performance.now(), values, kinds };
}

/** An alert is judged after so long with the same trouble; windows and `for` of the rules are shorter. */
const MINUTES = 25;
const INTERVAL_SECONDS = 15;

/** What an alert is asked of: the process was `before`, and is `after`, and so it goes on. */
export interface Case {
  readonly alert: string;
  readonly expr: string;
  readonly before: Scrape;
  readonly after: Scrape;
  readonly fires: boolean;
  /** Gauges of an age go on as well, as they did between the two scrapes. */
  readonly ages?: boolean;
}

/**
 * Evaluates the rules of `deploy/monitoring/alerts.yml` over what processes have shown. Returns what promtool
 * says of the cases that are otherwise than they should be; empty: all are as they should be.
 */
export function judgeAlerts(cases: readonly Case[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-alerts-'));
  try {
    copyFileSync(join(ROOT, 'deploy/monitoring/alerts.yml'), join(folder, 'alerts.yml'));
    const tests = cases.map((one) => ({
      name: `${one.alert} ${one.fires ? 'fires' : 'is silent'}`,
      interval: `${INTERVAL_SECONDS}s`,
      input_series: seriesOf(one),
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${one.alert}",alertstate="firing"}) > bool 0 or vector(0)`,
          eval_time: `${MINUTES}m`,
          exp_samples: [{ labels: '{}', value: one.fires ? 1 : 0 }],
        },
      ],
    }));
    const interval = `${INTERVAL_SECONDS}s`;
    writeFileSync(
      join(folder, 'test.yml'),
      stringify({ rule_files: ['alerts.yml'], evaluation_interval: interval, tests }),
    );
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(folder, 'test.yml')], {
      encoding: 'utf8',
    });
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The series that the rule reads, laid out at the pace at which they went between the scrapes. */
function seriesOf({ expr, before, after, ages = false }: Case): { series: string; values: string }[] {
  const samples = (MINUTES * 60) / INTERVAL_SECONDS + 1;
  const seconds = (after.at - before.at) / 1_000;
  return [...after.values]
    .filter(([series]) => expr.includes(series.slice(0, series.indexOf('{'))))
    .map(([series, value]) => {
      const name = series.slice(0, series.indexOf('{'));
      const kind = after.kinds.get(name.replace(/_(bucket|count|sum)$/, '')) ?? after.kinds.get(name);
      const moves = kind === 'counter' || kind === 'histogram' || (ages && name.endsWith('_seconds'));
      const first = before.values.get(series) ?? (kind === 'gauge' ? value : 0);
      const step = moves ? ((value - first) / seconds) * INTERVAL_SECONDS : 0;
      return { series, values: `${moves ? first : value}+${step.toFixed(6)}x${samples}` };
    });
}
