import type { Invited } from '../../../domain/people/members/accept.ts';
import { totpUrl } from '../../../domain/people/factors/totp.ts';
import { qrCode } from '../../../domain/checkout/markup/qr-code.ts';
import { fill, fillPlain, html, isolated, type Html } from '../../../platform/pages/html.ts';
import { alert, button, field, form, hidden, said } from '../shell/fields.ts';
import type { Page, SignedIn, Visit } from '../shell/route.ts';

/** The one thing of a page. */
export const card = (content: Html): Html => html`<div class="card narrow">${content}</div>`;

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
        <p><a class="button" href="/dashboard/passkey?to=${encodeURIComponent(to)}">${signIn.passkey}</a></p>
        <p><a href="/dashboard/forgotten">${texts.forgotten.ask}</a></p>
        <p class="small">${signIn.help}</p>`,
    ),
  };
}

interface SignInState {
  readonly email?: string;
  readonly fault?: string | null;
  readonly note?: string | null;
}

/** What is wrong with the last try, by the way that was tried. */
export interface StepFaults {
  readonly code?: string;
  readonly passkey?: string;
}

/** What a step shows beside its text. */
interface Step {
  readonly faults: StepFaults;
  /** The form of a passkey; null: there is none to use. */
  readonly passkey: Html | null;
}

const statusOf = (faults: StepFaults) => (Object.keys(faults).length === 0 ? 200 : 400);

/** The page that asks for a second factor: after the password, or once more before what is dangerous. */
export function factorPage(
  { texts, session }: SignedIn,
  { to, faults, passkey }: Step & { to: string },
): Page {
  const { factor } = texts;
  const isConfirming = session.factor_at !== null;
  const { code: fault = null } = faults;
  const code = { name: 'code', label: factor.code, autocomplete: 'one-time-code', fault } as const;
  const codeForm = html`<p>${factor.text}</p>
    ${form('/dashboard/second-factor', html`${hidden('to', to)} ${field(code)} ${button(factor.submit)}`)}`;
  return {
    title: isConfirming ? factor.confirmTitle : factor.title,
    status: statusOf(faults),
    main: card(
      html`${isConfirming ? html`<p>${factor.confirmText}</p>` : null} ${passkey}
      ${session.has_totp ? codeForm : html`<p class="no-passkeys">${texts.passkeys.noScript}</p>`}`,
    ),
  };
}

/** The page that sets up an app: its form sends the secret back, and a right code stores it. */
export function setUpPage(
  { texts, session }: SignedIn,
  { secret, faults, passkey }: Step & { secret: string },
): Page {
  const { setUp } = texts;
  const image = qrCode(totpUrl(secret, session.email), setUp.image, { id: 'totp', kind: 'qr' });
  const { code: fault = null } = faults;
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
    status: statusOf(faults),
    main: card(
      html`${passkey}
        <p>${setUp.text}</p>
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
export function invitationPage(
  { texts, params }: Visit,
  { name, email, role, account }: Invited,
  { faults, passkey }: Step,
): Page {
  const { invitation } = texts;
  const shop = isolated(name);
  const text = fill(invitation.text, { email: isolated(email), role: texts.roles[role], shop });
  const { code: fault = null } = faults;
  const secret = { name: 'password', type: 'password', fault } as const;
  const password =
    account === null
      ? field({
          ...secret,
          label: invitation.newPassword,
          autocomplete: 'new-password',
          hint: invitation.rules,
        })
      : field({ ...secret, label: invitation.ownPassword, autocomplete: 'current-password' });
  const accept = `/dashboard/invitations/${params.token ?? ''}`;
  return {
    title: fillPlain(invitation.title, { shop: name }),
    status: statusOf(faults),
    main: card(
      html`<p>${text}</p>
        ${account === null ? null : html`<p>${invitation.known}</p>`}
        ${form(accept, html`${password} ${button(invitation.submit)}`)} ${passkey}`,
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
