import { readInvitation } from '../../../domain/people/members/accept.ts';
import { acceptWithNewPasskey, acceptWithPasskey } from '../../../domain/people/members/accept-passkey.ts';
import { addPasskey, passkeyName } from '../../../domain/people/passkeys/change.ts';
import { provePasskey, signInWithPasskey } from '../../../domain/people/passkeys/prove.ts';
import { hasFactor } from '../../../domain/people/sessions/accounts.ts';
import { isFresh } from '../../../domain/people/sessions/store.ts';
import { html } from '../../../platform/pages/html.ts';
import { assertionOf, attestationOf, PASSKEY_SCRIPT } from '../shell/passkeys.ts';
import { COSTLY_PER_MINUTE, ownPath, type DeskReply, type DeskRoute, type Visit } from '../shell/route.ts';
import { signInForm } from './passkey-forms.ts';
import { card, gonePage } from './pages.ts';
import { ENDED, factorPath, provenTo, showFactor, showInvitation, showSetUp } from './steps.ts';

/** The ways into the desk with a passkey: on each page another way stands beside it. */
export const passkeyRoutes: readonly DeskRoute[] = [
  {
    name: 'passkey page',
    method: 'get',
    path: '/dashboard/passkey',
    access: 'anybody',
    perMinute: COSTLY_PER_MINUTE,
    handle: (visit) => showSignIn(visit, ownPath(visit.query.get('to')), null),
  },
  {
    name: 'passkey',
    method: 'post',
    path: '/dashboard/passkey',
    access: 'anybody',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const to = ownPath(visit.field('to'));
      const proven = await signInWithPasskey(visit.ctx, assertionOf(visit), visit);
      if (typeof proven === 'string') return showSignIn(visit, to, visit.texts.passkeys[proven]);
      return { to, kept: { session: proven.token, device: proven.device } };
    },
  },
  {
    name: 'second factor by a passkey',
    method: 'post',
    path: '/dashboard/second-factor/passkey',
    access: 'begun',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const to = ownPath(visit.field('to'));
      const proven = await provePasskey(visit.ctx, visit.session, assertionOf(visit), visit);
      if (proven === 'ended') return ENDED;
      if (typeof proven === 'string') return showFactor(visit, to, { passkey: visit.texts.passkeys[proven] });
      return provenTo(visit, to, proven);
    },
  },
  {
    name: 'set-up of a passkey',
    method: 'post',
    path: '/dashboard/set-up/passkey',
    access: 'begun',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, session, texts } = visit;
      if (hasFactor(session) && !isFresh(session, ctx.now())) return { to: factorPath('/dashboard/set-up') };
      const name = passkeyName('', texts.passkeys.unnamed);
      const added = await addPasskey(ctx, session, { attestation: attestationOf(visit), name }, visit);
      if (added === 'ended') return ENDED;
      if (typeof added === 'string') return showSetUp(visit, null, { passkey: texts.passkeys[added] });
      return { to: '/dashboard', kept: { session: added.token, device: added.device } };
    },
  },
  {
    name: 'invitation by a passkey',
    method: 'post',
    path: '/dashboard/invitations/:token/passkey',
    access: 'anybody',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, texts } = visit;
      const invited = await readInvitation(ctx, visit.params.token ?? '');
      if (invited === null) return gonePage(visit);
      const accepted =
        invited.account === null
          ? await acceptWithNewPasskey(
              ctx,
              invited,
              {
                attestation: attestationOf(visit),
                name: passkeyName('', texts.passkeys.unnamed),
              },
              visit,
            )
          : await acceptWithPasskey(ctx, invited, assertionOf(visit), visit);
      if (accepted === 'missing') return gonePage(visit);
      if (accepted === 'known') return showInvitation(visit, {});
      if (typeof accepted === 'string') return showInvitation(visit, { passkey: texts.passkeys[accepted] });
      return { to: '/dashboard', kept: { session: accepted.token, device: accepted.device } };
    },
  },
];

async function showSignIn(visit: Visit, to: string, fault: string | null): Promise<DeskReply> {
  const { passkeys } = visit.texts;
  const back = `/dashboard/sign-in?to=${encodeURIComponent(to)}`;
  return {
    title: passkeys.title,
    status: fault === null ? 200 : 400,
    main: card(
      html`<p class="no-passkeys">${passkeys.noScript}</p>
        <p>${passkeys.text}</p>
        ${await signInForm(visit, { to, fault })}
        <p><a href="${back}">${passkeys.other}</a></p>`,
    ),
    scripts: [PASSKEY_SCRIPT],
  };
}
