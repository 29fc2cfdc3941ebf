import { recordAction } from '../../audit/record.ts';
import { hashPassword } from '../passwords/hashing.ts';
import { passwordFault, type PasswordFault } from '../passwords/rules.ts';
import {
  addPerson,
  factorsOf,
  findAccount,
  lockPerson,
  resetPerson,
  type Factors,
} from '../sessions/accounts.ts';
import { byPerson } from '../sessions/record.ts';
import { checkPassword, placeOf, type Refusal, type Visitor } from '../sessions/sign-in.ts';
import { insertNewSession } from '../sessions/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { newId } from '../../../platform/values/ids.ts';
import { findInvitation, takeInvitation, type FoundInvitation } from './invitations.ts';
import { addMember } from './members.ts';

/** An invitation, and whose it is. */
export interface Invited extends FoundInvitation {
  /** Of the account that its mail address has, or will have. */
  readonly personId: string;
  /**
   * What the account signs in with, which is asked for; null: there is none yet, or one that belongs to no
   * merchant and so opens nothing. It begins from nothing: that is the way back of who has lost everything.
   */
  readonly account: Factors | null;
}

/** Returns what the page of an invitation says; null: it was used, withdrawn or is too old. */
export async function readInvitation(ctx: Context, token: string): Promise<Invited | null> {
  const invitation = await findInvitation(ctx.db, token, ctx.now());
  if (invitation === null) return null;
  const account = await findAccount(ctx.db, invitation.email, null);
  const personId = account?.id ?? newId('per', ctx.now());
  return {
    ...invitation,
    personId,
    account: account?.is_member === true ? await factorsOf(ctx.db, personId) : null,
  };
}

/** Why an invitation was not accepted. `known`: its address has an account by now, which is asked for. */
export type AcceptRefusal = PasswordFault | Refusal | 'missing' | 'known';

/**
 * Accepts an invitation: with a new password, or with that of the account that its mail address has. Returns
 * the token of a session whose second factor is still to come.
 */
export async function acceptInvitation(
  ctx: Context,
  invitation: Invited,
  password: string,
  visitor: Visitor,
): Promise<{ token: string } | AcceptRefusal> {
  const checked =
    invitation.account === null
      ? (passwordFault(password) ?? { passwordHash: await hashPassword(password) })
      : await checkPassword(ctx, invitation.email, password, visitor);
  if (typeof checked === 'string') return checked;
  const now = ctx.now();
  return ctx.db
    .transaction(async (tx) => {
      // A password that was changed since it was checked accepts nothing.
      if ('id' in checked && (await lockPerson(tx, checked.id)) !== checked.password_hash) return 'refused';
      if (!(await takeInvitation(tx, invitation.id, now))) return 'missing';
      const personId =
        'id' in checked ? checked.id : await openAccount(tx, invitation, checked.passwordHash, now);
      await addMember(tx, { merchantId: invitation.merchant_id, personId, role: invitation.role, now });
      const token = await insertNewSession(tx, personId, placeOf(visitor), { now });
      await recordAccepted(tx, invitation, personId, visitor, now);
      return { token };
    })
    .catch(asKnown);
}

/** Thrown in a transaction, which is rolled back by it: the invitation can still be used. */
class KnownError extends Error {}

/** What a transaction returns in which `openAccount` has found an account. */
export function asKnown(error: unknown): 'known' {
  if (error instanceof KnownError) return 'known';
  throw error;
}

/**
 * Adds the account of an invitation, or resets the one that belongs to no merchant, and returns its id.
 * Throws what `asKnown` takes where it belongs to one by now: two invitations to one address are accepted at
 * once.
 */
export async function openAccount(
  tx: Tx,
  { email, personId }: Pick<Invited, 'email' | 'personId'>,
  passwordHash: string | null,
  now: Date,
): Promise<string> {
  const added = await addPerson(tx, email, passwordHash, now, personId);
  if (added !== null) return added;
  await lockPerson(tx, personId);
  const account = await findAccount(tx, email, null);
  if (account === null || account.id !== personId || account.is_member) throw new KnownError();
  await resetPerson(tx, personId, passwordHash, now);
  return personId;
}

/** Writes into the audit log of a merchant that somebody belongs to it now: last in the transaction. */
export async function recordAccepted(
  tx: Tx,
  { merchant_id: merchantId, email, role }: FoundInvitation,
  personId: string,
  visitor: Visitor,
  at: Date,
): Promise<void> {
  const who = byPerson(personId, visitor);
  const details = { email, role };
  await recordAction(tx, { at, ...who, merchantId, command: 'invitation accepted', details });
}
