import { may, roleNamed } from '../../../domain/people/rights/roles.ts';
import { invite, listInvitations, withdrawInvitation } from '../../../domain/people/members/invitations.ts';
import { mailInvitation } from '../../../domain/people/members/mail-invitation.ts';
import { changeMember, listMembers } from '../../../domain/people/members/members.ts';
import { listKeys } from '../../../domain/merchants/key-use.ts';
import type { Mailer } from '../../../platform/mail.ts';
import {
  actorOf,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../shell/route.ts';
import { isInForce, keysPath } from '../developers/keys/pages.ts';
import { invitedPage, peoplePage, type PeopleFaults } from './page.ts';

const PEOPLE = '/dashboard/:merchant/people';

const peoplePath = ({ merchant }: AtMerchant) => `/dashboard/${merchant.merchant_id}/people`;

/** The people of a merchant, and invitations to more. */
export const peopleRoutes = (mailer: Mailer | null): readonly DeskRoute[] => [
  {
    name: 'people',
    method: 'get',
    path: PEOPLE,
    access: 'member',
    right: 'people:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => show(visit, {}),
  },
  {
    name: 'invite',
    method: 'post',
    path: `${PEOPLE}/invite`,
    access: 'member',
    right: 'people:write',
    isFresh: true,
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant, texts } = visit;
      const [email, role] = [visit.field('email').trim(), roleNamed(visit.field('role'))];
      if (role === null) return show(visit, { email, fault: texts.people.badRole });
      const { merchant_id: merchantId, name } = merchant;
      const invited = await invite(ctx, { merchantId, email, role }, actorOf(visit));
      if (typeof invited === 'string') return show(visit, { email, fault: texts.people[invited] });
      const isMailed = await mailInvitation(ctx, mailer, invited, { email, role, name });
      return invitedPage(visit, { email, link: isMailed ? null : invited.link });
    },
  },
  {
    name: 'change role',
    method: 'post',
    path: `${PEOPLE}/:person/role`,
    access: 'member',
    right: 'people:write',
    isFresh: true,
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const role = roleNamed(visit.field('role'));
      if (role === null) return show(visit, { fault: visit.texts.people.badRole });
      return change(visit, role, 'roleChanged');
    },
  },
  {
    name: 'remove person',
    method: 'post',
    path: `${PEOPLE}/:person/remove`,
    access: 'member',
    right: 'people:write',
    isFresh: true,
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => change(visit, null, 'removed'),
  },
  {
    name: 'withdraw invitation',
    method: 'post',
    path: `${PEOPLE}/invitations/:invitation/withdraw`,
    access: 'member',
    right: 'people:write',
    isFresh: true,
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant, params } = visit;
      const named = { merchantId: merchant.merchant_id, id: params.invitation ?? '' };
      const isWithdrawn = await withdrawInvitation(ctx, named, actorOf(visit));
      return isWithdrawn ? { to: `${peoplePath(visit)}?said=withdrawn` } : 'missing';
    },
  },
];

async function change(
  visit: AtMerchant,
  role: ReturnType<typeof roleNamed>,
  said: 'roleChanged' | 'removed',
): Promise<DeskReply> {
  const { ctx, merchant, params, session } = visit;
  const named = { merchantId: merchant.merchant_id, personId: params.person ?? '' };
  const changed = await changeMember(ctx, named, role, actorOf(visit));
  if (changed === 'missing') return 'missing';
  if (changed === 'lastOwner') return show(visit, { fault: visit.texts.people.lastOwner });
  // Who removes themselves has no page of the merchant any more.
  if (role === null && named.personId === session.person_id) return { to: '/dashboard' };
  // They may still know the keys that they have made.
  const keys = role !== null && may(role, 'keys:write') ? [] : await listKeys(ctx.db, merchant.merchant_id);
  const hasLeft = keys.some((key) => key.made_by === named.personId && isInForce(visit, key));
  if (hasLeft) return { to: `${keysPath(visit)}?of=${named.personId}` };
  return { to: `${peoplePath(visit)}?said=${said}` };
}

async function show(visit: AtMerchant, faults: PeopleFaults): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const members = await listMembers(ctx.db, merchant.merchant_id);
  const invitations = await listInvitations(ctx.db, merchant.merchant_id, ctx.now());
  return peoplePage(visit, { members, invitations }, faults);
}
