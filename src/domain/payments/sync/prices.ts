import type { ChainTransfer } from '../../chain/port.ts';
import type { RateSource } from '../../chain/rates/rates.ts';
import { recordset, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { readPrices, type PricesOf } from '../pricing/market.ts';
import type { ChainScope } from '../transfers/store.ts';

/** Something needs a price, and none were read: the caller reads them and tries again. */
export class PricesUnread extends Error {
  override readonly name = 'PricesUnread';
}

/** Money at par and within a locked quote needs no price: they are read once something asks for one. */
export const unreadPrices: PricesOf = () => {
  throw new PricesUnread('no prices were read');
};

// Served by quotes_by_address.
const convertingMerchants = sql<
  { merchant_id: string },
  Pick<ChainScope, 'network' | 'modes'> & { transfers: string }
>(
  'converting_merchants',
  (p) => `
    SELECT DISTINCT p.merchant_id
    FROM json_to_recordset(${p.transfers}::json) AS t (address text, coin text)
      JOIN quotes q ON q.network = ${p.network} AND q.address = t.address
      JOIN payments p ON p.id = q.payment_id AND p.pay_currency <> t.coin
      JOIN merchants m ON m.id = p.merchant_id
    WHERE m.mode = ANY (${p.modes})`,
);

/** Returns the merchants to whom some of the transfers come in a coin that is not the payment's own. */
async function findConverting(
  connection: Connection,
  { network, modes }: ChainScope,
  transfers: readonly Pick<ChainTransfer, 'address' | 'coin'>[],
): Promise<string[]> {
  if (transfers.length === 0) return [];
  const rows = recordset(transfers.map(({ address, coin }) => ({ address, coin })));
  const found = await run(connection, convertingMerchants, { network, modes, transfers: rows });
  return found.map(({ merchant_id }) => merchant_id);
}

/** Reads the prices that the transfers of a page are credited at. */
export async function pricesOfPage(
  connection: Connection,
  source: RateSource,
  scope: ChainScope,
  transfers: readonly ChainTransfer[],
  now: Date,
): Promise<PricesOf> {
  return readPrices(connection, source, await findConverting(connection, scope, transfers), now);
}
