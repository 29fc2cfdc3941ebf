import { factorsOf, hasFactor, lockPerson } from '../sessions/accounts.ts';
import { admit, type Proven } from '../sessions/admit.ts';
import { takeGuess } from '../sessions/buckets.ts';
import { isKnown } from '../sessions/devices.ts';
import type { Visitor } from '../sessions/sign-in.ts';
import type { Session } from '../sessions/store.ts';
import type { Context } from '../../../platform/context.ts';
import { hashApiKey } from '../../../platform/values/ids.ts';
import { replaceRecoveryCodes, useRecoveryCode } from './recovery.ts';
import { storeTotp, totpStep, useTotp } from './totp.ts';

const TOTP_FORM = /^\d{6}$/;

/**
 * Proves the second factor of a session: by a code of the person's app, or by a recovery code. `limited`: too
 * many were wrong. `ended`: the session is gone.
 */
export async function proveFactor(
  ctx: Context,
  session: Session,
  given: string,
  visitor: Visitor,
): Promise<Proven | 'refused' | 'limited' | 'ended'> {
  const code = given.replaceAll(/\s/g, '');
  const personId = session.person_id;
  if (!(await takeGuess(ctx, 'code', personId, await knownDevice(ctx, personId, visitor)))) {
    ctx.log.warn('desk sign-in failed', { reason: 'too many wrong codes', ...whoOf(session, visitor) });
    return 'limited';
  }
  const now = ctx.now();
  const proven = await ctx.db.transaction(async (tx) => {
    const isRight = TOTP_FORM.test(code)
      ? await useTotp(ctx, tx, personId, { code, now })
      : await useRecoveryCode(tx, personId, code);
    if (!isRight) return 'refused' as const;
    const command = TOTP_FORM.test(code) ? 'signed in' : 'signed in with a recovery code';
    const isSignIn = session.factor_at === null;
    return admit(ctx, tx, session, visitor, { command: isSignIn ? command : 'confirmed a second factor' });
  });
  if (proven === 'refused')
    ctx.log.warn('desk sign-in failed', { reason: 'wrong code', ...whoOf(session, visitor) });
  return proven;
}

/**
 * Stores the secret of a person's app once a code of it is right, in the place of an earlier one, and makes
 * new recovery codes. Only a session whose second factor is proven, or that has none yet, may do that.
 */
export async function setUpTotp(
  ctx: Context,
  session: Session,
  { secret, code }: { secret: string; code: string },
  visitor: Visitor,
): Promise<(Proven & { recoveryCodes: string[] }) | 'refused' | 'ended'> {
  const now = ctx.now();
  const step = totpStep(secret, code.replaceAll(/\s/g, ''), now);
  if (step === null) return 'refused';
  const personId = session.person_id;
  return ctx.db.transaction(async (tx) => {
    // Of two sessions without a second factor the first sets it up, and the other has to prove it.
    await lockPerson(tx, personId);
    if (session.factor_at === null && hasFactor(await factorsOf(tx, personId))) return 'ended';
    const admitted = await admit(ctx, tx, session, visitor, { command: 'second factor set up' });
    if (admitted === 'ended') return admitted;
    await storeTotp(ctx, tx, { personId, secret, lastStep: step }, now);
    return { ...admitted, recoveryCodes: await replaceRecoveryCodes(tx, personId) };
  });
}

const whoOf = ({ person_id }: Session, { address }: Visitor) => ({ person_id, address });

async function knownDevice({ db }: Context, personId: string, { device }: Visitor): Promise<Buffer | null> {
  if (device === null) return null;
  const deviceHash = hashApiKey(device);
  return (await isKnown(db, { personId, deviceHash })) ? deviceHash : null;
}
