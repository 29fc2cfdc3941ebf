import { countRecoveryCodes } from '../../../domain/people/factors/recovery.ts';
import { endSession, listSessions } from '../../../domain/people/sessions/list.ts';
import { changePassword } from '../../../domain/people/sessions/sign-in.ts';
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
    async handle({ ctx, session, params }) {
      const ended = await endSession(ctx.db, session.person_id, params.session ?? '');
      return ended ? { to: `${ACCOUNT}?said=sessionEnded` } : 'missing';
    },
  },
];

async function show(visit: SignedIn, faults: AccountFaults): Promise<DeskReply> {
  const { ctx, session } = visit;
  const sessions = await listSessions(ctx.db, session.person_id, ctx.now());
  const codes = await countRecoveryCodes(ctx.db, session.person_id);
  return accountPage(visit, { sessions, codes }, faults);
}
