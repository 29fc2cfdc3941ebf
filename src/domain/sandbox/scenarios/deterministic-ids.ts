import { createHash } from 'node:crypto';
import { depositAddress } from '../../chain/addresses.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { transactionHash } from '../../chain/transaction-hashes.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';

interface Identifier {
  readonly kind: 'pay' | 'token' | 'evt' | 'ref' | 'address' | 'hash';
  readonly name: string;
  readonly network: NetworkId | null;
}

// Each kind in the order in which its identifiers were made: by a number, or by a network's name, which no language sorts differently.
const idsOfPayment = sql<Identifier, { id: string }>(
  'identifiers_of_payment',
  (p) => `
    SELECT kind, name, network FROM (
      SELECT 'pay' AS kind, id AS name, NULL AS network, 1 AS place FROM payments WHERE id = ${p.id}
      UNION ALL SELECT 'token', token_id, NULL, 1 FROM payments WHERE id = ${p.id}
      UNION ALL SELECT 'evt', id, NULL, sequence FROM events WHERE payment_id = ${p.id}
      UNION ALL SELECT 'ref', id, NULL, place FROM refunds WHERE payment_id = ${p.id}
      UNION ALL SELECT DISTINCT 'address', address, network, 1 FROM quotes WHERE payment_id = ${p.id}
      UNION ALL SELECT 'hash', tx_hash, network, place FROM transfers WHERE payment_id = ${p.id}
    ) identifiers
    ORDER BY kind COLLATE "C", place, network COLLATE "C"`,
);

/** Addresses and hashes follow from ids, so they differ from run to run; ids and tokens stay random unless stable ones are asked for. */
const ALWAYS = new Set<Identifier['kind']>(['address', 'hash']);

/**
 * A scenario's report in which addresses and transaction hashes, and with `idsToo` all ids, are replaced by others of the same form that
 * follow from the seed: two runs of one scenario then give the same bytes.
 */
export async function withDeterministicIds(
  connection: Connection,
  paymentId: string,
  report: string,
  seed: string,
  idsToo: boolean,
): Promise<string> {
  const counts = new Map<Identifier['kind'], number>();
  let text = report;
  for (const { kind, name, network } of await run(connection, idsOfPayment, { id: paymentId })) {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (idsToo || ALWAYS.has(kind))
      text = text.replaceAll(name, deterministicId(kind, network, `${seed} ${kind} ${count}`));
  }
  return text;
}

function deterministicId(kind: Identifier['kind'], network: NetworkId | null, source: string): string {
  if (kind === 'address' && network !== null) return depositAddress('story', network, source);
  if (kind === 'hash' && network !== null)
    return transactionHash(network, { address: '', coin: 'BTC', amount: '1', nonce: source });
  const digest = createHash('sha256').update(source).digest('hex').toUpperCase();
  return kind === 'token' ? digest.slice(0, 32) : `${kind}_0${digest.slice(0, 25)}`;
}
