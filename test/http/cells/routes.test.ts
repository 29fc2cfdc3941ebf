import { expect } from 'chai';
import type { Router } from 'express';
import { createApp } from '../../../src/http/app.ts';
import { deskRoutes } from '../../../src/http/desk/routes.ts';
import { operatorPages } from '../../../src/http/operators/pages.ts';
import { probes } from '../../../src/http/operators/probes.ts';
import { createEndpoints } from '../../../src/http/routes.ts';
import { parseCell } from '../../../src/platform/values/cells.ts';
import { createHarness } from '../../support/harness.ts';
import { tableOf } from '../../support/documents.ts';

interface Layer {
  readonly route?: { readonly path: string | readonly string[] };
  readonly handle: Partial<Router>;
}

/** The paths of a router, and of those that it mounts: none of them has a path of its own. */
function pathsOf({ stack = [] }: Partial<Router>): string[] {
  return (stack as unknown as readonly Layer[]).flatMap(({ route, handle }) =>
    route === undefined ? pathsOf(handle) : [route.path].flat(),
  );
}

/** The rows of the decision's table: patterns of routes, and what names the cell there. */
const ROWS = tableOf('docs/adr/0164-an-id-says-its-cell.md', 'routes').flatMap(([patterns = '', by = '']) =>
  [...patterns.matchAll(/`([^`]+)`/g)].map(([, pattern = '']) => ({ pattern, by })),
);

/** The first row counts, as that of a proxy does. */
const isMatch = (pattern: string, path: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;

describe('every route of the service', () => {
  const rowOf = (path: string) => ROWS.find(({ pattern }) => isMatch(pattern, path));
  let paths: readonly string[];
  let keyed: readonly string[];
  before(async () => {
    const harness = await createHarness();
    const { ctx, health, adapters, sandbox } = harness;
    const queueJobs = () => Promise.resolve([]);
    const state = { kind: 'web', health, queues: () => [], queueJobs } as const;
    const app = createApp(ctx, {
      redis: null,
      admin: operatorPages(ctx, 'sesame', null, state),
      probes: probes({ health, isDraining: () => false, clock: undefined }),
      adapters,
      sandbox,
      health,
    });
    paths = [...new Set(pathsOf(app.router))];
    keyed = createEndpoints({ adapters, sandbox, health })
      .filter(({ auth }) => auth === 'required')
      .map(({ path }) => path);
    await harness.close();
  });

  it('is in the list: of the API, the pages, the desk and the till', () => {
    const known = [
      '/v1/payment/:id',
      '/checkout/:token/events',
      '/l/:token',
      '/till/sales/:number',
      '/docs{/*path}',
    ];
    expect(paths).to.include.members([...known, '/dashboard/:merchant/people', '/readyz', '/metrics']);
    expect(paths.length).to.be.above(150);
  });

  it('has a row in the table of how a proxy knows its cell, and every row has a route', () => {
    expect(paths.filter((path) => rowOf(path) === undefined)).to.deep.equal([]);
    // The queues' board is not mounted here.
    const used = new Set(paths.map((path) => rowOf(path)?.pattern));
    expect(ROWS.filter(({ pattern }) => !used.has(pattern))).to.deep.equal([]);
  });

  it('is known by its key where it needs one, and nothing else is', () => {
    for (const path of keyed) expect(rowOf(path)?.by, path).to.equal('key');
    const byKey = paths.filter((path) => rowOf(path)?.by === 'key' && !keyed.includes(path));
    expect(byKey).to.deep.equal(['/v1/status']);
  });

  it('of the desk begins with no name that a cell may have', () => {
    const dependencies = { mailer: null, adapters: {} as never, sandbox: null };
    const first = deskRoutes({ production: false }, dependencies).map(({ path }) => path.split('/')[2] ?? '');
    const words = [...new Set(first)].filter((word) => word !== '' && !word.startsWith(':'));
    expect(words).to.include.members(['account', 'links', 'passkey', 'sign-in']);
    for (const word of words) expect(() => parseCell(word), word).to.throw();
  });
});
