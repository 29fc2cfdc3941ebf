import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';

/** A passkey, as its person sees it. */
export interface Passkey {
  readonly id: string;
  readonly credential_id: Buffer;
  readonly name: string;
  readonly created_at: Date;
  readonly used_at: Date;
}

// Index: passkeys_of_person.
const passkeysOfPerson = sql<Passkey, { personId: string }>(
  'passkeys_of_person',
  (p) => `
    SELECT id, credential_id, name, created_at, used_at FROM passkeys
    WHERE person_id = ${p.personId} ORDER BY id`,
);

/** Returns the passkeys of a person, oldest first. */
export async function listPasskeys(connection: Connection, personId: string): Promise<Passkey[]> {
  return run(connection, passkeysOfPerson, { personId });
}

/** What verifies the answers of an authenticator. */
export interface StoredKey {
  readonly id: string;
  readonly person_id: string;
  /** COSE. */
  readonly public_key: Buffer;
}

const keyOfCredential = sql<StoredKey, { credentialId: Buffer }>(
  'passkey_of_credential',
  (p) => `SELECT id, person_id, public_key FROM passkeys WHERE credential_id = ${p.credentialId}`,
);

/** Returns the passkey that an authenticator calls `credentialId`; null: nobody here has it. */
export async function findKey(connection: Connection, credentialId: Buffer): Promise<StoredKey | null> {
  return runOne(connection, keyOfCredential, { credentialId });
}

interface NewPasskey {
  readonly id: string;
  readonly personId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly name: string;
  readonly now: Date;
}

const insertRow = sql<{ id: string }, NewPasskey>(
  'insert_passkey',
  (p) => `
    INSERT INTO passkeys (id, person_id, credential_id, public_key, counter, name, created_at, used_at)
    VALUES (
      ${p.id}, ${p.personId}, ${p.credentialId}, ${p.publicKey}, ${p.counter}, ${p.name}, ${p.now}, ${p.now}
    ) ON CONFLICT (credential_id) DO NOTHING RETURNING id`,
);

/** Stores a passkey of a person, whom the caller has locked; false: somebody has it already. */
export async function insertPasskey(tx: Tx, passkey: NewPasskey): Promise<boolean> {
  return (await runOne(tx, insertRow, passkey)) !== null;
}

const countUse = sql<{ id: string }, { id: string; counter: number; now: Date }>(
  'count_use_of_passkey',
  (p) => `
    UPDATE passkeys SET counter = ${p.counter}, used_at = ${p.now}
    WHERE id = ${p.id} AND (counter < ${p.counter} OR (counter = 0 AND ${p.counter} = 0)) RETURNING id`,
);
const nameOfPasskey = sql<{ name: string }, { id: string }>(
  'name_of_passkey',
  (p) => `SELECT name FROM passkeys WHERE id = ${p.id}`,
);

/**
 * Writes down a use of a passkey, whose person the caller has locked. `cloned`: an authenticator that counts
 * its uses has counted further already, so that two have the same key (Web Authentication, 6.1.1).
 */
export async function notePasskeyUse(
  tx: Tx,
  { id, counter, now }: { id: string; counter: number; now: Date },
): Promise<'used' | 'cloned' | 'gone'> {
  if ((await runOne(tx, countUse, { id, counter, now })) !== null) return 'used';
  return (await runOne(tx, nameOfPasskey, { id })) === null ? 'gone' : 'cloned';
}

const deleteRow = sql<{ name: string }, { id: string; personId: string }>(
  'delete_passkey',
  (p) => `DELETE FROM passkeys WHERE id = ${p.id} AND person_id = ${p.personId} RETURNING name`,
);

/** Deletes a passkey of a person, whom the caller has locked, and returns its name; null: they have none. */
export async function deletePasskey(
  tx: Tx,
  passkey: { readonly id: string; readonly personId: string },
): Promise<string | null> {
  return (await runOne(tx, deleteRow, passkey))?.name ?? null;
}
