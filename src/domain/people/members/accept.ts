import { recordAction } from '../../audit/record.ts';
import { hashPassword } from '../passwords/hashing.ts';
import { passwordFault, type PasswordFault } from '../passwords/rules.ts';
import { addPerson, findAccount, lockPerson } from '../sessions/accounts.ts';
import { checkPassword, placeOf, type Refusal, type Visitor } from '../sessions/sign-in.ts';
import { insertNewSession } from '../sessions/store.ts';
import type { Context } from '../../../platform/context.ts';
import { findInvitation, takeInvitation, type FoundInvitation } from './invitations.ts';
import { addMember } from './members.ts';

/** An invitation, and whether its person has an account already: then its password is asked for. */
export interface Invited extends FoundInvitation {
  readonly isKnown: boolean;
}

/** Returns what the page of an invitation says; null: it was used, withdrawn or is too old. */
export async function readInvitation(ctx: Context, token: string): Promise<Invited | null> {
  const invitation = await findInvitation(ctx.db, token, ctx.now());
  if (invitation === null) return null;
  return { ...invitation, isKnown: (await findAccount(ctx.db, invitation.email, null)) !== null };
}

/**
 * Accepts an invitation: with a new password, or with that of the account that its mail address has. Returns
 * the token of a session whose second factor is still to come.
 */
export async function acceptInvitation(
  ctx: Context,
  invitation: Invited,
  password: string,
  visitor: Visitor,
): Promise<{ token: string } | PasswordFault | Refusal | 'missing'> {
  const checked = invitation.isKnown
    ? await checkPassword(ctx, invitation.email, password, visitor)
    : (passwordFault(password) ?? { passwordHash: await hashPassword(password) });
  if (typeof checked === 'string') return checked;
  const now = ctx.now();
  const { merchant_id: merchantId, email, role } = invitation;
  return ctx.db.transaction(async (tx) => {
    // A password that was changed since it was checked accepts nothing.
    if ('id' in checked && (await lockPerson(tx, checked.id)) !== checked.password_hash) return 'refused';
    if (!(await takeInvitation(tx, invitation.id, now))) return 'missing';
    const personId = 'id' in checked ? checked.id : await addPerson(tx, email, checked.passwordHash, now);
    if (personId === null) throw new Error('two invitations to one mail address were accepted at once');
    await addMember(tx, { merchantId, personId, role, now });
    const token = await insertNewSession(tx, personId, placeOf(visitor), { now });
    const who = { kind: 'person', actor: personId, address: visitor.address } as const;
    const details = { email, role };
    await recordAction(tx, { at: now, ...who, merchantId, command: 'invitation accepted', details });
    return { token };
  });
}
