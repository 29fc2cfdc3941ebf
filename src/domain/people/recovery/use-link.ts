import { hashPassword } from '../passwords/hashing.ts';
import { passwordFault, type PasswordFault } from '../passwords/rules.ts';
import { lockPerson, setPassword } from '../sessions/accounts.ts';
import { revokeDevices } from '../sessions/devices.ts';
import { endSessions } from '../sessions/list.ts';
import { byPerson, recordOfPerson } from '../sessions/record.ts';
import { placeOf, type Visitor } from '../sessions/sign-in.ts';
import { insertNewSession } from '../sessions/store.ts';
import type { Context } from '../../../platform/context.ts';
import { hashApiKey } from '../../../platform/values/ids.ts';
import { findLink, takeLink, type PasswordLink } from './links.ts';

/** Returns whose link it is; null: it was used, is too old, or there was none. */
export async function readPasswordLink(ctx: Context, token: string): Promise<PasswordLink | null> {
  return findLink(ctx.db, hashApiKey(token), ctx.now());
}

/**
 * Sets the password of a link's person, and ends all of their sessions; none of their devices stays known.
 * Returns the token of a session whose second factor is still to come: the mailbox alone opens nothing.
 * `missing`: the link works no more.
 */
export async function useLink(
  ctx: Context,
  token: string,
  password: string,
  visitor: Visitor,
): Promise<{ token: string } | PasswordFault | 'missing'> {
  const link = await readPasswordLink(ctx, token);
  if (link === null) return 'missing';
  const fault = passwordFault(password);
  if (fault !== null) return fault;
  const passwordHash = await hashPassword(password);
  const now = ctx.now();
  const personId = link.person_id;
  return ctx.db.transaction(async (tx) => {
    await lockPerson(tx, personId);
    if (!(await takeLink(tx, hashApiKey(token), now))) return 'missing';
    await setPassword(tx, personId, passwordHash);
    await endSessions(tx, personId);
    await revokeDevices(tx, personId, null, now);
    const begun = await insertNewSession(tx, personId, placeOf(visitor), { now });
    const command = 'password set by a mailed link';
    await recordOfPerson(tx, personId, { at: now, ...byPerson(personId, visitor), command });
    return { token: begun };
  });
}
