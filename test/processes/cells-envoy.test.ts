import { expect } from 'chai';
import { parseCells } from '../../src/platform/cells/file.ts';
import { lookupOf } from '../../src/platform/cells/moved.ts';
import { renderEnvoy } from '../../src/processes/setup/cells/render/envoy.ts';
import { newToken } from '../../src/platform/values/ids.ts';
import { read } from '../support/documents.ts';

// Only the structure: no Envoy runs here.

interface Header {
  readonly name: string;
  readonly string_match: { readonly safe_regex: { readonly regex: string } };
}

interface Route {
  readonly match: {
    readonly prefix?: string;
    readonly safe_regex?: { readonly regex: string };
    readonly headers?: readonly Header[];
  };
  readonly route: { readonly cluster: string };
}

interface Cluster {
  readonly name: string;
  readonly health_checks: readonly { readonly http_health_check: { readonly path: string } }[];
}

const cells = parseCells(read('deploy/cells/cells.json'), 'deploy/cells/cells.json');
const routing = { ...cells, folder: '/etc/cells', keysAndTokens: new Map<string, string>() };
const text = renderEnvoy(routing)['envoy.json'] ?? '';
const { static_resources: parts } = JSON.parse(text) as {
  static_resources: { clusters: Cluster[]; listeners: unknown[] };
};
const manager = found('typed_config', JSON.parse(text)).find((one) => 'route_config' in one) as {
  readonly route_config: { readonly virtual_hosts: readonly { readonly routes: readonly Route[] }[] };
  readonly access_log: unknown;
  readonly use_remote_address: boolean;
};
const routes = manager.route_config.virtual_hosts.flatMap((host) => host.routes);

/** Every object that stands under a key, however deep. */
function found(key: string, value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => [
    ...(name === key && typeof inner === 'object' && inner !== null ? [inner] : []),
    ...found(key, inner),
  ]);
}

/** Envoy compares a whole value, by RE2. */
function matches({ safe_regex: { regex } }: { safe_regex: { regex: string } }, value: string): boolean {
  const isAnyCase = regex.startsWith('(?i)');
  return new RegExp(`^(?:${regex.replace('(?i)', '')})$`, isAnyCase ? 'i' : '').test(value);
}

/** Where Envoy sends a request: the first route that matches. */
function clusterOf(path: string, headers: Readonly<Record<string, string>> = {}): string | undefined {
  return routes.find(({ match }) => {
    const isPath = match.safe_regex === undefined || matches({ safe_regex: match.safe_regex }, path);
    return isPath && (match.headers ?? []).every((one) => matches(one.string_match, headers[one.name] ?? ''));
  })?.route.cluster;
}

describe("Envoy's configuration of cells, which is read and not run", () => {
  it('leads each request to the cell that it says, and what says none to the default', () => {
    const [token, key] = [newToken(), (cell: string) => ({ 'x-api-key': `sk_live_${cell}${newToken()}` })];
    const asked: readonly (readonly [string | undefined, string])[] = [
      [clusterOf('/v1/payment', key('br_')), 'br'],
      [clusterOf('/v1/payment', key('eu_')), 'eu'],
      [clusterOf('/v1/payment', key('')), 'eu'],
      [clusterOf('/v1/payment', key('zz_')), 'eu'],
      [clusterOf('/v1/payment', { 'x-api-key': `sk_live_br_${token.slice(3)}` }), 'eu'],
      [clusterOf('/v1/status'), 'eu'],
      [clusterOf(`/checkout/br.${token}`), 'br'],
      [clusterOf(`/CHECKOUT/br.${token}/events`), 'br'],
      [clusterOf('/checkout/logos/br.x.webp'), 'br'],
      [clusterOf(`/checkout/${token}`), 'eu'],
      [clusterOf(`/l/br.${token}`), 'br'],
      [clusterOf(`/till/pair/br.${token}`), 'br'],
      [clusterOf('/till/sales', { cookie: `a=b; __Host-till=br.${token}` }), 'br'],
      [clusterOf('/till', { cookie: `a=br.${token}` }), 'eu'],
      [clusterOf('/dashboard/br/account'), 'br'],
      [clusterOf('/dashboard/brazil'), 'eu'],
      [clusterOf('/checkout/assets/1.js'), 'every_cell'],
      [clusterOf('/docs/webhooks'), 'every_cell'],
    ];
    expect(asked.map(([is]) => is)).to.deep.equal(asked.map(([, expected]) => expected));
  });

  it('names clusters that are there, each asked for its health', () => {
    const names = parts.clusters.map(({ name }) => name);
    expect(new Set(routes.map(({ route }) => route.cluster))).to.deep.equal(new Set(names));
    for (const { health_checks } of parts.clusters)
      expect(health_checks.map(({ http_health_check: check }) => check.path)).to.deep.equal(['/readyz']);
  });

  it('gives each cluster a name of its own, whatever the cells are called', () => {
    const [first] = cells.cells;
    const called = { ...routing, cells: [first, { ...first, name: 'shared' }] as const };
    const clusters = found('load_assignment', JSON.parse(renderEnvoy(called)['envoy.json'] ?? ''));
    const names = clusters.map((one) => ('cluster_name' in one ? one.cluster_name : undefined));
    expect(names).to.have.members(['eu', 'shared', 'every_cell']);
  });

  it('logs neither paths nor headers, and appends the address of the connection', () => {
    expect(JSON.stringify(manager.access_log)).to.not.match(/PATH|REQ\(:PATH|X-API-KEY|REFERER|COOKIE/i);
    expect(manager.use_remote_address).to.equal(true);
  });

  it('has a type for each extension, of a package with a version', () => {
    for (const one of found('typed_config', JSON.parse(text)) as { '@type'?: string }[])
      expect(one['@type']).to.match(/^type\.googleapis\.com\/envoy\.[\w.]+\.v3\.[A-Z]\w+$/);
  });

  it('is refused once something was moved: Envoy cannot look it up', () => {
    const keysAndTokens = new Map([[lookupOf('x'), 'br']]);
    expect(() => renderEnvoy({ ...routing, keysAndTokens })).to.throw('take HAProxy or nginx');
  });
});
