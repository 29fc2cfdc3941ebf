import { sharedBatch } from '../../platform/batch.ts';
import { foundOr } from '../api/errors.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { isId } from '../../platform/values/ids.ts';
import { RESOURCE_COLUMNS, type ResourceRow } from './schemas.ts';

/** A payment that a merchant asks for. */
interface Asked {
  readonly merchantId: string;
  readonly id: string;
}

type Found = ResourceRow & { readonly merchant_id: string };

/** As many as may be created at the same moment (insert.ts); a read is the smaller work. */
const LIMITS = { size: 100, waiting: 2_000 };

const readTogether = sharedBatch(readAll, LIMITS);

/**
 * Returns what the API shows of the merchant's payment. Payments that are asked for at the same moment share
 * a statement. A statement takes only what was asked for before it began: whoever asks after a commit was
 * acknowledged reads that commit. Throws ApiError payment_not_found when it does not exist or is another
 * merchant's, and unavailable where too many wait.
 */
export async function readPayment(
  connection: Connection,
  merchantId: string,
  id: string,
): Promise<ResourceRow> {
  // Postgres rejects some text, for example a NUL, with an error; no payment has such an id.
  const row = isId('pay', id) ? await readTogether(connection, { merchantId, id }) : null;
  return foundOr('payment_not_found', row);
}

async function readAll(connection: Connection, asked: readonly Asked[]): Promise<(ResourceRow | null)[]> {
  // Once for each: the requests for one payment share its row.
  const once = new Map(asked.map((one) => [keyOf(one.merchantId, one.id), one]));
  const found = await run(connection, paymentsOfMerchants, {
    merchantIds: [...once.values()].map(({ merchantId }) => merchantId),
    ids: [...once.values()].map(({ id }) => id),
  });
  const byKey = new Map(found.map((row) => [keyOf(row.merchant_id, row.id), row]));
  return asked.map(({ merchantId, id }) => byKey.get(keyOf(merchantId, id)) ?? null);
}

/** The ids of merchants have no spaces. */
function keyOf(merchantId: string, id: string): string {
  return `${merchantId} ${id}`;
}

// Index: payments_pkey, once for each.
const paymentsOfMerchants = sql<
  Found,
  { readonly merchantIds: readonly string[]; readonly ids: readonly string[] }
>(
  'payments_of_merchants',
  (p) => `
    SELECT p.merchant_id, ${RESOURCE_COLUMNS.map((column) => `p.${column}`).join(', ')}
    FROM unnest(${p.merchantIds}::text[], ${p.ids}::text[]) AS asked (merchant_id, id)
    JOIN payments p ON p.id = asked.id AND p.merchant_id = asked.merchant_id`,
);
