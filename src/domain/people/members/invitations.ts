import type { Mode } from '../../api/endpoint.ts';
import { recordAction } from '../../audit/record.ts';
import { lockMerchant } from '../../merchants/store.ts';
import type { Role } from '../rights/roles.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Actor, Context } from '../../../platform/context.ts';
import { IS_MOVING } from '../../moves/steps.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { foldMailAddress, isMailAddress } from '../../../platform/values/emails.ts';
import { deskUrl } from '../../../platform/values/cells.ts';
import { hashApiKey, newId, newToken } from '../../../platform/values/ids.ts';
import { listMembers, mayChange } from './members.ts';

const INVITATION_SECONDS = 86_400;
/** Each may send a mail to anybody. */
const MOST_OPEN = 50;

/** An invitation that nobody has used yet. */
export interface OpenInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: Date;
}

const openInvitations = sql<OpenInvitation, { merchantId: string; now: Date }>(
  'open_invitations_of_merchant',
  (p) => `
    SELECT id, email, role, expires_at FROM invitations
    WHERE merchant_id = ${p.merchantId} AND expires_at > ${p.now} ORDER BY id`,
);

/** Returns the invitations of a merchant that can still be used, oldest first. */
export async function listInvitations(
  connection: Connection,
  merchantId: string,
  now: Date,
): Promise<OpenInvitation[]> {
  return run(connection, openInvitations, { merchantId, now });
}

interface InvitationRow {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly merchantId: string;
  readonly email: string;
  readonly role: Role;
  /** A person's id; null: a command. */
  readonly invitedBy: string | null;
  readonly now: Date;
  readonly expiresAt: Date;
}

const insertInvitation = sql<never, InvitationRow>(
  'insert_invitation',
  (p) => `
    INSERT INTO invitations (
      id, token_hash, merchant_id, email, role, invited_by, created_at, expires_at
    ) VALUES (
      ${p.id}, ${p.tokenHash}, ${p.merchantId}, ${p.email}, ${p.role}, ${p.invitedBy}, ${p.now},
      ${p.expiresAt}
    )`,
);

const deletePassed = sql<never, { merchantId: string; now: Date }>(
  'delete_passed_invitations',
  (p) => `DELETE FROM invitations WHERE merchant_id = ${p.merchantId} AND expires_at <= ${p.now}`,
);

/** An invitation, with the link that is shown or mailed once: only its hash is stored. */
export interface Invitation {
  readonly id: string;
  readonly link: string;
  readonly expiresAt: Date;
}

/** `notOwner`: the person who invites was removed meanwhile, or is an owner no more. */
export type InvitationFault = 'badEmail' | 'isMember' | 'tooMany' | 'notOwner';

/** Invites somebody to a merchant, which exists: the link works once, within 24 hours. */
export async function invite(
  ctx: Pick<Context, 'db' | 'config' | 'now'>,
  { merchantId, email, role }: { merchantId: string; email: string; role: Role },
  by: Actor,
): Promise<Invitation | InvitationFault> {
  if (!isMailAddress(email)) return 'badEmail';
  const at = ctx.now();
  const [id, token] = [newId('inv', at), newToken()];
  const expiresAt = addSeconds(at, INVITATION_SECONDS);
  return ctx.db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const folded = foldMailAddress(email);
    const members = await listMembers(tx, merchantId);
    if (!mayChange(members, by)) return 'notOwner';
    if (members.some((member) => foldMailAddress(member.email) === folded)) return 'isMember';
    await run(tx, deletePassed, { merchantId, now: at });
    if ((await listInvitations(tx, merchantId, at)).length >= MOST_OPEN) return 'tooMany';
    const invitedBy = by.kind === 'person' ? by.actor : null;
    const row = { id, tokenHash: hashApiKey(token), merchantId, email, role, invitedBy, now: at, expiresAt };
    await run(tx, insertInvitation, row);
    // A command writes its own entry.
    if (by.kind === 'person')
      await recordAction(tx, {
        at,
        ...by,
        merchantId,
        command: 'person invited',
        details: { id, email, role },
      });
    return { id, link: deskUrl(ctx.config, `/dashboard/invitations/${token}`), expiresAt };
  });
}

const deleteInvitation = sql<{ email: string; role: Role }, { merchantId: string; id: string }>(
  'withdraw_invitation',
  (p) => `
    DELETE FROM invitations WHERE id = ${p.id} AND merchant_id = ${p.merchantId} RETURNING email, role`,
);

/** Withdraws an invitation of a merchant; false: it has none of that id, or it was used. */
export async function withdrawInvitation(
  { db, now }: Pick<Context, 'db' | 'now'>,
  invitation: { merchantId: string; id: string },
  by: Actor,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const withdrawn = await runOne(tx, deleteInvitation, invitation);
    if (withdrawn === null) return false;
    const { merchantId, id } = invitation;
    const details = { id, ...withdrawn };
    await recordAction(tx, { at: now(), ...by, merchantId, command: 'invitation withdrawn', details });
    return true;
  });
}

/** What an invitation says to whom it is for. */
export interface FoundInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly merchant_id: string;
  readonly name: string;
  readonly mode: Mode;
}

const invitationOfToken = sql<FoundInvitation, { tokenHash: Buffer; now: Date }>(
  'invitation_of_token',
  (p) => `
    SELECT i.id, i.email, i.role, m.id AS merchant_id, m.name, m.mode
    FROM invitations i JOIN merchants m ON m.id = i.merchant_id
    WHERE i.token_hash = ${p.tokenHash} AND i.expires_at > ${p.now}`,
);

/** Returns the invitation of a link that can be used; null: there is none. */
export async function findInvitation(
  connection: Connection,
  token: string,
  now: Date,
): Promise<FoundInvitation | null> {
  return runOne(connection, invitationOfToken, { tokenHash: hashApiKey(token), now });
}

const useInvitation = sql<{ id: string }, { id: string; now: Date }>(
  'use_invitation',
  (p) => `DELETE FROM invitations WHERE id = ${p.id} AND expires_at > ${p.now} RETURNING id`,
);

/** Uses an invitation up; false: another request has, or it was withdrawn. */
export async function takeInvitation(tx: Tx, id: string, now: Date): Promise<boolean> {
  return (await runOne(tx, useInvitation, { id, now })) !== null;
}

const deleteEnded = sql<{ id: string }, { now: Date; limit: number }>(
  'delete_ended_invitations',
  (p) => `
    DELETE FROM invitations WHERE id IN (
      SELECT id FROM invitations i
      WHERE expires_at <= ${p.now} AND NOT ${IS_MOVING('i.merchant_id')} LIMIT ${p.limit}) RETURNING id`,
);

/** Deletes invitations that have ended, `limit` at most, and returns how many. */
export async function deleteEndedInvitations(
  connection: Connection,
  now: Date,
  limit: number,
): Promise<number> {
  return (await run(connection, deleteEnded, { now, limit })).length;
}
