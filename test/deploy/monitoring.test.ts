import { expect } from 'chai';
import { ALERT_RULES as rules, ALERTS_THAT_FIRE } from '../support/alert-cases.ts';
import { anchorsOf, filesBelow, read } from '../support/documents.ts';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels } = JSON.parse(read('deploy/monitoring/dashboard.json')) as { panels: Panel[] };
const charts = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** What the source declares, and what prom-client, Prometheus and a histogram add to it. */
const declared = ['src/http/operators', 'src/platform/metrics']
  .flatMap(filesBelow)
  .flatMap((file) => [...read(file).matchAll(/\b(gauge|Gauge|Counter|Histogram)\(\{\s+name: '(\w+)'/g)])
  .map(([, kind = '', name = '']) => ({ kind, name }));
const series = new Set([
  ...declared.flatMap(({ kind, name }) =>
    kind === 'Histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name],
  ),
  'nodejs_eventloop_lag_p99_seconds',
  'up',
]);

/** The metrics that an expression of Prometheus reads. */
function metricsIn(expr: string): string[] {
  const bare = expr.replaceAll(/\{[^}]*\}|\b(?:by|on|without)\s*\([^)]*\)|\[\w+\]|"[^"]*"/g, ' ');
  return [...bare.matchAll(/[a-z][a-z0-9_]*\b(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !['and', 'or', 'by', 'le', 'sum', 'min', 'max'].includes(name));
}

describe('deploy/monitoring', () => {
  it('reads metrics that the source declares', () => {
    for (const expr of [...rules.map((rule) => rule.expr), ...charts]) {
      const names = metricsIn(expr);
      expect(names, expr).to.not.deep.equal([]);
      for (const name of names) expect([...series], expr).to.include(name);
    }
    expect(metricsIn('sum by (a) (rate(b_total{c="d"}[5m])) / on (e) f > 0 or max(g)')).to.deep.equal([
      'b_total',
      'f',
      'g',
    ]);
  });

  it('shows every metric of the service on the dashboard', () => {
    const shown = new Set(charts.flatMap(metricsIn).map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    expect(declared.map(({ name }) => name).filter((name) => !shown.has(name))).to.deep.equal([]);
  });

  it('has a page for each alert, in their order, with a first look and a remedy; and no other page', () => {
    const [, section = ''] = /\n## Alerts\n([\s\S]*?)\n## /.exec(read('docs/operations.md')) ?? [];
    const pages = section.split('\n### ').slice(1);
    expect(pages.map((page) => page.split('\n', 1)[0])).to.deep.equal(rules.map(({ alert }) => alert));
    for (const page of pages) expect(page).to.match(/\n- First look: .+[\s\S]+\n- Remedy: .+/);
    const anchors = anchorsOf('docs/operations.md');
    for (const { annotations } of rules) {
      const { origin, pathname, hash } = new URL(annotations.runbook_url);
      expect(origin + pathname).to.equal('https://docs.example.com/operations.md');
      expect([...anchors]).to.include(hash.slice(1));
    }
  });

  it('lets each alert fire on real processes', () => {
    const fired = Object.values(ALERTS_THAT_FIRE).flat();
    expect(fired).to.have.members(rules.map(({ alert }) => alert));
    const tested = filesBelow('test/topologies').flatMap(
      (file) => /\/alerts-(\w+)\.test/.exec(file)?.[1] ?? [],
    );
    expect(tested).to.have.members(Object.keys(ALERTS_THAT_FIRE));
    for (const file of tested)
      expect(read(`test/topologies/alerts-${file}.test.ts`)).to.include(`alerts.expectFired('${file}')`);
  });

  it('has an alert for each check of health, and a severity for each alert', () => {
    const checks = filesBelow('src/domain/ops/health')
      .flatMap((file) => [...read(file).matchAll(/^ {4}name: '(\w+)',$/gm)])
      .map(([, name]) => name);
    expect(checks).to.have.lengthOf.greaterThan(5);
    const watched = rules.flatMap(({ expr }) => [...expr.matchAll(/check="(\w+)"/g)].map(([, name]) => name));
    expect(watched).to.have.members(checks);
    for (const rule of rules) expect(rule.labels.severity, rule.alert).to.match(/^(critical|warning)$/);
  });
});
