import { countRecoveryCodes } from '../../../domain/people/factors/recovery.ts';
import { addPasskey, passkeyName, removePasskey } from '../../../domain/people/passkeys/change.ts';
import { listPasskeys } from '../../../domain/people/passkeys/store.ts';
import { isFresh } from '../../../domain/people/sessions/store.ts';
import { endSession, listSessions } from '../../../domain/people/sessions/list.ts';
import { changePassword } from '../../../domain/people/sessions/sign-in.ts';
import type { Html } from '../../../platform/pages/html.ts';
import { newPasskeyForm } from '../entry/passkey-forms.ts';
import { field } from '../shell/fields.ts';
import { attestationOf } from '../shell/passkeys.ts';
import {
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type DeskReply,
  type DeskRoute,
  type SignedIn,
} from '../shell/route.ts';
import { accountPage, type AccountFaults } from './page.ts';

const ACCOUNT = '/dashboard/account';

/** What people change of themselves. */
export const accountRoutes: readonly DeskRoute[] = [
  {
    name: 'account',
    method: 'get',
    path: ACCOUNT,
    access: 'person',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => show(visit, {}),
  },
  {
    name: 'password',
    method: 'post',
    path: `${ACCOUNT}/password`,
    access: 'person',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, session, texts } = visit;
      const asked = { present: visit.field('present'), next: visit.field('next') };
      const changed = await changePassword(ctx, session, asked, visit);
      if (typeof changed !== 'string')
        return { to: `${ACCOUNT}?said=passwordChanged`, kept: { session: changed.token } };
      if (changed === 'refused') return show(visit, { present: texts.account.wrong });
      if (changed === 'limited') return show(visit, { present: texts.signIn.limited });
      return show(visit, { next: texts.passwords[changed] });
    },
  },
  {
    name: 'end session',
    method: 'post',
    path: `${ACCOUNT}/sessions/:session/end`,
    access: 'person',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const ended = await endSession(visit.ctx, visit.session, visit.params.session ?? '', visit);
      return ended ? { to: `${ACCOUNT}?said=sessionEnded` } : 'missing';
    },
  },
  {
    name: 'add passkey',
    method: 'post',
    path: `${ACCOUNT}/passkeys`,
    access: 'person',
    isFresh: true,
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, session, texts } = visit;
      const name = passkeyName(visit.field('name'), texts.passkeys.unnamed);
      const added = await addPasskey(ctx, session, { attestation: attestationOf(visit), name }, visit);
      if (added === 'ended') return { to: '/dashboard/sign-in', kept: { session: null } };
      if (typeof added === 'string') return show(visit, { passkey: texts.passkeys[added] });
      const kept = { session: added.token, device: added.device };
      return { to: `${ACCOUNT}?said=passkeyAdded`, kept };
    },
  },
  {
    name: 'remove passkey',
    method: 'post',
    path: `${ACCOUNT}/passkeys/:passkey/remove`,
    access: 'person',
    isFresh: true,
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, session, params, texts } = visit;
      const removed = await removePasskey(ctx, session, params.passkey ?? '', visit);
      if (removed === 'missing') return removed;
      if (removed === 'last') return show(visit, { passkey: texts.passkeys.last });
      return { to: `${ACCOUNT}?said=passkeyRemoved` };
    },
  },
];

async function show(visit: SignedIn, faults: AccountFaults): Promise<DeskReply> {
  const { ctx, session } = visit;
  const { person_id: personId } = session;
  const sessions = await listSessions(ctx.db, personId, ctx.now());
  const codes = await countRecoveryCodes(ctx.db, personId);
  const passkeys = await listPasskeys(ctx.db, personId);
  const newPasskey = isFresh(session, ctx.now()) ? await addForm(visit) : null;
  return accountPage(visit, { sessions, codes, passkeys, newPasskey }, faults);
}

function addForm(visit: SignedIn): Promise<Html> {
  const { passkeys } = visit.texts;
  const name = { name: 'name', label: passkeys.name, hint: passkeys.nameHint, isOptional: true } as const;
  const asked = { path: `${ACCOUNT}/passkeys`, label: passkeys.add, fields: field(name), fault: null };
  return newPasskeyForm(visit, asked);
}
