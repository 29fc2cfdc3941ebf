import type { CurrencyId } from '../chain/currencies.ts';
import type { Context } from '../../platform/context.ts';
import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { patiently } from '../../platform/postgres/patience.ts';
import { readCurrent } from '../../platform/replica.ts';
import { findPayments, type ExportFilter } from './found.ts';
import { READ, type ExportKind, type JsonRow } from './statements.ts';
import { worthOf } from './worth.ts';

/**
 * The payments whose rows are exported: those created from `from` on and before `to` that the filter fits;
 * null: no bound.
 */
export interface ExportRange extends ExportFilter {
  readonly merchantId: string;
  readonly from: Date | null;
  readonly to: Date | null;
  /** In which values are; absent: in that of the merchant's pages. */
  readonly currency?: CurrencyId | null;
  /** The row behind which to go on; absent: from the first. */
  readonly after?: ExportCursor | null;
}

/** Where a row stands: a payment, and the place of the row among those of the payment. */
export interface ExportCursor {
  readonly createdAt: Date;
  readonly id: string;
  readonly place: string;
}

/** Payments of a page; the first has fewer, because nobody knows yet how much is written in one. */
const [FIRST, MOST] = [25, 200];
/** What a page has about, in characters: requests wait while one is parsed. A payment may have 100 kB. */
const PAGE_LENGTH = 1_000_000;
/** Rows that one statement reads: anybody may send a payment any number of transfers. */
const ROWS = 2_000;

const BEGIN_OF_TIME = new Date(0);
const END_OF_TIME = new Date('9999-01-01T00:00:00Z');

type Place = Pick<ExportCursor, 'id' | 'place'>;

const BEGIN: Place = { id: '', place: '0' };

/** Reads the rows of payments behind a place, as many as one statement reads. */
type ReadRows = (connection: Connection, ids: readonly string[], behind: Place) => Promise<JsonRow[]>;

/**
 * Returns the rows of a kind of the merchant's payments as JSON, oldest payment first, a page at a time. No
 * connection is held between two pages, and a page that the database does not give in time is asked for
 * again, with fewer payments: a long file must not end with the first slow moment.
 */
export async function* exportRows(
  ctx: Pick<Context, 'db' | 'config' | 'replica'>,
  kind: ExportKind,
  { merchantId, from, to, currency = null, after = null, orderId, statuses }: ExportRange,
): AsyncGenerator<string[]> {
  const worth = await worthOf(ctx.db, ctx.config, merchantId, currency);
  const read: ReadRows = (connection, ids, { id: afterId, place: afterPlace }) =>
    READ[kind](connection, { ...worth, ids, statuses, afterId, afterPlace, limit: ROWS });
  if (after !== null) yield* rowsBehind(ctx, read, [after.id], after);
  const bounds = { merchantId, to: to ?? END_OF_TIME };
  const begin = from ?? BEGIN_OF_TIME;
  let position =
    after === null || after.createdAt < begin
      ? { afterTime: begin, afterId: '' }
      : { afterTime: after.createdAt, afterId: after.id };
  for (let size = FIRST; ;) {
    const { limit, found, rows } = await patiently((attempt) =>
      readCurrent(ctx, async (connection) => {
        const asked = { ...bounds, ...position, limit: Math.max(1, size >> attempt) };
        const payments = await findPayments(connection, { orderId, statuses }, asked);
        return { ...asked, found: payments, rows: await read(connection, idsOf(payments), BEGIN) };
      }),
    );
    yield rows.map(({ row }) => row);
    if (rows.length === ROWS) yield* rowsBehind(ctx, read, idsOf(found), placeOf(rows));
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return;
    position = { afterTime: last.created_at, afterId: last.id };
    size = nextSize(limit, rows);
  }
}

/** The rows of payments that are behind a place, which is one of theirs. */
async function* rowsBehind(
  ctx: Pick<Context, 'db' | 'replica'>,
  read: ReadRows,
  ids: readonly string[],
  behind: Place,
): AsyncGenerator<string[]> {
  for (let place = behind; ;) {
    const left = ids.slice(ids.indexOf(place.id));
    const rows = await patiently(() => readCurrent(ctx, (connection) => read(connection, left, place)));
    yield rows.map(({ row }) => row);
    if (rows.length < ROWS) return;
    place = placeOf(rows);
  }
}

const idsOf = (found: readonly { id: string; fits: boolean }[]): string[] =>
  found.filter(({ fits }) => fits).map(({ id }) => id);

/** The place of the last row. */
function placeOf(rows: readonly JsonRow[]): Place {
  const [id = '', place = ''] = rows.at(-1)?.cursor.split('.') ?? [];
  return { id, place };
}

/** As many payments as have about the length of a page, by what those before had; at most twice as many. */
function nextSize(size: number, rows: readonly JsonRow[]): number {
  const length = rows.reduce((sum, { row }) => sum + row.length, 1);
  return Math.max(1, Math.min(MOST, 2 * size, Math.floor((size * PAGE_LENGTH) / length)));
}

// Index: payments_pkey.
const createdOf = sql<{ created_at: Date }, { id: string; merchantId: string }>(
  'export_payment_of_cursor',
  (p) => `SELECT created_at FROM payments WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
);

const CURSOR = /^(pay_[0-9A-HJKMNP-TV-Z]{26})\.(\d{1,18})$/;

/** Finds what the last column of a row says; null: the merchant has no such row. */
export async function findCursor(
  { db }: Pick<Context, 'db'>,
  merchantId: string,
  text: string,
): Promise<ExportCursor | null> {
  const [, id = '', place = ''] = CURSOR.exec(text) ?? [];
  const found = id === '' ? null : await runOne(db, createdOf, { id, merchantId });
  return found === null ? null : { createdAt: found.created_at, id, place };
}
