import type { Invited } from '../../../domain/people/members/accept.ts';
import { totpUrl } from '../../../domain/people/factors/totp.ts';
import { qrCode } from '../../../domain/checkout/markup/qr-code.ts';
import { fill, fillPlain, html, isolated, type Html } from '../../../platform/pages/html.ts';
import { alert, button, field, form, hidden, said } from '../shell/fields.ts';
import type { Page, SignedIn, Visit } from '../shell/route.ts';

const card = (content: Html): Html => html`<div class="card narrow">${content}</div>`;

/** The page on which people sign in; `fault`: why the last try was refused. */
export function signInPage(
  { texts }: Visit,
  { to, email = '', fault = null, note = null }: Readonly<Record<'to', string>> & SignInState,
): Page {
  const { signIn } = texts;
  const fields = html`${hidden('to', to)}
  ${field({ name: 'email', label: signIn.email, type: 'email', autocomplete: 'username', value: email })}
  ${field({ name: 'password', label: signIn.password, type: 'password', autocomplete: 'current-password' })}
  ${button(signIn.submit)}`;
  const notes = html`${said(note)} ${alert(fault)}`;
  return {
    title: signIn.title,
    status: fault === null ? 200 : 400,
    main: card(
      html`${notes}${form('/dashboard/sign-in', fields)}
        <p class="small">${signIn.help}</p>`,
    ),
  };
}

interface SignInState {
  readonly email?: string;
  readonly fault?: string | null;
  readonly note?: string | null;
}

/** The page that asks for a code: after the password, or once more before what is dangerous. */
export function factorPage(
  { texts, session }: SignedIn,
  { to, fault = null }: { to: string; fault?: string | null },
): Page {
  const { factor } = texts;
  const isConfirming = session.factor_at !== null;
  const code = { name: 'code', label: factor.code, autocomplete: 'one-time-code', fault } as const;
  return {
    title: isConfirming ? factor.confirmTitle : factor.title,
    status: fault === null ? 200 : 400,
    main: card(
      html`<p>${isConfirming ? factor.confirmText : factor.text}</p>
        ${form('/dashboard/second-factor', html`${hidden('to', to)} ${field(code)} ${button(factor.submit)}`)}`,
    ),
  };
}

/** The page that sets up an app: its form sends the secret back, and a right code stores it. */
export function setUpPage({ texts, session }: SignedIn, secret: string, fault: string | null): Page {
  const { setUp } = texts;
  const image = qrCode(totpUrl(secret, session.email), setUp.image, { id: 'totp', kind: 'qr' });
  const code = {
    name: 'code',
    label: setUp.code,
    autocomplete: 'one-time-code',
    isNumeric: true,
    fault,
  } as const;
  const fields = html`${hidden('secret', secret)} ${field(code)} ${button(setUp.submit)}`;
  return {
    title: setUp.title,
    status: fault === null ? 200 : 400,
    main: card(
      html`<p>${setUp.text}</p>
        ${image}
        <p>${setUp.byHand} <code>${secret.match(/.{4}/g)?.join(' ') ?? secret}</code></p>
        ${form('/dashboard/set-up', fields)}`,
    ),
  };
}

/** The codes, which are shown here alone. */
export function recoveryCodesPage({ texts }: Visit, codes: readonly string[]): Page {
  const { setUp } = texts;
  return {
    title: setUp.doneTitle,
    main: card(
      html`<p>${setUp.doneText}</p>
        <ul class="codes">
          ${codes.map((code) => html`<li><code>${code}</code></li>`)}
        </ul>
        <p><a class="button main" href="/dashboard">${setUp.done}</a></p>`,
    ),
  };
}

/** The page of an invitation. */
export function invitationPage({ texts, path }: Visit, invited: Invited, fault: string | null): Page {
  const { invitation } = texts;
  const shop = isolated(invited.name);
  const text = fill(invitation.text, {
    email: isolated(invited.email),
    role: texts.roles[invited.role],
    shop,
  });
  const password = invited.isKnown
    ? field({
        name: 'password',
        label: invitation.ownPassword,
        type: 'password',
        autocomplete: 'current-password',
        fault,
      })
    : field({
        name: 'password',
        label: invitation.newPassword,
        type: 'password',
        autocomplete: 'new-password',
        hint: invitation.rules,
        fault,
      });
  return {
    title: fillPlain(invitation.title, { shop: invited.name }),
    status: fault === null ? 200 : 400,
    main: card(
      html`<p>${text}</p>
        ${invited.isKnown ? html`<p>${invitation.known}</p>` : null}
        ${form(path, html`${password} ${button(invitation.submit)}`)}`,
    ),
  };
}

/** An invitation or a link that does not work any more: whichever it was, and whether it ever did. */
export function gonePage({ texts }: Visit): Page {
  const { invitation } = texts;
  return { title: invitation.goneTitle, status: 404, main: card(html`<p>${invitation.goneText}</p>`) };
}

/** A link is used by its form: programs that look at links before people do use none up. */
export function linkPage({ texts, path }: Visit): Page {
  const { link } = texts;
  return {
    title: link.title,
    main: card(
      html`<p>${link.text}</p>
        ${form(path, button(link.submit))}`,
    ),
  };
}
