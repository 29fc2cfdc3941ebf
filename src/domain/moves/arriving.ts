import { run, sql, type Connection } from '../../platform/postgres/db.ts';

const others = sql<{ id: string }, { ids: readonly string[] }>(
  'ids_of_merchants_that_live_here',
  (p) => `
    SELECT o.id FROM unnest(${p.ids}::text[]) AS o (id)
    WHERE NOT EXISTS (
      SELECT FROM merchant_moves m WHERE m.step = 'arriving' AND m.merchant_id IN (
        (SELECT merchant_id FROM payments WHERE id = o.id),
        (SELECT merchant_id FROM events WHERE id = o.id),
        (SELECT merchant_id FROM deliveries WHERE id = o.id)))`,
);

/**
 * Leaves out the payments, events and deliveries of merchants that arrive from another cell: not all of their
 * rows are here yet.
 */
export async function withoutArriving<Row extends { readonly id: string }>(
  connection: Connection,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) return rows;
  const found = await run(connection, others, { ids: rows.map(({ id }) => id) });
  const ids = new Set(found.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}
