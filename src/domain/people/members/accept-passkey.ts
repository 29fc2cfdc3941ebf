import { takeChallenge } from '../passkeys/challenges.ts';
import { storePasskey } from '../passkeys/change.ts';
import { checkAssertion, usePasskey, type PasskeyRefusal } from '../passkeys/prove.ts';
import { findKey } from '../passkeys/store.ts';
import { verifyAttestation, type Assertion, type Attestation } from '../passkeys/verify.ts';
import { lockPerson } from '../sessions/accounts.ts';
import { beginProven, type Proven } from '../sessions/admit.ts';
import type { Visitor } from '../sessions/sign-in.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { asKnown, openAccount, recordAccepted, type Invited } from './accept.ts';
import { takeInvitation } from './invitations.ts';
import { addMember } from './members.ts';

/** Accepts an invitation with a new passkey: the account has no password, and needs nothing else. */
export async function acceptWithNewPasskey(
  ctx: Context,
  invitation: Invited,
  { attestation, name }: { attestation: Attestation; name: string },
  visitor: Visitor,
): Promise<Proven | 'refused' | 'missing' | 'known'> {
  if (invitation.account !== null) return 'known';
  const owner: { id: string | null } = { id: null };
  const verified = await verifyAttestation(ctx.config, attestation, async (challenge) => {
    const taken = await takeChallenge(ctx, 'join', challenge);
    owner.id = taken?.person_id ?? null;
    return owner.id !== null;
  });
  const personId = owner.id;
  if (verified === null || personId === null) return 'refused';
  if ((await findKey(ctx.db, verified.credentialId)) !== null) return 'refused';
  const now = ctx.now();
  return ctx.db
    .transaction(async (tx) => {
      if (!(await takeInvitation(tx, invitation.id, now))) return 'missing';
      await openAccount(tx, { email: invitation.email, personId }, null, now);
      await storePasskey(tx, { ...verified, personId, name, now });
      return letIn(ctx, tx, invitation, personId, visitor);
    })
    .catch(asKnown);
}

/** Accepts an invitation with a passkey of the account that its mail address has. */
export async function acceptWithPasskey(
  ctx: Context,
  invitation: Invited,
  assertion: Assertion,
  visitor: Visitor,
): Promise<Proven | PasskeyRefusal | 'missing'> {
  const signed = await checkAssertion(ctx, 'prove', invitation.personId, assertion, visitor);
  if (signed === null) return 'refused';
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    await lockPerson(tx, invitation.personId);
    const used = await usePasskey(ctx, tx, signed, visitor);
    if (used !== 'used') return used;
    if (!(await takeInvitation(tx, invitation.id, now))) return 'missing';
    return letIn(ctx, tx, invitation, invitation.personId, visitor);
  });
}

/** The audit logs of all their merchants are locked in one order first: that of this one is among them. */
async function letIn(
  ctx: Context,
  tx: Tx,
  invitation: Invited,
  personId: string,
  visitor: Visitor,
): Promise<Proven> {
  const now = ctx.now();
  await addMember(tx, { merchantId: invitation.merchant_id, personId, role: invitation.role, now });
  const begun = await beginProven(ctx, tx, personId, visitor, 'signed in with a passkey');
  await recordAccepted(tx, invitation, personId, visitor, now);
  return begun;
}
