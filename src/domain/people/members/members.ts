import { recordAction } from '../../audit/record.ts';
import { lockMerchant } from '../../merchants/store.ts';
import { FACTORS, type Factors } from '../sessions/accounts.ts';
import type { Role } from '../rights/roles.ts';
import type { Actor, Context } from '../../../platform/context.ts';
import { run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';

/** A person of a merchant. */
export interface Member extends Factors {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly since: Date;
}

const membersOfMerchant = sql<Member, { merchantId: string }>(
  'members_of_merchant',
  (p) => `
    SELECT who.id, who.email, b.role, b.created_at AS since,
      ${FACTORS}
    FROM memberships b JOIN people who ON who.id = b.person_id
    WHERE b.merchant_id = ${p.merchantId} ORDER BY b.created_at, who.id`,
);

/** Returns the people of a merchant, those first who have been there longest. */
export async function listMembers(connection: Connection, merchantId: string): Promise<Member[]> {
  return run(connection, membersOfMerchant, { merchantId });
}

interface NewMember {
  readonly merchantId: string;
  readonly personId: string;
  readonly role: Role;
  readonly now: Date;
}

const insertMember = sql<never, NewMember>(
  'insert_membership',
  (p) => `
    INSERT INTO memberships (merchant_id, person_id, role, created_at)
    VALUES (${p.merchantId}, ${p.personId}, ${p.role}, ${p.now}) ON CONFLICT DO NOTHING`,
);

/** Makes a person one of a merchant's; who is already one keeps their role. */
export async function addMember(tx: Tx, member: NewMember): Promise<void> {
  await run(tx, insertMember, member);
}

interface Named {
  readonly merchantId: string;
  readonly personId: string;
}

const updateRole = sql<never, Named & { role: Role }>(
  'set_role_of_member',
  (p) => `
    UPDATE memberships SET role = ${p.role}
    WHERE merchant_id = ${p.merchantId} AND person_id = ${p.personId}`,
);
const deleteMember = sql<never, Named>(
  'delete_membership',
  (p) => `DELETE FROM memberships WHERE merchant_id = ${p.merchantId} AND person_id = ${p.personId}`,
);

const withdrawTheirs = sql<never, Named>(
  'withdraw_invitations_of_inviter',
  (p) => `DELETE FROM invitations WHERE merchant_id = ${p.merchantId} AND invited_by = ${p.personId}`,
);

/**
 * Whether somebody may change the members, who were read under the merchant's lock: a person who was removed
 * while they waited for it may not.
 */
export function mayChange(members: readonly Member[], by: Actor): boolean {
  return by.kind !== 'person' || members.some(({ id, role }) => id === by.actor && role === 'owner');
}

/**
 * Gives a member another role, or none (null): their sessions no longer show the merchant, from the next
 * request on. `lastOwner`: nobody could invite anybody any more. Of two owners who remove each other the
 * second waits for the first, and is refused or gone then.
 */
export async function changeMember(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { merchantId, personId }: Named,
  role: Role | null,
  by: Actor,
): Promise<'changed' | 'missing' | 'lastOwner'> {
  return db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const members = await listMembers(tx, merchantId);
    const member = members.find(({ id }) => id === personId);
    if (member === undefined) return 'missing';
    if (!mayChange(members, by)) return 'missing';
    const owners = members.filter((one) => one.role === 'owner');
    if (member.role === 'owner' && role !== 'owner' && owners.length === 1) return 'lastOwner';
    if (role === null) await run(tx, deleteMember, { merchantId, personId });
    else await run(tx, updateRole, { merchantId, personId, role });
    // Nobody leaves a way back in: whom they have invited an owner invites again.
    if (role !== 'owner') await run(tx, withdrawTheirs, { merchantId, personId });
    const details = { person: personId, email: member.email, before: member.role, after: role };
    const command = role === null ? 'person removed' : 'role changed';
    await recordAction(tx, { at: now(), ...by, merchantId, command, details });
    return 'changed';
  });
}
