import { findAccount, lockPerson, resetPerson } from '../sessions/accounts.ts';
import { recordOfPerson } from '../sessions/record.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Actor, Context } from '../../../platform/context.ts';
import { foldMailAddress } from '../../../platform/values/emails.ts';
import { hashApiKey, newId, newToken } from '../../../platform/values/ids.ts';
import { insertLink } from './links.ts';
import { passwordLink } from './mail-link.ts';

/** As of an invitation: the operator may have to give it on by hand. */
const RESET_SECONDS = 86_400;

/** An account that begins from nothing, with the link that is shown or mailed once. */
export interface Reset {
  readonly personId: string;
  readonly link: string;
  readonly expiresAt: Date;
}

/**
 * Takes all second factors, sessions and the password from a person who has lost them, and returns a link
 * that sets a password; a new second factor follows it. Only the operator may, who knows that it is they. It
 * is written into the audit log of each of the person's merchants. Null: nobody has the mail address.
 */
export async function resetAccount(
  ctx: Pick<Context, 'db' | 'config' | 'now'>,
  email: string,
  by: Actor,
): Promise<Reset | null> {
  const now = ctx.now();
  const account = await findAccount(ctx.db, email, null);
  if (account === null) return null;
  const { id: personId } = account;
  const token = newToken();
  const expiresAt = addSeconds(now, RESET_SECONDS);
  const link = { id: newId('pwl', now), emailFolded: foldMailAddress(email), expiresAt };
  await ctx.db.transaction(async (tx) => {
    await lockPerson(tx, personId);
    await resetPerson(tx, personId, null, now);
    await insertLink(tx, { ...link, tokenHash: hashApiKey(token) });
    const details = { person: personId };
    await recordOfPerson(tx, personId, { at: now, ...by, command: 'person reset', details });
  });
  return { personId, link: passwordLink(ctx, token), expiresAt };
}
