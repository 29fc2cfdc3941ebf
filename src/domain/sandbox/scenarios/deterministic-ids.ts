import { createHash } from 'node:crypto';
import { depositAddress } from '../../chain/addresses.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { transactionHash } from '../../chain/transaction-hashes.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';

interface Name {
  readonly kind: 'pay' | 'token' | 'evt' | 'ref' | 'address' | 'hash';
  readonly name: string;
  readonly network: NetworkId | null;
}

// Each kind in the order in which its names came to be: a number, or a network's name, which no language sorts differently.
const idsOfPayment = sql<Name>(
  'names_of_payment',
  `SELECT kind, name, network FROM (
     SELECT 'pay' AS kind, id AS name, NULL AS network, 1 AS place FROM payments WHERE id = $1
     UNION ALL SELECT 'token', token_id, NULL, 1 FROM payments WHERE id = $1
     UNION ALL SELECT 'evt', id, NULL, sequence FROM events WHERE payment_id = $1
     UNION ALL SELECT 'ref', id, NULL, place FROM refunds WHERE payment_id = $1
     UNION ALL SELECT DISTINCT 'address', address, network, 1 FROM quotes WHERE payment_id = $1
     UNION ALL SELECT 'hash', tx_hash, network, place FROM transfers WHERE payment_id = $1
   ) names ORDER BY kind COLLATE "C", place, network COLLATE "C"`,
);

/** Ids and tokens stay as they are unless they are asked to be stable; addresses and hashes follow from ids, so they never are by themselves. */
const ALWAYS = new Set<Name['kind']>(['address', 'hash']);

/**
 * A story's text in which addresses and transaction hashes, and with `idsToo` all ids, are replaced by others of the same form that
 * follow from the seed: two tellings of one story are then the same bytes.
 */
export async function withDeterministicIds(
  connection: Connection,
  paymentId: string,
  text: string,
  seed: string,
  idsToo: boolean,
): Promise<string> {
  const counts = new Map<Name['kind'], number>();
  let told = text;
  for (const { kind, name, network } of await run(connection, idsOfPayment, [paymentId])) {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (idsToo || ALWAYS.has(kind))
      told = told.replaceAll(name, deterministicId(kind, network, `${seed} ${kind} ${count}`));
  }
  return told;
}

function deterministicId(kind: Name['kind'], network: NetworkId | null, source: string): string {
  if (kind === 'address' && network !== null) return depositAddress('story', network, source);
  if (kind === 'hash' && network !== null)
    return transactionHash(network, { address: '', coin: 'BTC', amount: '1', nonce: source });
  const digest = createHash('sha256').update(source).digest('hex').toUpperCase();
  return kind === 'token' ? digest.slice(0, 32) : `${kind}_0${digest.slice(0, 25)}`;
}
