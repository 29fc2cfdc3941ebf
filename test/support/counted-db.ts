import { connectorOf, connectors, type Db } from '../../src/platform/postgres/db.ts';

/** Returns the pool with a count of the connections that are asked of it: of its statements. */
export function countStatements(db: Db): { readonly db: Db; readonly counts: { statements: number } } {
  const counts = { statements: 0 };
  const counted: Db = new Proxy(db, {
    get(target, name) {
      if (name === 'raw' || name === 'transaction') counts.statements += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  connectors.set(counted, (onReleased) => {
    counts.statements += 1;
    return connectorOf(db)(onReleased);
  });
  return { db: counted, counts };
}
