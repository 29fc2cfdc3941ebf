import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { foldMailAddress } from '../../../platform/values/emails.ts';
import { newId } from '../../../platform/values/ids.ts';

/** A person, by whom they sign in. */
export interface Account {
  readonly id: string;
  readonly password_hash: string | null;
  /** They have signed in from the device that asks before. */
  readonly is_known_device: boolean;
  /** They belong to a merchant. */
  readonly is_member: boolean;
}

const accountOfEmail = sql<Account, { emailFolded: string; deviceHash: Buffer | null }>(
  'account_of_email',
  (p) => `
    SELECT id, password_hash, EXISTS (
        SELECT FROM known_devices d WHERE d.person_id = people.id AND d.device_hash = ${p.deviceHash}
          AND d.revoked_at IS NULL) AS is_known_device,
      EXISTS (SELECT FROM memberships b WHERE b.person_id = people.id) AS is_member
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
    ON CONFLICT DO NOTHING RETURNING id`,
);

/** Adds a person; null: somebody has this mail address already, or this id. */
export async function addPerson(
  tx: Tx,
  email: string,
  passwordHash: string | null,
  now: Date,
  id = newId('per', now),
): Promise<string | null> {
  const row = { id, email, emailFolded: foldMailAddress(email), passwordHash, now };
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

const resetRow = sql<never, { personId: string; passwordHash: string | null; now: Date }>(
  'reset_person',
  (p) => `
    WITH apps AS (DELETE FROM totp_factors WHERE person_id = ${p.personId}),
      codes AS (DELETE FROM recovery_codes WHERE person_id = ${p.personId}),
      keys AS (DELETE FROM passkeys WHERE person_id = ${p.personId}),
      sessions AS (DELETE FROM person_sessions WHERE person_id = ${p.personId}),
      devices AS (
        UPDATE known_devices SET revoked_at = ${p.now} WHERE person_id = ${p.personId} AND revoked_at IS NULL)
    UPDATE people SET password_hash = ${p.passwordHash} WHERE id = ${p.personId}`,
);

/**
 * Makes an account as one that was just added: without second factors and sessions, known from no device, and
 * with this password or none. The caller has locked the person, and knows that they may be let in like that.
 */
export async function resetPerson(
  tx: Tx,
  personId: string,
  passwordHash: string | null,
  now: Date,
): Promise<void> {
  await run(tx, resetRow, { personId, passwordHash, now });
}

/** What a person signs in with. */
export interface Factors {
  readonly has_password: boolean;
  readonly has_totp: boolean;
  readonly has_passkey: boolean;
}

/** SQL: the columns of Factors, of a person `who`. */
export const FACTORS = `who.password_hash IS NOT NULL AS has_password,
      EXISTS (SELECT FROM totp_factors f WHERE f.person_id = who.id) AS has_totp,
      EXISTS (SELECT FROM passkeys k WHERE k.person_id = who.id) AS has_passkey`;

const factorsOfPerson = sql<Factors, { personId: string }>(
  'factors_of_person',
  (p) => `SELECT ${FACTORS} FROM people who WHERE who.id = ${p.personId}`,
);

/** Returns what a person signs in with; nothing: they are gone. */
export async function factorsOf(connection: Connection, personId: string): Promise<Factors> {
  const none = { has_password: false, has_totp: false, has_passkey: false };
  return (await runOne(connection, factorsOfPerson, { personId })) ?? none;
}

/** Whether there is a second factor: without one the next step is to set one up. */
export function hasFactor({ has_totp, has_passkey }: Omit<Factors, 'has_password'>): boolean {
  return has_totp || has_passkey;
}
