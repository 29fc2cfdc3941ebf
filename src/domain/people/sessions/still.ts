import { may, type Right, type Role } from '../rights/roles.ts';
import { runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { IS_IN_FORCE, sinceAt, type Since } from './store.ts';

interface Asked {
  readonly sessionId: string;
  readonly merchantId: string;
}

// Indexes: person_sessions_pkey, memberships_pkey.
const roleOfSession = sql<{ role: Role }, Asked & Since>(
  'role_of_session',
  (p) => `
    SELECT b.role FROM person_sessions s JOIN memberships b ON b.person_id = s.person_id
    WHERE s.id = ${p.sessionId} AND b.merchant_id = ${p.merchantId} AND ${IS_IN_FORCE(p)}`,
);

/** Whether a session that began something long is still in force, and its person still has the right. */
export async function mayStill(
  connection: Connection,
  { right, ...asked }: Asked & { readonly right: Right },
  now: Date,
): Promise<boolean> {
  const found = await runOne(connection, roleOfSession, { ...asked, ...sinceAt(now) });
  return found !== null && may(found.role, right);
}
