import { readInvitation } from '../../../domain/people/members/accept.ts';
import { newTotpSecret } from '../../../domain/people/factors/totp.ts';
import { hasFactor } from '../../../domain/people/sessions/accounts.ts';
import type { Proven } from '../../../domain/people/sessions/admit.ts';
import { hidden } from '../shell/fields.ts';
import { PASSKEY_SCRIPT } from '../shell/passkeys.ts';
import type { DeskReply, SignedIn, Visit } from '../shell/route.ts';
import { joinForm, newPasskeyForm, proveForm } from './passkey-forms.ts';
import { factorPage, gonePage, invitationPage, setUpPage, type StepFaults } from './pages.ts';

const SCRIPTS = [PASSKEY_SCRIPT];

/** The second step, from where `to` follows. */
export const factorPath = (to: string) => `/dashboard/second-factor?to=${encodeURIComponent(to)}`;
/** The session has ended meanwhile. */
export const ENDED = { to: '/dashboard/sign-in', kept: { session: null } } as const;

/** Leads on after a second factor was proven. */
export function provenTo({ session }: SignedIn, to: string, { token, device }: Proven): DeskReply {
  const said = session.factor_at === null ? '' : '?said=confirmed';
  return { to: `${to}${said}`, kept: { session: token, device } };
}

/** The page that asks for the second factors that the person has. */
export async function showFactor(visit: SignedIn, to: string, faults: StepFaults): Promise<DeskReply> {
  const { session } = visit;
  const path = '/dashboard/second-factor/passkey';
  const asked = { path, fields: hidden('to', to), fault: faults.passkey ?? null };
  const passkey = session.has_passkey ? await proveForm(visit, session.person_id, asked) : null;
  return { ...factorPage(visit, { to, faults, passkey }), scripts: SCRIPTS };
}

/** The page that sets up a second factor: `secret` of an app, or a passkey where it is the first one. */
export async function showSetUp(
  visit: SignedIn,
  secret: string | null,
  faults: StepFaults,
): Promise<DeskReply> {
  const asked = { path: '/dashboard/set-up/passkey', label: visit.texts.passkeys.make };
  const passkey = hasFactor(visit.session)
    ? null
    : await newPasskeyForm(visit, { ...asked, fault: faults.passkey ?? null });
  return { ...setUpPage(visit, { secret: secret ?? newTotpSecret(), faults, passkey }), scripts: SCRIPTS };
}

/** The page of an invitation as it is now. */
export async function showInvitation(visit: Visit, faults: StepFaults): Promise<DeskReply> {
  const invited = await readInvitation(visit.ctx, visit.params.token ?? '');
  if (invited === null) return gonePage(visit);
  const passkey = await joinForm(visit, invited, { fault: faults.passkey ?? null });
  return { ...invitationPage(visit, invited, { faults, passkey }), scripts: SCRIPTS };
}
