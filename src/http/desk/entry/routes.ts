import { useSignInLink } from '../../../domain/people/factors/links.ts';
import { proveFactor, setUpTotp } from '../../../domain/people/factors/prove.ts';
import { totpSecretOf } from '../../../domain/people/factors/totp.ts';
import { acceptInvitation, readInvitation } from '../../../domain/people/members/accept.ts';
import { hasFactor } from '../../../domain/people/sessions/accounts.ts';
import { endSession } from '../../../domain/people/sessions/list.ts';
import { signIn } from '../../../domain/people/sessions/sign-in.ts';
import { isFresh } from '../../../domain/people/sessions/store.ts';
import { COSTLY_PER_MINUTE, DESK_PER_MINUTE, ownPath, type DeskRoute } from '../shell/route.ts';
import { gonePage, linkPage, recoveryCodesPage, signInPage } from './pages.ts';
import { ENDED, factorPath, provenTo, showFactor, showInvitation, showSetUp } from './steps.ts';

/** The ways into the desk, and out of it. */
export const entryRoutes: readonly DeskRoute[] = [
  {
    name: 'sign-in page',
    method: 'get',
    path: '/dashboard/sign-in',
    access: 'anybody',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const note = visit.query.get('said') === 'ended' ? visit.texts.signIn.ended : null;
      return signInPage(visit, { to: ownPath(visit.query.get('to')), note });
    },
  },
  {
    name: 'sign-in',
    method: 'post',
    path: '/dashboard/sign-in',
    access: 'anybody',
    namesAccount: true,
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const [email, to] = [visit.field('email').trim(), ownPath(visit.field('to'))];
      const begun = await signIn(visit.ctx, { email, password: visit.field('password') }, visit);
      if (typeof begun !== 'string') return { to: factorPath(to), kept: { session: begun.token } };
      return signInPage(visit, { to, email, fault: visit.texts.signIn[begun] });
    },
  },
  {
    name: 'second factor page',
    method: 'get',
    path: '/dashboard/second-factor',
    access: 'begun',
    perMinute: DESK_PER_MINUTE,
    handle: async (visit) =>
      hasFactor(visit.session)
        ? showFactor(visit, ownPath(visit.query.get('to')), {})
        : { to: '/dashboard/set-up' },
  },
  {
    name: 'second factor',
    method: 'post',
    path: '/dashboard/second-factor',
    access: 'begun',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const to = ownPath(visit.field('to'));
      const proven = await proveFactor(visit.ctx, visit.session, visit.field('code'), visit);
      if (proven === 'ended') return ENDED;
      if (typeof proven === 'string') return showFactor(visit, to, { code: visit.texts.factor[proven] });
      return provenTo(visit, to, proven);
    },
  },
  {
    name: 'set-up page',
    method: 'get',
    path: '/dashboard/set-up',
    access: 'begun',
    perMinute: DESK_PER_MINUTE,
    handle: async (visit) =>
      hasFactor(visit.session) && !isFresh(visit.session, visit.ctx.now())
        ? { to: factorPath('/dashboard/set-up') }
        : showSetUp(visit, null, {}),
  },
  {
    name: 'set-up',
    method: 'post',
    path: '/dashboard/set-up',
    access: 'begun',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, session } = visit;
      if (hasFactor(session) && !isFresh(session, ctx.now())) return { to: factorPath('/dashboard/set-up') };
      const secret = totpSecretOf(visit.field('secret'));
      if (secret === null) return { to: '/dashboard/set-up' };
      const done = await setUpTotp(ctx, session, { secret, code: visit.field('code') }, visit);
      if (done === 'ended') return ENDED;
      if (done === 'refused') return showSetUp(visit, secret, { code: visit.texts.setUp.refused });
      const kept = { session: done.token, device: done.device };
      return { ...recoveryCodesPage(visit, done.recoveryCodes), kept };
    },
  },
  {
    name: 'invitation page',
    method: 'get',
    path: '/dashboard/invitations/:token',
    access: 'anybody',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => showInvitation(visit, {}),
  },
  {
    name: 'invitation',
    method: 'post',
    path: '/dashboard/invitations/:token',
    access: 'anybody',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, texts } = visit;
      const invited = await readInvitation(ctx, visit.params.token ?? '');
      if (invited === null) return gonePage(visit);
      const accepted = await acceptInvitation(ctx, invited, visit.field('password'), visit);
      if (accepted === 'missing') return gonePage(visit);
      if (typeof accepted !== 'string')
        return { to: '/dashboard/second-factor', kept: { session: accepted.token } };
      if (accepted === 'known') return showInvitation(visit, {});
      return showInvitation(visit, { code: { ...texts.passwords, ...texts.signIn }[accepted] });
    },
  },
  {
    name: 'sign-out',
    method: 'post',
    path: '/dashboard/sign-out',
    access: 'begun',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      await endSession(visit.ctx, visit.session, visit.session.id, visit);
      return { to: '/dashboard/sign-in?said=ended', kept: { session: null } };
    },
  },
];

/** Links that sign in by themselves, as `npm run dev` prints one. */
export const linkRoutes: readonly DeskRoute[] = [
  {
    name: 'link page',
    method: 'get',
    path: '/dashboard/links/:token',
    access: 'anybody',
    perMinute: DESK_PER_MINUTE,
    handle: async (visit) => linkPage(visit),
  },
  {
    name: 'link',
    method: 'post',
    path: '/dashboard/links/:token',
    access: 'anybody',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const used = await useSignInLink(visit.ctx, visit.params.token ?? '', visit);
      if (used === null) return gonePage(visit);
      return { to: '/dashboard', kept: { session: used.token, device: used.device } };
    },
  },
];
