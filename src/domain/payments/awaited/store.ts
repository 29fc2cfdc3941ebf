import type { NetworkId } from '../../chain/networks.ts';
import type { Outcome } from '../../chain/port.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { isOpen, statusesThat } from '../lifecycle/states.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';

/** A transaction that a customer's wallet has sent for a payment, as its page says; no chain reports it. */
export interface AwaitedTransaction {
  readonly payment_id: string;
  readonly network: NetworkId;
  readonly tx_hash: string;
}

// The same transaction again is no new one.
const awaitStatement = sql<never, AwaitedTransaction>(
  'await_transaction',
  (p) => `
    INSERT INTO awaited_transactions AS a (payment_id, network, tx_hash)
    VALUES (${p.payment_id}, ${p.network}, ${p.tx_hash})
    ON CONFLICT (payment_id) DO UPDATE
    SET network = excluded.network, tx_hash = excluded.tx_hash, sender = NULL, nonce = NULL,
      looked_up_at = NULL, is_lost = false
    WHERE (a.network, a.tx_hash) <> (excluded.network, excluded.tx_hash)`,
);

/** Stores the transaction that a payment waits for, in the place of the one before. */
export async function awaitTransaction(
  connection: Connection,
  { payment_id, network, tx_hash }: AwaitedTransaction,
): Promise<void> {
  await run(connection, awaitStatement, { payment_id, network, tx_hash });
}

type SenderNumber = NonNullable<Outcome['number']>;

/** SQL: a transfer of the awaited transaction `a`. Index: the primary key of transfers. */
const ITS_TRANSFER = `SELECT FROM transfers t
  WHERE t.payment_id = a.payment_id AND t.network = a.network AND t.tx_hash = a.tx_hash`;

const deleteStatement = sql<never, { network: NetworkId }>(
  'delete_awaited_no_more',
  (p) => `
    DELETE FROM awaited_transactions a USING payments p
    WHERE a.network = ${p.network} AND NOT a.is_lost AND p.id = a.payment_id
      AND (p.status NOT IN (${statusesThat(isOpen)}) OR EXISTS (${ITS_TRANSFER}))`,
);

/** Deletes what is not awaited any more: its chain has reported it, or the payment has ended. */
export async function deleteAwaitedNoMore(connection: Connection, network: NetworkId): Promise<void> {
  await run(connection, deleteStatement, { network });
}

/** An awaited transaction, with its number where it is known. */
export interface DueTransaction extends AwaitedTransaction {
  readonly sender: string | null;
  readonly nonce: string | null;
}

interface Taking {
  readonly network: NetworkId;
  readonly now: Date;
  readonly lookedUpBefore: Date;
  readonly limit: number;
}

// Index: awaited_transactions_due.
const takeStatement = sql<DueTransaction, Taking>(
  'take_awaited_transactions',
  (p) => `
    UPDATE awaited_transactions a SET looked_up_at = ${p.now}
    FROM (
      SELECT payment_id FROM awaited_transactions
      WHERE network = ${p.network} AND NOT is_lost
        AND (looked_up_at IS NULL OR looked_up_at <= ${p.lookedUpBefore})
      ORDER BY looked_up_at NULLS FIRST, payment_id LIMIT ${p.limit}
    ) due
    WHERE a.payment_id = due.payment_id
    RETURNING a.payment_id, a.network, a.tx_hash, a.sender, a.nonce`,
);

/** Returns those that are to be looked up, longest ago first, and records that they are. */
export async function takeAwaited(connection: Connection, taking: Taking): Promise<DueTransaction[]> {
  return run(connection, takeStatement, taking);
}

const numberStatement = sql<never, Omit<AwaitedTransaction, 'network'> & SenderNumber>(
  'number_awaited_transaction',
  (p) => `
    UPDATE awaited_transactions SET sender = ${p.sender}, nonce = ${p.nonce}
    WHERE payment_id = ${p.payment_id} AND tx_hash = ${p.tx_hash}`,
);

/** Keeps who has signed an awaited transaction, and its number among theirs. */
export async function keepNumber(
  connection: Connection,
  { payment_id, tx_hash }: AwaitedTransaction,
  { sender, nonce }: SenderNumber,
): Promise<void> {
  await run(connection, numberStatement, { payment_id, tx_hash, sender, nonce });
}

// What its chain has reported, or may have reported of a payment that is quarantined, is not lost.
const loseStatement = sql<never, AwaitedTransaction>(
  'lose_awaited_transaction',
  (p) => `
    INSERT INTO awaited_transactions AS a (payment_id, network, tx_hash, is_lost)
    SELECT payment_id, network, tx_hash, true
    FROM (VALUES (${p.payment_id}, ${p.network}, ${p.tx_hash})) AS a (payment_id, network, tx_hash)
    WHERE NOT EXISTS (${ITS_TRANSFER}) AND NOT ${HAS_QUARANTINED('a.payment_id')}
    ON CONFLICT (payment_id) DO UPDATE SET is_lost = true
    WHERE (a.network, a.tx_hash) = (excluded.network, excluded.tx_hash)`,
);

/** Records that a transaction is lost for good: the page of its payment asks for the money again. */
export async function loseAwaited(
  connection: Connection,
  { payment_id, network, tx_hash }: AwaitedTransaction,
): Promise<void> {
  await run(connection, loseStatement, { payment_id, network, tx_hash });
}
