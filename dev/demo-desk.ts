import { createSignInLink } from '../src/domain/people/factors/links.ts';
import { addMember } from '../src/domain/people/members/members.ts';
import { addPerson, findAccount } from '../src/domain/people/sessions/accounts.ts';
import type { Context } from '../src/platform/context.ts';

const EMAIL = 'demo@shop.example';

/** A link that signs in to the desk as an owner of the demo merchant, once. */
export async function demoSignInLink(ctx: Context, merchantId: string): Promise<string> {
  const now = ctx.now();
  const known = await findAccount(ctx.db, EMAIL, null);
  const personId = await ctx.db.transaction(async (tx) => {
    const id = known?.id ?? (await addPerson(tx, EMAIL, null, now));
    if (id === null) throw new Error('another npm run dev adds the demo person at this moment');
    await addMember(tx, { merchantId, personId: id, role: 'owner', now });
    return id;
  });
  return createSignInLink(ctx, personId);
}
