import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';

interface NewLink {
  readonly id: string;
  readonly emailFolded: string;
  /** Null: not mailed yet. */
  readonly tokenHash: Buffer | null;
  readonly expiresAt: Date;
}

const insertRow = sql<never, NewLink>(
  'insert_password_link',
  (p) => `
    INSERT INTO password_links (id, email_folded, token_hash, expires_at)
    VALUES (${p.id}, ${p.emailFolded}, ${p.tokenHash}, ${p.expiresAt})`,
);

/** Writes down a link for whoever has the mail address, if anybody. */
export async function insertLink(connection: Connection, link: NewLink): Promise<void> {
  await run(connection, insertRow, link);
}

/** A link that was asked for, and whose it is. */
export interface AskedLink {
  readonly email: string;
  readonly expires_at: Date;
}

const linkOfId = sql<AskedLink, { id: string }>(
  'password_link_of_id',
  (p) => `
    SELECT who.email, l.expires_at
    FROM password_links l JOIN people who ON who.email_folded = l.email_folded WHERE l.id = ${p.id}`,
);

/** Returns a link that was asked for; null: it is gone, or nobody has its mail address. */
export async function findAsked(connection: Connection, id: string): Promise<AskedLink | null> {
  return runOne(connection, linkOfId, { id });
}

const setToken = sql<never, { id: string; tokenHash: Buffer }>(
  'set_token_of_password_link',
  (p) => `UPDATE password_links SET token_hash = ${p.tokenHash} WHERE id = ${p.id}`,
);

/** Gives a link the token that is mailed: one that was mailed before works no more. */
export async function storeToken(connection: Connection, id: string, tokenHash: Buffer): Promise<void> {
  await run(connection, setToken, { id, tokenHash });
}

const deleteRow = sql<never, { id: string }>(
  'delete_password_link',
  (p) => `DELETE FROM password_links WHERE id = ${p.id}`,
);

export async function deleteLink(connection: Connection, id: string): Promise<void> {
  await run(connection, deleteRow, { id });
}

/** Whose password a link is for. */
export interface PasswordLink {
  readonly person_id: string;
  readonly email: string;
}

const linkOfToken = sql<PasswordLink, { tokenHash: Buffer; now: Date }>(
  'password_link_of_token',
  (p) => `
    SELECT who.id AS person_id, who.email
    FROM password_links l JOIN people who ON who.email_folded = l.email_folded
    WHERE l.token_hash = ${p.tokenHash} AND l.expires_at > ${p.now}`,
);

/** Returns whose link it is that can be used; null: there is none. */
export async function findLink(
  connection: Connection,
  tokenHash: Buffer,
  now: Date,
): Promise<PasswordLink | null> {
  return runOne(connection, linkOfToken, { tokenHash, now });
}

const deleteUsed = sql<{ email_folded: string }, { tokenHash: Buffer; now: Date }>(
  'use_password_link',
  (p) => `
    DELETE FROM password_links WHERE token_hash = ${p.tokenHash} AND expires_at > ${p.now}
    RETURNING email_folded`,
);
const deleteOthers = sql<never, { emailFolded: string }>(
  'delete_password_links_of_address',
  (p) => `DELETE FROM password_links WHERE email_folded = ${p.emailFolded}`,
);

/** Uses a link up, and with it all others of its mail address; false: another request has. */
export async function takeLink(tx: Tx, tokenHash: Buffer, now: Date): Promise<boolean> {
  const used = await runOne(tx, deleteUsed, { tokenHash, now });
  if (used === null) return false;
  await run(tx, deleteOthers, { emailFolded: used.email_folded });
  return true;
}

const deleteEnded = sql<{ id: string }, { now: Date; limit: number }>(
  'delete_ended_password_links',
  (p) => `
    DELETE FROM password_links WHERE id IN (
      SELECT id FROM password_links WHERE expires_at <= ${p.now} LIMIT ${p.limit}) RETURNING id`,
);

/** Deletes links that have ended, `limit` at most, and returns how many. */
export async function deleteEndedLinks(connection: Connection, now: Date, limit: number): Promise<number> {
  return (await run(connection, deleteEnded, { now, limit })).length;
}
