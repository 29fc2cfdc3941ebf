import type { Tx } from '../../../../platform/postgres/db.ts';
import { inSnapshot, type Ends } from '../copy.ts';
import { choose } from '../early/chosen.ts';
import { FIRST, type Place } from '../early/resting.ts';
import { MoveRefused } from '../steps.ts';
import { isOfMoving } from '../tables/owners.ts';
import { ask, literalOf, measureRows, type Measure } from '../tables/rows.ts';
import { isOf, type MerchantTable, type PaymentTable } from '../tables/table.ts';
import { MERCHANT_TABLES } from '../tables/tables.ts';

/** Payments that are compared in one transaction of each side: some seconds, of 55 that it may take. */
const BATCH = 5_000;

/** Of the others, rows are written on both sides before the fences fall. */
const COMPARED = MERCHANT_TABLES.filter(({ refuses }) => refuses !== 'none');
const HANGING = COMPARED.filter((table): table is PaymentTable => table.hangs !== undefined);

interface Comparison {
  readonly batch?: number;
  /** Hears how many payments have been compared. */
  readonly onProgress?: (rows: number, of: string) => void | Promise<void>;
}

/**
 * Compares all rows of a merchant in the two databases, between the decision of its move and the step behind
 * it. Both fences are closed then, so nothing changes, and no transaction needs to see all: a large merchant
 * has more rows than one measures in its time. Throws MoveRefused with the tables that differ.
 */
export async function assertEqual(
  ends: Ends,
  merchantId: string,
  { batch = BATCH, onProgress }: Comparison = {},
): Promise<void> {
  const differing = new Set<string>();
  const compare = async (
    tables: readonly MerchantTable[],
    measure: (tx: Tx, table: MerchantTable) => Promise<Measure>,
    ids: readonly string[] = [],
  ): Promise<void> => {
    for (const name of await findDiffering(ends, merchantId, { tables, measure, ids })) differing.add(name);
  };
  const own = literalOf(merchantId);
  for (const table of COMPARED)
    await compare([table], (tx) =>
      table.hangs === undefined ? measureRows(tx, table, isOf(table, own)) : countRows(tx, table, own),
    );
  let payments = 0;
  for (let from: Place | null = FIRST; from !== null;) {
    const page: Place[] = await findPage(ends, merchantId, from, batch);
    const ids = page.map(({ id }) => id);
    await compare(HANGING, measureChosen, ids);
    payments += page.length;
    await onProgress?.(payments, 'payments compared');
    from = page.length < batch ? null : (page.at(-1) ?? null);
  }
  if (differing.size > 0)
    throw new MoveRefused(
      `The copy is not equal any more: ${[...differing].join(', ')}. Nobody is led to it`,
    );
}

/** The next payments of the source, oldest first. Index: payments_newest. */
function findPage({ source }: Ends, merchantId: string, from: Place, limit: number): Promise<Place[]> {
  return ask<Place>(
    source,
    `SELECT id, created_at::text AS created_at FROM payments
     WHERE merchant_id = $1 AND (created_at, id) > ($2::timestamptz, $3)
     ORDER BY payments.created_at, id LIMIT $4`,
    [merchantId, from.created_at, from.id, limit],
  );
}

interface Portion {
  readonly tables: readonly MerchantTable[];
  readonly measure: (tx: Tx, table: MerchantTable) => Promise<Measure>;
  /** The payments that are chosen. */
  readonly ids: readonly string[];
}

/** Returns the names of those tables of which the two databases have other rows. */
async function findDiffering(
  { source, target }: Ends,
  merchantId: string,
  { tables, measure, ids }: Portion,
): Promise<string[]> {
  const [before, after] = await Promise.all(
    [source, target].map((db) =>
      inSnapshot(db, merchantId, async (tx) => {
        await choose(tx, ids);
        const measures: Measure[] = [];
        for (const table of tables) measures.push(await measure(tx, table));
        return measures;
      }),
    ),
  );
  const isSame = (at: number) =>
    before?.[at]?.rows === after?.[at]?.rows && before?.[at]?.digest === after?.[at]?.digest;
  return tables.filter((_, at) => !isSame(at)).map(({ name }) => name);
}

function measureChosen(tx: Tx, table: MerchantTable): Promise<Measure> {
  if (table.hangs === undefined) throw new Error(`${table.name} hangs on no payment`);
  return measureRows(tx, table, isOfMoving(table.hangs));
}

/** Those too that hang on no payment of the source. The values of the others are compared in portions. */
async function countRows(tx: Tx, table: MerchantTable, own: string): Promise<Measure> {
  const [row] = await ask<{ rows: number }>(
    tx,
    `SELECT count(*)::int AS rows FROM ${table.name} t WHERE ${isOf(table, own)}`,
  );
  return { rows: row?.rows ?? 0, digest: '' };
}
