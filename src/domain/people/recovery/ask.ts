import { schedule } from '../../schedule/store.ts';
import { takeGuess } from '../sessions/buckets.ts';
import type { Visitor } from '../sessions/sign-in.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { foldMailAddress, isMailAddress } from '../../../platform/values/emails.ts';
import { newId } from '../../../platform/values/ids.ts';
import { mailPasswordLink } from './jobs.ts';
import { insertLink } from './links.ts';

/** As long as a mail may take that is held back at first. */
const LINK_SECONDS = 1_800;

/**
 * Asks for a mail with a link that sets another password. Whether anybody has the address is looked up by the
 * job that mails: a request takes the same steps, and the same time, for each. More than some for one address
 * are dropped: the links that were mailed still work, so that nobody can keep the owner from them.
 */
export async function askForPassword(ctx: Context, email: string, { address }: Visitor): Promise<void> {
  if (!isMailAddress(email)) return;
  const emailFolded = foldMailAddress(email);
  if (!(await takeGuess(ctx, 'mail', emailFolded, null))) {
    ctx.log.warn('desk password link refused', { reason: 'too many for one mail address', address });
    return;
  }
  const now = ctx.now();
  const id = newId('pwl', now);
  await ctx.db.transaction(async (tx) => {
    await insertLink(tx, { id, emailFolded, tokenHash: null, expiresAt: addSeconds(now, LINK_SECONDS) });
    await schedule(tx, [{ job: mailPasswordLink, key: id, runAt: now, testClock: null }]);
  });
}
