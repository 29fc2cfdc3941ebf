import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { patiently } from '../../platform/postgres/patience.ts';

const PAGE = 500;

interface PageParams {
  readonly merchantId: string;
  readonly after: string;
  readonly limit: number;
}

// Index: operator_actions_chained. With the hash: whoever keeps a file can tell that a chain was changed.
const pageOfEntries = sql<{ row: string; number: string }, PageParams>(
  'export_audit_entries',
  (p) => `
    SELECT number::text, to_json(row)::text AS row FROM (
      SELECT a.number, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, a.kind,
        a.actor, who.email, a.address, a.command, a.details, encode(a.hash, 'hex') AS hash,
        a.number::text AS cursor
      FROM operator_actions a LEFT JOIN people who ON who.id = a.actor
      WHERE a.merchant_id = ${p.merchantId} AND a.number > ${p.after}
      ORDER BY a.number LIMIT ${p.limit}) row`,
);

/** Returns a merchant's entries behind the number `after` as JSON, oldest first, a page at a time. */
export async function* exportAudit(
  connection: Connection,
  merchantId: string,
  after: string,
): AsyncGenerator<string[]> {
  for (let last = after; ;) {
    const asked = { merchantId, after: last, limit: PAGE };
    const found = await patiently(() => run(connection, pageOfEntries, asked));
    yield found.map(({ row }) => row);
    if (found.length < PAGE) return;
    last = found.at(-1)?.number ?? last;
  }
}
