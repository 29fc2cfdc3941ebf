import type { CurrencyId } from '../chain/currencies.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { readCurrent } from '../../platform/replica.ts';
import { READ, type ExportKind } from './statements.ts';
import { worthOf } from './worth.ts';

/** The payments whose rows are exported: those created from `from` on and before `to`; null: no bound. */
export interface ExportRange {
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

/** A page's payments: their rows keep the event loop for some milliseconds. An event may have 100 kB. */
const PAGE = 200;
const PAGE_OF_EVENTS = 50;

interface PageParams {
  readonly merchantId: string;
  readonly from: Date;
  readonly to: Date;
  readonly afterTime: Date;
  readonly afterId: string;
  readonly limit: number;
}

// Index: payments_newest, backwards.
const page = sql<{ id: string; created_at: Date }, PageParams>(
  'export_page_of_payments',
  (p) => `
    SELECT id, created_at FROM payments
    WHERE merchant_id = ${p.merchantId} AND created_at >= ${p.from} AND created_at < ${p.to}
      AND (created_at, id) > (${p.afterTime}, ${p.afterId})
    ORDER BY created_at, id LIMIT ${p.limit}`,
);

const BEGIN_OF_TIME = new Date(0);
const END_OF_TIME = new Date('9999-01-01T00:00:00Z');

/**
 * Returns the rows of a kind of the merchant's payments as JSON, oldest payment first, a page at a time. No
 * connection is held between two pages.
 */
export async function* exportRows(
  ctx: Pick<Context, 'db' | 'config' | 'replica'>,
  kind: ExportKind,
  { merchantId, from, to, currency = null, after = null }: ExportRange,
): AsyncGenerator<string[]> {
  const worth = await worthOf(ctx.db, ctx.config, merchantId, currency);
  const [afterId, afterPlace] = [after?.id ?? '', after?.place ?? '0'];
  const rowsOf = async (connection: Connection, ids: readonly string[]) =>
    (await READ[kind](connection, { ...worth, ids, afterId, afterPlace })).map(({ row }) => row);
  if (after !== null) yield await readCurrent(ctx, (connection) => rowsOf(connection, [after.id]));
  const limit = kind === 'events' ? PAGE_OF_EVENTS : PAGE;
  const bounds = { merchantId, from: from ?? BEGIN_OF_TIME, to: to ?? END_OF_TIME, limit };
  let position = { afterTime: after?.createdAt ?? BEGIN_OF_TIME, afterId };
  for (;;) {
    const { found, rows } = await readCurrent(ctx, async (connection) => {
      const found = await run(connection, page, { ...bounds, ...position });
      return {
        found,
        rows: await rowsOf(
          connection,
          found.map(({ id }) => id),
        ),
      };
    });
    yield rows;
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return;
    position = { afterTime: last.created_at, afterId: last.id };
  }
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
