import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { AlertRule } from './alert-cases.ts';

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

/** Trouble goes on for so long where a course does not say: most windows and `for` of rules are shorter. */
const MINUTES = 25;
const INTERVAL_SECONDS = 15;

/** Processes were as `before`, and are as `after`, and so it goes on. */
export interface Course {
  readonly before: Scrape;
  readonly after: Scrape;
  /** Gauges of an age go on as well, as they did between the two scrapes. */
  readonly ages?: boolean;
  readonly minutes?: number;
}

/**
 * Evaluates these rules over what processes have shown. Returns what promtool says where one of them does not
 * fire in the end; empty: all fire.
 */
export function judgeFiring(rules: readonly AlertRule[], course: Course): string {
  const firing = rules.map(({ alert }) => ({
    expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0 or vector(0)`,
    exp_samples: [{ labels: '{}', value: 1 }],
  }));
  return judge(rules, course, firing);
}

/** The same where one of them fires. */
export function judgeSilence(rules: readonly AlertRule[], course: Course): string {
  return judge(rules, course, [{ expr: 'ALERTS{alertstate="firing"}', exp_samples: [] }]);
}

function judge(rules: readonly AlertRule[], course: Course, expected: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-alerts-'));
  try {
    const { minutes = MINUTES } = course;
    const interval = `${INTERVAL_SECONDS}s`;
    const test = {
      interval,
      input_series: seriesOf(rules, course),
      promql_expr_test: expected.map((one) => ({ ...one, eval_time: `${minutes}m` })),
    };
    writeFileSync(join(folder, 'alerts.yml'), stringify({ groups: [{ name: 'judged', rules }] }));
    writeFileSync(
      join(folder, 'test.yml'),
      stringify({ rule_files: ['alerts.yml'], evaluation_interval: interval, tests: [test] }),
    );
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(folder, 'test.yml')], {
      encoding: 'utf8',
    });
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The series that the rules read, laid out at the pace at which they went between the scrapes. */
function seriesOf(
  rules: readonly AlertRule[],
  { before, after, ages = false, minutes = MINUTES }: Course,
): { series: string; values: string }[] {
  const samples = (minutes * 60) / INTERVAL_SECONDS + 1;
  const seconds = (after.at - before.at) / 1_000;
  return [...after.values]
    .filter(([series]) => rules.some(({ expr }) => expr.includes(nameOf(series))))
    .map(([series, value]) => {
      const name = nameOf(series);
      const kind = after.kinds.get(name.replace(/_(bucket|count|sum)$/, '')) ?? after.kinds.get(name);
      const moves = kind === 'counter' || kind === 'histogram' || (ages && name.endsWith('_seconds'));
      const first = before.values.get(series) ?? (kind === 'gauge' ? value : 0);
      const step = moves ? ((value - first) / seconds) * INTERVAL_SECONDS : 0;
      return {
        series,
        values: `${moves ? first : value}${step < 0 ? '' : '+'}${step.toFixed(6)}x${samples}`,
      };
    });
}

function nameOf(series: string): string {
  return series.slice(0, series.indexOf('{'));
}
