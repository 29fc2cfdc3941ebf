import { recordAction } from '../../audit/record.ts';
import { lockPerson } from '../sessions/accounts.ts';
import { welcomeDevice, type Proven } from '../sessions/admit.ts';
import { insertNewSession, LINK_SECONDS, type Place } from '../sessions/store.ts';
import { placeOf, type Visitor } from '../sessions/sign-in.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql } from '../../../platform/postgres/db.ts';
import { deskUrl } from '../../../platform/values/cells.ts';
import { hashApiKey, newToken } from '../../../platform/values/ids.ts';

const deleteLinks = sql<never, { personId: string }>(
  'delete_sign_in_links',
  (p) => `DELETE FROM person_sessions WHERE person_id = ${p.personId} AND is_link`,
);

/**
 * Makes a link that signs a person in without password and second factor, once, and ends earlier ones. For
 * development: production has no page for it.
 */
export async function createSignInLink(ctx: Context, personId: string): Promise<string> {
  const token = await ctx.db.transaction(async (tx) => {
    await lockPerson(tx, personId);
    await run(tx, deleteLinks, { personId });
    return insertNewSession(tx, personId, { address: '', agent: '' }, { now: ctx.now(), isLink: true });
  });
  return deskUrl(ctx.config, `/dashboard/links/${token}`);
}

const redeemLink = sql<
  { person_id: string },
  { linkHash: Buffer; tokenHash: Buffer; since: Date; now: Date } & Place
>(
  'use_sign_in_link',
  (p) => `
    UPDATE person_sessions SET token_hash = ${p.tokenHash}, is_link = false, created_at = ${p.now},
      seen_at = ${p.now}, factor_at = ${p.now}, address = ${p.address}, agent = ${p.agent}
    WHERE token_hash = ${p.linkHash} AND is_link AND created_at > ${p.since}
    RETURNING person_id`,
);

/** Turns a link into a session; null: it was used, is too old, or there was none. */
export async function useSignInLink(ctx: Context, link: string, visitor: Visitor): Promise<Proven | null> {
  const now = ctx.now();
  const token = newToken();
  const hashes = { linkHash: hashApiKey(link), tokenHash: hashApiKey(token) };
  const since = addSeconds(now, -LINK_SECONDS);
  return ctx.db.transaction(async (tx) => {
    const used = await runOne(tx, redeemLink, { ...hashes, since, now, ...placeOf(visitor) });
    if (used === null) return null;
    const device = await welcomeDevice(tx, used.person_id, visitor, now);
    const who = { kind: 'person', actor: used.person_id, address: visitor.address } as const;
    await recordAction(tx, {
      at: now,
      ...who,
      merchantId: null,
      command: 'signed in by a link',
      details: {},
    });
    return { token, device };
  });
}
