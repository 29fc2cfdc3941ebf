import { askForPassword } from '../../../domain/people/recovery/ask.ts';
import { readPasswordLink, useLink } from '../../../domain/people/recovery/use-link.ts';
import { fill, html, isolated } from '../../../platform/pages/html.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { button, field, form } from '../shell/fields.ts';
import { COSTLY_PER_MINUTE, DESK_PER_MINUTE, type DeskRoute, type Page, type Visit } from '../shell/route.ts';
import { card } from './pages.ts';

const BACK = '/dashboard/sign-in';

/** The way back of who has forgotten their password. The second factor is asked for as ever. */
export const recoveryRoutes = (mailer: Mailer | null): readonly DeskRoute[] => [
  {
    name: 'forgotten page',
    method: 'get',
    path: '/dashboard/forgotten',
    access: 'anybody',
    perMinute: DESK_PER_MINUTE,
    handle: async (visit) => forgottenPage(visit, mailer !== null),
  },
  {
    name: 'forgotten',
    method: 'post',
    path: '/dashboard/forgotten',
    access: 'anybody',
    namesAccount: true,
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      if (mailer === null) return forgottenPage(visit, false);
      await askForPassword(visit.ctx, visit.field('email').trim(), visit);
      return sentPage(visit);
    },
  },
  {
    name: 'password link page',
    method: 'get',
    path: '/dashboard/passwords/:token',
    access: 'anybody',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => showLink(visit, null),
  },
  {
    name: 'password link',
    method: 'post',
    path: '/dashboard/passwords/:token',
    access: 'anybody',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, params, texts } = visit;
      const set = await useLink(ctx, params.token ?? '', visit.field('password'), visit);
      if (set === 'missing') return showLink(visit, null);
      if (typeof set === 'string') return showLink(visit, texts.passwords[set]);
      return { to: '/dashboard/second-factor', kept: { session: set.token } };
    },
  },
];

function forgottenPage({ texts }: Visit, hasMail: boolean): Page {
  const { forgotten, signIn } = texts;
  const email = field({ name: 'email', label: signIn.email, type: 'email', autocomplete: 'username' });
  const ask = html`<p>${forgotten.text}</p>
    ${form('/dashboard/forgotten', html`${email} ${button(forgotten.submit)}`)}
    <p class="small">${forgotten.lost}</p>`;
  return {
    title: forgotten.title,
    main: card(
      html`${hasMail ? ask : html`<p>${forgotten.noMail}</p>`}
        <p><a href="${BACK}">${forgotten.back}</a></p>`,
    ),
  };
}

/** The same for every address. */
function sentPage({ texts }: Visit): Page {
  const { forgotten } = texts;
  return {
    title: forgotten.sentTitle,
    main: card(
      html`<p>${forgotten.sent}</p>
        <p><a href="${BACK}">${forgotten.back}</a></p>`,
    ),
  };
}

async function showLink(visit: Visit, fault: string | null): Promise<Page> {
  const { ctx, texts, params, path } = visit;
  const { forgotten, invitation } = texts;
  const link = await readPasswordLink(ctx, params.token ?? '');
  if (link === null) {
    const again = html`<a href="/dashboard/forgotten">${forgotten.title}</a>`;
    return {
      title: invitation.goneTitle,
      status: 404,
      main: card(
        html`<p>${forgotten.goneText}</p>
          <p>${again}</p>`,
      ),
    };
  }
  const password = field({
    name: 'password',
    label: invitation.newPassword,
    type: 'password',
    autocomplete: 'new-password',
    hint: invitation.rules,
    fault,
  });
  return {
    title: forgotten.newTitle,
    status: fault === null ? 200 : 400,
    main: card(
      html`<p>${fill(forgotten.newText, { email: isolated(link.email) })}</p>
        ${form(path, html`${password} ${button(forgotten.newSubmit)}`)}`,
    ),
  };
}
