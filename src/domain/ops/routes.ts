import { Type } from 'typebox';
import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { endpoint, reply } from '../../platform/endpoint.ts';
import { overdue } from '../schedule/lease.ts';
import { timestamp } from '../../platform/schemas.ts';
import { VERSION } from '../../platform/version.ts';

const StatusReport = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'maintenance']),
  version: Type.String({ description: 'Current API version.' }),
  timestamp: timestamp('Server time.'),
  simulated: Type.Optional(
    Type.Literal(true, {
      description: 'Present when live payments are simulated too: no real money moves at all.',
    }),
  ),
  authenticated: Type.Boolean({ description: 'Whether the supplied API key is valid.' }),
  merchant_id: Type.Optional(
    Type.String({ description: "The merchant's identifier; present only when authenticated is true." }),
  ),
});

/** A job that has waited longer has no worker: the API accepts payments, but nothing moves them. */
const DEGRADED_AFTER_SECONDS = 60;

export const statusEndpoints = [
  endpoint({
    operationId: 'getStatus',
    method: 'get',
    path: '/v1/status',
    summary: 'Reports the health of the API, and whether a key is valid.',
    auth: 'optional',
    permission: null,
    perMinute: 120,
    response: { status: 200, schema: StatusReport },
    async handle({ ctx, caller }) {
      const now = ctx.now();
      return reply(200, {
        status: ctx.config.maintenance ? 'maintenance' : await health(ctx.db, now),
        version: VERSION,
        timestamp: now.toISOString(),
        ...(ctx.config.simulateLive ? { simulated: true } : {}),
        authenticated: caller !== null,
        ...(caller === null ? {} : { merchant_id: caller.merchantId }),
      });
    },
  }),
];

// True of a standby, and of a primary that was made read-only, for example because its disk is full.
const readOnly = sql<{ is_read_only: boolean }>(
  'is_read_only',
  `SELECT current_setting('transaction_read_only')::boolean AS is_read_only`,
);

async function health(connection: Connection, now: Date): Promise<'ok' | 'degraded'> {
  if ((await runOne(connection, readOnly, []))?.is_read_only === true) return 'degraded';
  const { oldestSeconds } = await overdue(connection, now);
  return oldestSeconds > DEGRADED_AFTER_SECONDS ? 'degraded' : 'ok';
}
