import type { Invited } from '../../../domain/people/members/accept.ts';
import { newChallenge } from '../../../domain/people/passkeys/challenges.ts';
import { creationOptions, requestOptions } from '../../../domain/people/passkeys/relying-party.ts';
import { listPasskeys } from '../../../domain/people/passkeys/store.ts';
import type { Html } from '../../../platform/pages/html.ts';
import { hidden } from '../shell/fields.ts';
import { passkeyForm } from '../shell/passkeys.ts';
import type { SignedIn, Visit } from '../shell/route.ts';

interface State {
  /** What is wrong with the last try; null: nothing. */
  readonly fault: string | null;
}

/** The form that signs in with a passkey alone: the browser asks at once, but after a fault. */
export async function signInForm(visit: Visit, { to, fault }: State & { to: string }): Promise<Html> {
  const { ctx, texts } = visit;
  const challenge = await newChallenge(ctx, 'sign-in', null);
  return passkeyForm(visit, {
    path: '/dashboard/passkey',
    options: requestOptions(ctx.config, challenge, []),
    label: texts.passkeys.use,
    fields: hidden('to', to),
    isAtOnce: fault === null,
    fault,
  });
}

/** The form that proves a second factor by a passkey of the person. */
export async function proveForm(
  visit: Visit,
  personId: string,
  { path, fields, fault }: State & { path: string; fields?: Html },
): Promise<Html> {
  const { ctx, texts } = visit;
  const challenge = await newChallenge(ctx, 'prove', personId);
  const own = await listPasskeys(ctx.db, personId);
  const options = requestOptions(ctx.config, challenge, own);
  const label = texts.passkeys.use;
  return passkeyForm(visit, { path, options, label, fault, ...(fields === undefined ? {} : { fields }) });
}

/** The form of a new passkey of who is signed in. */
export async function newPasskeyForm(
  visit: SignedIn,
  { path, label, fields, fault }: State & { path: string; label: string; fields?: Html },
): Promise<Html> {
  const { ctx, session } = visit;
  const person = { id: session.person_id, email: session.email };
  const challenge = await newChallenge(ctx, 'register', person.id);
  const options = creationOptions(ctx.config, challenge, person, await listPasskeys(ctx.db, person.id));
  return passkeyForm(visit, { path, options, label, fault, ...(fields === undefined ? {} : { fields }) });
}

/**
 * The form that accepts an invitation with a passkey: a new one, or one of the account that is there. Null:
 * the account has none.
 */
export async function joinForm(visit: Visit, invited: Invited, { fault }: State): Promise<Html | null> {
  const { ctx, texts } = visit;
  const { personId: id, email, account } = invited;
  const path = `/dashboard/invitations/${visit.params.token ?? ''}/passkey`;
  if (account !== null) return account.has_passkey ? proveForm(visit, id, { path, fault }) : null;
  const challenge = await newChallenge(ctx, 'join', id);
  const options = creationOptions(ctx.config, challenge, { id, email }, []);
  return passkeyForm(visit, { path, options, label: texts.passkeys.join, fault });
}
