import type { Worth } from '../../chain/finality.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';

// Served by quotes_by_address.
const worthsOfAddresses = sql<
  Worth & { address: string },
  { network: NetworkId; addresses: readonly string[] }
>(
  'worths_of_addresses',
  (p) => `
    SELECT DISTINCT q.address, p.pay_currency AS coin,
      greatest(p.pay_amount::numeric, p.amount_received)::text AS amount
    FROM quotes q JOIN payments p ON p.id = q.payment_id
    WHERE q.network = ${p.network} AND q.address = ANY (${p.addresses})`,
);

/**
 * Returns what payments ask for, or got where that is more, by their addresses: many small transfers to a
 * large payment are no small ones.
 */
export async function readWorths(
  connection: Connection,
  network: NetworkId,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Worth>> {
  const rows = await run(connection, worthsOfAddresses, { network, addresses });
  return new Map(rows.map(({ address, ...worth }) => [address, worth]));
}
