import { isPassword, hashPassword } from '../passwords/hashing.ts';
import { passwordFault, type PasswordFault } from '../passwords/rules.ts';
import type { Context } from '../../../platform/context.ts';
import { foldMailAddress } from '../../../platform/values/emails.ts';
import { hashApiKey } from '../../../platform/values/ids.ts';
import { findAccount, lockPerson, setPassword, type Account } from './accounts.ts';
import { takeGuess } from './buckets.ts';
import { revokeDevices } from './devices.ts';
import { endSessions } from './list.ts';
import { byPerson, recordOfPerson } from './record.ts';
import { insertNewSession, type Place, type Session } from './store.ts';

/** Where somebody asks from: the browser's cookie names the device. */
export interface Visitor extends Place {
  readonly device: string | null;
}

export type Refusal = 'refused' | 'limited';

/**
 * Begins a session for who knows the password; the second factor is still to come. An account that does not
 * exist takes the same steps and gets the same answer.
 */
export async function signIn(
  ctx: Context,
  { email, password }: { email: string; password: string },
  visitor: Visitor,
): Promise<{ token: string } | Refusal> {
  const found = await checkPassword(ctx, email, password, visitor);
  if (typeof found === 'string') return found;
  const token = await ctx.db.transaction(async (tx) => {
    // A password that was changed since it was checked opens nothing: the change has ended all sessions.
    if ((await lockPerson(tx, found.id)) !== found.password_hash) return null;
    return insertNewSession(tx, found.id, placeOf(visitor), { now: ctx.now() });
  });
  return token === null ? 'refused' : { token };
}

/** Returns the person of an account whose password this is. A refusal is logged, with the address. */
export async function checkPassword(
  ctx: Context,
  email: string,
  password: string,
  { device, address }: Visitor,
): Promise<Account | Refusal> {
  const deviceHash = device === null ? null : hashApiKey(device);
  const account = await findAccount(ctx.db, email, deviceHash);
  const knownDevice = account?.is_known_device === true ? deviceHash : null;
  const isAllowed = await takeGuess(ctx, 'password', foldMailAddress(email), knownDevice);
  if (isAllowed && (await isPassword(password, account?.password_hash ?? null)) && account !== null)
    return account;
  const reason = isAllowed ? 'wrong password or unknown person' : 'too many wrong passwords';
  ctx.log.warn('desk sign-in failed', { reason, address, person_id: account?.id });
  return isAllowed ? 'refused' : 'limited';
}

/** Where a visitor is, without what their cookie says. */
export const placeOf = ({ address, agent }: Place): Place => ({ address, agent });

/**
 * Changes the password of who is signed in and knows the present one, and ends all of their sessions; this
 * device alone stays known. Returns the token of a new session in the place of this one.
 */
export async function changePassword(
  ctx: Context,
  session: Session,
  { present, next }: { present: string; next: string },
  visitor: Visitor,
): Promise<{ token: string } | PasswordFault | Refusal> {
  const fault = passwordFault(next);
  if (fault !== null) return fault;
  const account = await checkPassword(ctx, session.email, present, visitor);
  if (typeof account === 'string') return account;
  const passwordHash = await hashPassword(next);
  const now = ctx.now();
  const token = await ctx.db.transaction(async (tx) => {
    if ((await lockPerson(tx, session.person_id)) !== account.password_hash) return null;
    await setPassword(tx, session.person_id, passwordHash);
    await endSessions(tx, session.person_id);
    const own = session.factor_at === null || visitor.device === null ? null : hashApiKey(visitor.device);
    await revokeDevices(tx, session.person_id, own, now);
    const begun = { now, factorAt: session.factor_at };
    const renewed = await insertNewSession(tx, session.person_id, placeOf(visitor), begun);
    const who = byPerson(session.person_id, visitor);
    await recordOfPerson(tx, session.person_id, { at: now, ...who, command: 'password changed' });
    return renewed;
  });
  return token === null ? 'refused' : { token };
}
