import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';

/**
 * waiting: looked at again; held: waits for a person; signed: may be mined; paid: final in a block;
 * cancelled: a transaction of nothing is, since somebody else has paid the refund.
 */
export type PayoutState = 'waiting' | 'held' | 'signed' | 'paid' | 'cancelled';

export interface Account {
  readonly network: string;
  readonly address: string;
}

export interface AccountRow {
  /** A bigint, thus a string. */
  readonly next_nonce: string;
  readonly held_because: string | null;
}

const markAccountSeen = sql<AccountRow, Account & { now: Date }>(
  'see_payout_account',
  (p) => `
    UPDATE payout_accounts SET seen_at = ${p.now} WHERE network = ${p.network} AND address = ${p.address}
    RETURNING next_nonce, held_because`,
);

/** Records that the signer looks at a network, and returns the account; null: there is no row of it. */
export async function seeAccount(
  connection: Connection,
  account: Account,
  now: Date,
): Promise<AccountRow | null> {
  return runOne(connection, markAccountSeen, { ...account, now });
}

const lockedAccount = sql<AccountRow, Account>(
  'lock_payout_account',
  (p) => `
    SELECT next_nonce, held_because FROM payout_accounts
    WHERE network = ${p.network} AND address = ${p.address} FOR UPDATE`,
);

/** Locks an account: whoever signs for it has the lock. */
export async function lockAccount(tx: Tx, account: Account): Promise<AccountRow | null> {
  return runOne(tx, lockedAccount, account);
}

const holdPayoutAccount = sql<never, Account & { because: string }>(
  'hold_payout_account',
  (p) => `
    UPDATE payout_accounts SET held_because = coalesce(held_because, ${p.because})
    WHERE network = ${p.network} AND address = ${p.address}`,
);

/** Lets an account sign nothing until a person has looked. */
export async function holdAccount(connection: Connection, account: Account, because: string): Promise<void> {
  await run(connection, holdPayoutAccount, { ...account, because });
}

interface Judged {
  readonly refund_id: string;
  readonly network: string;
  readonly account: string;
  readonly state: PayoutState;
  readonly because: string | null;
  readonly now: Date;
}

// What was signed is not judged again: an intent that is inserted twice changes nothing of it.
const judgePayout = sql<never, Judged>(
  'judge_payout',
  (p) => `
    INSERT INTO payouts AS o (refund_id, network, account, state, because, looked_at)
    VALUES (${p.refund_id}, ${p.network}, ${p.account}, ${p.state}, ${p.because}, ${p.now})
    ON CONFLICT (refund_id) DO UPDATE SET state = excluded.state, because = excluded.because,
      looked_at = excluded.looked_at
      WHERE o.hashes = '{}'`,
);

/** Stores why nothing is signed for an intent. */
export async function storeJudgement(connection: Connection, judged: Judged): Promise<void> {
  await run(connection, judgePayout, judged);
}

/** A transaction that was signed. */
export interface Attempt {
  readonly refund_id: string;
  readonly network: string;
  readonly account: string;
  readonly intent_hash: string;
  readonly nonce: number;
  readonly hash: string;
  /** In hexadecimal. */
  readonly raw: string;
  readonly at: Date;
}

// The same attempt again, after a crash, changes nothing.
const insertAttempt = sql<never, Attempt>(
  'store_payout_attempt',
  (p) => `
    INSERT INTO payouts AS o (refund_id, network, account, state, intent_hash, nonce, hashes, raws, signed_at,
      sent_at, looked_at)
    VALUES (${p.refund_id}, ${p.network}, ${p.account}, 'signed', ${p.intent_hash}, ${p.nonce},
      ARRAY[${p.hash}::text], ARRAY[${p.raw}::text], ${p.at}, ${p.at}, ${p.at})
    ON CONFLICT (refund_id) DO UPDATE SET state = 'signed', because = NULL,
      intent_hash = excluded.intent_hash, nonce = excluded.nonce, hashes = o.hashes || excluded.hashes,
      raws = o.raws || excluded.raws, signed_at = coalesce(o.signed_at, excluded.signed_at),
      sent_at = excluded.sent_at, looked_at = excluded.looked_at
      WHERE NOT ${p.hash}::text = ANY (o.hashes)`,
);

const raiseNonce = sql<never, Account & { nonce: number }>(
  'raise_payout_nonce',
  (p) => `
    UPDATE payout_accounts SET next_nonce = greatest(next_nonce, ${p.nonce}::bigint + 1)
    WHERE network = ${p.network} AND address = ${p.address}`,
);

/** Stores signed bytes before they are sent, and that their number is used. The caller has the lock. */
export async function storeAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  await run(tx, insertAttempt, attempt);
  const { network, account: address, nonce } = attempt;
  await run(tx, raiseNonce, { network, address, nonce });
}

/** What was signed for a refund, and is not final. */
export interface OpenPayout {
  readonly refund_id: string;
  readonly state: PayoutState;
  /** A bigint, thus a string. */
  readonly nonce: string;
  readonly intent_hash: string;
  readonly hashes: readonly string[];
  readonly raws: readonly string[];
  readonly signed_at: Date;
  readonly sent_at: Date;
  /** Its refund is completed, and by none of its transactions. */
  readonly is_stopped: boolean;
}

// Index: payouts_open. One that is held is looked at too: a node may have lied, and another one may not.
const openPayouts = sql<OpenPayout, Account & { limit: number }>(
  'open_payouts',
  (p) => `
    SELECT refund_id, state, nonce, intent_hash, hashes, raws, signed_at, sent_at, EXISTS (
        SELECT FROM payout_stops s
        WHERE s.refund_id = o.refund_id AND (s.tx_hash = ANY (o.hashes)) IS NOT TRUE) AS is_stopped
    FROM payouts o
    WHERE network = ${p.network} AND account = ${p.address} AND state <> 'paid' AND hashes <> '{}'
      AND tx_hash IS NULL
    ORDER BY state DESC, nonce LIMIT ${p.limit}`,
);

/** Returns what was signed and is not final, in the order of the numbers. */
export async function readOpenPayouts(
  connection: Connection,
  account: Account,
  limit: number,
): Promise<OpenPayout[]> {
  return run(connection, openPayouts, { ...account, limit });
}

interface Ended {
  readonly refund_id: string;
  readonly state: PayoutState;
  readonly because: string | null;
  readonly tx_hash: string | null;
  readonly now: Date;
}

const finishPayout = sql<never, Ended>(
  'end_payout',
  (p) => `
    UPDATE payouts SET state = ${p.state}, because = ${p.because}, tx_hash = ${p.tx_hash},
      looked_at = ${p.now}
    WHERE refund_id = ${p.refund_id}`,
);

/** Stores what became of the number of a payout. */
export async function endPayout(connection: Connection, ended: Ended): Promise<void> {
  await run(connection, finishPayout, ended);
}
