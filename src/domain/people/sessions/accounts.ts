import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { foldMailAddress } from '../../../platform/values/emails.ts';
import { newId } from '../../../platform/values/ids.ts';

/** A person, by whom they sign in. */
export interface Account {
  readonly id: string;
  readonly password_hash: string | null;
  /** They have signed in from the device that asks before. */
  readonly is_known_device: boolean;
}

const accountOfEmail = sql<Account, { emailFolded: string; deviceHash: Buffer | null }>(
  'account_of_email',
  (p) => `
    SELECT id, password_hash, EXISTS (
        SELECT FROM known_devices d WHERE d.person_id = people.id AND d.device_hash = ${p.deviceHash}
      ) AS is_known_device
    FROM people WHERE email_folded = ${p.emailFolded}`,
);

/** Returns the person with this mail address, however it is written; null: there is none. */
export async function findAccount(
  connection: Connection,
  email: string,
  deviceHash: Buffer | null,
): Promise<Account | null> {
  return runOne(connection, accountOfEmail, { emailFolded: foldMailAddress(email), deviceHash });
}

const insertPerson = sql<
  { id: string },
  { id: string; email: string; emailFolded: string; passwordHash: string | null; now: Date }
>(
  'insert_person',
  (p) => `
    INSERT INTO people (id, email, email_folded, password_hash, created_at)
    VALUES (${p.id}, ${p.email}, ${p.emailFolded}, ${p.passwordHash}, ${p.now})
    ON CONFLICT (email_folded) DO NOTHING RETURNING id`,
);

/** Adds a person; null: somebody has this mail address already. */
export async function addPerson(
  tx: Tx,
  email: string,
  passwordHash: string | null,
  now: Date,
): Promise<string | null> {
  const row = { id: newId('per', now), email, emailFolded: foldMailAddress(email), passwordHash, now };
  return (await runOne(tx, insertPerson, row))?.id ?? null;
}

const lockRow = sql<{ password_hash: string | null }, { personId: string }>(
  'lock_person',
  (p) => `SELECT password_hash FROM people WHERE id = ${p.personId} FOR NO KEY UPDATE`,
);

/**
 * Lets what depends on a person's password, and what begins or ends their sessions, run one after the other.
 * Returns the hash of the password as it is then; null: the person has none, or is gone.
 */
export async function lockPerson(tx: Tx, personId: string): Promise<string | null> {
  return (await runOne(tx, lockRow, { personId }))?.password_hash ?? null;
}

const updatePassword = sql<never, { personId: string; passwordHash: string }>(
  'set_password_of_person',
  (p) => `UPDATE people SET password_hash = ${p.passwordHash} WHERE id = ${p.personId}`,
);

/** Sets the password of a person, whom the caller has locked. */
export async function setPassword(tx: Tx, personId: string, passwordHash: string): Promise<void> {
  await run(tx, updatePassword, { personId, passwordHash });
}
