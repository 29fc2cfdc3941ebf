import { lockPerson } from '../sessions/accounts.ts';
import { admit, beginProven, type Proven } from '../sessions/admit.ts';
import { byPerson, recordOfPerson } from '../sessions/record.ts';
import type { Visitor } from '../sessions/sign-in.ts';
import type { Session } from '../sessions/store.ts';
import { schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { takeChallenge, type Ceremony } from './challenges.ts';
import { tellClone } from './jobs.ts';
import { userHandleOf } from './relying-party.ts';
import { findKey, notePasskeyUse, type StoredKey } from './store.ts';
import { verifyAssertion, type Assertion } from './verify.ts';

/** A passkey whose signature is right. */
export interface Signed {
  readonly key: StoredKey;
  readonly counter: number;
}

/** `cloned`: another authenticator with the same key was used meanwhile; the person gets a mail. */
export type PasskeyRefusal = 'refused' | 'cloned';

/**
 * Signs somebody in with a passkey alone: the authenticator has verified them, so that it is two factors in
 * one.
 */
export async function signInWithPasskey(
  ctx: Context,
  assertion: Assertion,
  visitor: Visitor,
): Promise<Proven | PasskeyRefusal> {
  const signed = await checkAssertion(ctx, 'sign-in', null, assertion, visitor);
  if (signed === null) return 'refused';
  return ctx.db.transaction(async (tx) => {
    const personId = signed.key.person_id;
    await lockPerson(tx, personId);
    const used = await usePasskey(ctx, tx, signed, visitor);
    if (used !== 'used') return used;
    return beginProven(ctx, tx, personId, visitor, 'signed in with a passkey');
  });
}

/** Proves the second factor of a session by one of its person's passkeys. */
export async function provePasskey(
  ctx: Context,
  session: Session,
  assertion: Assertion,
  visitor: Visitor,
): Promise<Proven | PasskeyRefusal | 'ended'> {
  const signed = await checkAssertion(ctx, 'prove', session.person_id, assertion, visitor);
  if (signed === null) return 'refused';
  return ctx.db.transaction(async (tx) => {
    await lockPerson(tx, session.person_id);
    const used = await usePasskey(ctx, tx, signed, visitor);
    if (used !== 'used') return used;
    const command =
      session.factor_at === null ? 'signed in with a password and a passkey' : 'confirmed by a passkey';
    return admit(ctx, tx, session, visitor, { command });
  });
}

/**
 * Returns the passkey that has signed a challenge of this ceremony, which is used up by it, for `personId` or
 * for whoever it is. Null: something of it is wrong, which is logged with the address.
 */
export async function checkAssertion(
  ctx: Context,
  ceremony: Ceremony,
  personId: string | null,
  assertion: Assertion,
  { address }: Visitor,
): Promise<Signed | null> {
  const key = await findKey(ctx.db, Buffer.from(assertion.id, 'base64url'));
  const take = async (challenge: string) => {
    const taken = await takeChallenge(ctx, ceremony, challenge);
    return taken !== null && taken.person_id === personId;
  };
  const counter = key === null ? null : await verifyAssertion(ctx.config, assertion, key, take);
  const isTheirs =
    key !== null &&
    (personId === null || key.person_id === personId) &&
    // Where no account was named before, the authenticator names it (Web Authentication, 7.2, step 6).
    (assertion.userHandle === userHandleOf(key.person_id) ||
      (personId !== null && assertion.userHandle === ''));
  if (key !== null && counter !== null && isTheirs) return { key, counter };
  ctx.log.warn('desk sign-in failed', { reason: 'wrong passkey', address, person_id: key?.person_id });
  return null;
}

/**
 * Counts a use of a passkey, whose person the caller has locked. One that was cloned is refused: logged, in
 * the audit log, and told to the person by mail.
 */
export async function usePasskey(
  ctx: Context,
  tx: Tx,
  { key, counter }: Signed,
  visitor: Visitor,
): Promise<'used' | PasskeyRefusal> {
  const now = ctx.now();
  const used = await notePasskeyUse(tx, { id: key.id, counter, now });
  if (used === 'used') return used;
  if (used === 'gone') return 'refused';
  const { person_id: personId } = key;
  const reason = 'the counter of a passkey went back';
  ctx.log.warn('desk sign-in failed', { reason, address: visitor.address, person_id: personId });
  const told = { job: tellClone, key: `${key.id} ${visitor.address}`, runAt: now, testClock: null };
  await schedule(tx, [told]);
  const command = 'passkey refused: its counter went back';
  await recordOfPerson(tx, personId, {
    at: now,
    ...byPerson(personId, visitor),
    command,
    details: { passkey: key.id },
  });
  return 'cloned';
}
