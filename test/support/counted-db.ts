import type { Db } from '../../src/platform/postgres/db.ts';

/** Returns the pool with a count of the connections that are asked of it: of its statements. */
export function countStatements(db: Db): { readonly db: Db; readonly counts: { statements: number } } {
  const pool = db.client as { acquireConnection: () => Promise<unknown> };
  const counts = { statements: 0 };
  const client: object = new Proxy(pool, {
    get(target, name) {
      if (name === 'acquireConnection') counts.statements += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const counted: Db = new Proxy(db, {
    get: (target, name) => (name === 'client' ? client : Reflect.get(target, name)) as unknown,
  });
  return { db: counted, counts };
}
