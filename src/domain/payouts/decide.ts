import { createPrivateKey, sign } from 'node:crypto';
import { readPrivateFile } from '../chain/keys/key-file.ts';
import { IS_COMPLETED } from '../payments/refunds/states.ts';
import {
  intentHash,
  IS_PAID_TWICE,
  readIntent,
  type DecidedIntent,
} from '../payments/refunds/by-signer/intent.ts';
import { run, runOne, sql, type Connection, type Db } from '../../platform/postgres/db.ts';
import { approvalText } from './judge.ts';

/** A payout, as operators see it. */
export interface ListedPayout {
  readonly refund_id: string;
  readonly merchant_id: string;
  readonly network: string;
  readonly coin: string;
  readonly amount: string;
  readonly address: string;
  readonly created_at: Date;
  /** new: the signer has not looked; paid twice: by another as well; held also where an operator holds it. */
  readonly state: string;
  readonly because: string | null;
  /** The operator who holds it: a person has looked. */
  readonly held_by: string | null;
  readonly approved_by: string | null;
  readonly tx_hash: string | null;
  /** Null: there is no such refund. */
  readonly refund_status: string | null;
}

const listPayouts = sql<ListedPayout, { all: boolean; limit: number }>(
  'list_payouts',
  (p) => `
    SELECT i.refund_id, i.merchant_id, i.network, i.coin, i.amount, i.address, i.created_at,
      CASE WHEN i.held_by IS NOT NULL AND coalesce(o.hashes, '{}') = '{}' THEN 'held'
        WHEN ${IS_PAID_TWICE('o', 'r')} THEN 'paid twice'
        ELSE coalesce(o.state, 'new') END AS state,
      CASE WHEN i.held_by IS NOT NULL THEN 'held by ' || i.held_by ELSE o.because END AS because,
      i.held_by, i.approved_by, coalesce(o.tx_hash, o.hashes[cardinality(o.hashes)]) AS tx_hash,
      r.status AS refund_status
    FROM payout_intents i LEFT JOIN payouts o ON o.refund_id = i.refund_id
      LEFT JOIN refunds r ON r.id = i.refund_id
    WHERE ${p.all} OR (o.state IN ('paid', 'cancelled')) IS NOT TRUE OR (${IS_COMPLETED('r')}) IS NOT TRUE
      OR (${IS_PAID_TWICE('o', 'r')} AND i.held_by IS NULL)
    ORDER BY i.created_at DESC LIMIT ${p.limit}`,
);

/** Returns payouts, newest first; without `all`, those that are not finished. */
export async function readPayouts(
  connection: Connection,
  asked: { readonly all: boolean; readonly limit: number },
): Promise<ListedPayout[]> {
  return run(connection, listPayouts, asked);
}

export interface PayoutAccount {
  readonly network: string;
  readonly address: string;
  readonly next_nonce: string;
  readonly held_because: string | null;
  readonly seen_at: Date | null;
}

const payoutAccounts = sql<PayoutAccount>(
  'payout_accounts',
  `SELECT network, address, next_nonce, held_because, seen_at FROM payout_accounts ORDER BY network, address`,
);

/** Returns the accounts that signers pay from. */
export async function readAccounts(connection: Connection): Promise<PayoutAccount[]> {
  return run(connection, payoutAccounts, []);
}

/**
 * Signs an intent as an approver, for the network of that chain. Throws RangeError for a file that is no such
 * key, or is not private.
 */
export async function signApproval(
  intent: DecidedIntent,
  chainId: number | null,
  keyFile: string,
): Promise<string> {
  const pem = await readPrivateFile(keyFile, "The approver's key file");
  const key = (() => {
    try {
      return createPrivateKey(pem);
    } catch {
      throw new RangeError("The approver's key file is no PEM: openssl genpkey -algorithm ed25519 -out FILE");
    }
  })();
  if (key.asymmetricKeyType !== 'ed25519') throw new RangeError("The approver's key is not of Ed25519");
  return sign(null, approvalText(chainId, intentHash(intent)), key).toString('base64');
}

interface Approval {
  readonly id: string;
  readonly by: string;
  readonly approval: string;
  readonly now: Date;
}

const approveIntent = sql<{ refund_id: string }, Approval>(
  'approve_payout',
  (p) => `
    UPDATE payout_intents SET approved_by = ${p.by}, approval = ${p.approval}, approved_at = ${p.now}
    WHERE refund_id = ${p.id} RETURNING refund_id`,
);

export async function approvePayout(connection: Connection, approval: Approval): Promise<void> {
  await run(connection, approveIntent, approval);
}

const holdIntent = sql<{ is_signed: boolean }, { id: string; by: string; now: Date }>(
  'hold_payout',
  (p) => `
    UPDATE payout_intents i SET held_by = ${p.by}, held_at = ${p.now} WHERE refund_id = ${p.id}
    RETURNING EXISTS (SELECT FROM payouts o WHERE o.refund_id = i.refund_id AND hashes <> '{}') AS is_signed`,
);

const lockAccounts = sql<{ address: string }, { network: string }>(
  'lock_payout_accounts',
  (p) => `SELECT address FROM payout_accounts WHERE network = ${p.network} ORDER BY address FOR UPDATE`,
);

/** Holds a payout; null: there is none. What was signed is not called back. */
export async function holdPayout(
  db: Db,
  held: { readonly id: string; readonly by: string; readonly now: Date },
): Promise<{ is_signed: boolean } | null> {
  return db.transaction(async (tx) => {
    const intent = await readIntent(tx, held.id);
    if (intent === null) return null;
    // The signer has the lock while it stores what it signed: this finds that, or the signer finds the hold.
    await run(tx, lockAccounts, intent);
    return runOne(tx, holdIntent, held);
  });
}

// What was signed is never signed again: it is looked at again, for a provider may have lied.
const releaseIntent = sql<{ was_held: boolean }, { id: string }>(
  'release_payout',
  (p) => `
    WITH judged AS (
      UPDATE payouts SET state = 'waiting' WHERE refund_id = ${p.id} AND state = 'held' AND hashes = '{}'
      RETURNING refund_id
    ), looked AS (
      UPDATE payouts o SET state = 'signed', because = NULL, tx_hash = NULL
      WHERE refund_id = ${p.id} AND tx_hash IS NOT NULL
        AND NOT EXISTS (SELECT FROM refunds r WHERE r.id = o.refund_id AND ${IS_COMPLETED('r')})
      RETURNING refund_id
    ), held AS (
      UPDATE payout_intents SET held_by = NULL, held_at = NULL
      WHERE refund_id = ${p.id} AND held_by IS NOT NULL RETURNING refund_id
    )
    SELECT EXISTS (
      SELECT FROM judged UNION ALL SELECT FROM looked UNION ALL SELECT FROM held) AS was_held`,
);

/** Lets the signer look at a payout again: every limit still holds. False: nothing could be released. */
export async function releasePayout(connection: Connection, id: string): Promise<boolean> {
  return (await runOne(connection, releaseIntent, { id }))?.was_held ?? false;
}

const releaseAccounts = sql<{ address: string }, { network: string }>(
  'release_payout_accounts',
  (p) => `
    UPDATE payout_accounts SET held_because = NULL WHERE network = ${p.network} AND held_because IS NOT NULL
    RETURNING address`,
);

/** Lets the accounts of a network sign again; what holds them is found again where it is still so. */
export async function releaseAccount(connection: Connection, network: string): Promise<boolean> {
  return (await run(connection, releaseAccounts, { network })).length > 0;
}

const grantSigner = sql<{ done: string | null }, { role: string }>(
  'grant_payout_signer',
  (p) => `SELECT grant_payout_signer(${p.role})::text AS done`,
);
const grantWorker = sql<{ done: string | null }, { role: string }>(
  'grant_payout_worker',
  (p) => `SELECT grant_payout_worker(${p.role})::text AS done`,
);

/** Grants a role what the signer, or a worker, may do with payouts, and takes all else of them from it. */
export async function grantRole(connection: Connection, role: string, isSigner: boolean): Promise<void> {
  await run(connection, isSigner ? grantSigner : grantWorker, { role });
}
