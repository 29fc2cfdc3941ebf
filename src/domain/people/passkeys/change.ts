import { factorsOf, hasFactor, lockPerson } from '../sessions/accounts.ts';
import { admit, type Proven } from '../sessions/admit.ts';
import { byPerson, recordOfPerson } from '../sessions/record.ts';
import type { Visitor } from '../sessions/sign-in.ts';
import type { Session } from '../sessions/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { newId } from '../../../platform/values/ids.ts';
import { takeChallenge } from './challenges.ts';
import { deletePasskey, findKey, insertPasskey, listPasskeys } from './store.ts';
import { verifyAttestation, type Attestation } from './verify.ts';

/** Of a person who has one for each device they own. */
const MOST_PASSKEYS = 20;
const MOST_NAME = 60;

/** What a person calls a passkey; `unnamed` where they call it nothing. */
export function passkeyName(text: string, unnamed: string): string {
  return [...text.trim()].slice(0, MOST_NAME).join('') || unnamed;
}

/**
 * Adds a passkey to the person of a session: as a second factor that was proven lately, or is the first one.
 * `ended`: the session is gone, or another has set up the first factor meanwhile.
 */
export async function addPasskey(
  ctx: Context,
  session: Session,
  { attestation, name }: { attestation: Attestation; name: string },
  visitor: Visitor,
): Promise<Proven | 'refused' | 'tooMany' | 'ended'> {
  const personId = session.person_id;
  const verified = await verifyAttestation(ctx.config, attestation, async (challenge) => {
    return (await takeChallenge(ctx, 'register', challenge))?.person_id === personId;
  });
  if (verified === null) return 'refused';
  return ctx.db.transaction(async (tx) => {
    // Of two sessions without a second factor the first sets it up, and the other has to prove it.
    await lockPerson(tx, personId);
    if (session.factor_at === null && hasFactor(await factorsOf(tx, personId))) return 'ended';
    if ((await listPasskeys(tx, personId)).length >= MOST_PASSKEYS) return 'tooMany';
    if ((await findKey(tx, verified.credentialId)) !== null) return 'refused';
    const admitted = await admit(ctx, tx, session, visitor, { command: 'passkey added', details: { name } });
    if (admitted === 'ended') return admitted;
    await storePasskey(tx, { ...verified, personId, name, now: ctx.now() });
    return admitted;
  });
}

/** Stores a passkey that was verified. Throws where somebody has stored the same one at this moment. */
export async function storePasskey(
  tx: Tx,
  passkey: Omit<Parameters<typeof insertPasskey>[1], 'id'>,
): Promise<void> {
  const isNew = await insertPasskey(tx, { ...passkey, id: newId('pky', passkey.now) });
  if (!isNew) throw new Error('one passkey was added twice at once');
}

/**
 * Removes a passkey of a person. `last`: they could not sign in any more, because they have no other passkey,
 * and not both a password and an app.
 */
export async function removePasskey(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { person_id: personId }: Session,
  id: string,
  visitor: Visitor,
): Promise<'removed' | 'last' | 'missing'> {
  return db.transaction(async (tx) => {
    await lockPerson(tx, personId);
    const passkeys = await listPasskeys(tx, personId);
    if (!passkeys.some((one) => one.id === id)) return 'missing';
    const { has_password, has_totp } = await factorsOf(tx, personId);
    if (passkeys.length === 1 && !(has_password && has_totp)) return 'last';
    const name = await deletePasskey(tx, { id, personId });
    const who = byPerson(personId, visitor);
    await recordOfPerson(tx, personId, {
      at: now(),
      ...who,
      command: 'passkey removed',
      details: { passkey: id, name },
    });
    return 'removed';
  });
}
