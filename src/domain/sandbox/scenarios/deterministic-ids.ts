import { createHash } from 'node:crypto';
import { depositAddress } from '../../chain/addresses.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { transactionHash } from '../../chain/transaction-hashes.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';

interface Identifier {
  readonly kind: 'pay' | 'token' | 'evt' | 'ref' | 'address' | 'sender' | 'hash' | 'payout';
  readonly name: string;
  readonly network: NetworkId | null;
}

// Each kind in the order of creation: by a number, or by a network's name, which sorts the same in every
// collation.
const idsOfPayment = sql<Identifier, { id: string }>(
  'identifiers_of_payment',
  (p) => `
    SELECT kind, name, network FROM (
      SELECT 'pay' AS kind, id AS name, NULL AS network, 1 AS place FROM payments WHERE id = ${p.id}
      UNION ALL SELECT 'token', token_id, NULL, 1 FROM payments WHERE id = ${p.id}
      UNION ALL SELECT 'evt', id, NULL, sequence FROM events WHERE payment_id = ${p.id}
      UNION ALL SELECT 'ref', id, NULL, place FROM refunds WHERE payment_id = ${p.id}
      UNION ALL SELECT DISTINCT 'address', address, network, 1 FROM quotes WHERE payment_id = ${p.id}
      UNION ALL SELECT DISTINCT 'sender', sender, network, 1 FROM transfers
        WHERE payment_id = ${p.id} AND sender IS NOT NULL
      UNION ALL SELECT 'hash', tx_hash, network, place FROM transfers WHERE payment_id = ${p.id}
      UNION ALL SELECT 'payout', tx_hash, network, place FROM refunds
        WHERE payment_id = ${p.id} AND tx_hash IS NOT NULL
    ) identifiers
    ORDER BY kind COLLATE "C", place, network COLLATE "C"`,
);

/** Addresses and hashes depend on random ids, so they are always replaced; ids and tokens only on request. */
const ALWAYS = new Set<Identifier['kind']>(['address', 'sender', 'hash', 'payout']);

/**
 * Every id, token, address and hash is one such word: none is shorter, nor contains another character, but
 * the dot behind a token's cell. The replacement has no cell: a story is the same in all of them.
 */
const IDENTIFIER = /([a-z\d]{1,8}\.)?([\w-]{20,})/g;

/** Returns every id, token, address and hash of a payment, each kind in the order of creation. */
export function readIdentifiers(connection: Connection, paymentId: string): Promise<Identifier[]> {
  return run(connection, idsOfPayment, { id: paymentId });
}

/**
 * Replaces addresses and transaction hashes of a scenario's report, and with `idsToo` all ids, by
 * deterministic ones of the same form: two runs of one scenario then return the same bytes.
 */
export function withDeterministicIds(
  report: string,
  identifiers: readonly Identifier[],
  { seed, idsToo }: { seed: string; idsToo: boolean },
): string {
  const counts = new Map<Identifier['kind'], number>();
  const replacements = new Map<string, string>();
  for (const { kind, name, network } of identifiers) {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (idsToo || ALWAYS.has(kind))
      replacements.set(name, deterministicId(kind, network, `${seed} ${kind} ${count}`));
  }
  // In one pass: a report of megabytes has hundreds of identifiers.
  return report.replace(
    IDENTIFIER,
    (whole, before: string | undefined, name: string) =>
      replacements.get(whole) ?? (before ?? '') + (replacements.get(name) ?? name),
  );
}

function deterministicId(kind: Identifier['kind'], network: NetworkId | null, source: string): string {
  if ((kind === 'address' || kind === 'sender') && network !== null)
    return depositAddress('story', network, source);
  if ((kind === 'hash' || kind === 'payout') && network !== null)
    return transactionHash(network, { address: '', coin: 'BTC', amount: '1', nonce: source });
  const digest = createHash('sha256').update(source).digest('hex').toUpperCase();
  return kind === 'token' ? digest.slice(0, 32) : `${kind}_0${digest.slice(0, 25)}`;
}
