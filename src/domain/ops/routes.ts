import { endpoint, reply, type Endpoint } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';
import { VERSION } from '../../platform/root.ts';
import type { Fault, HealthSource } from './health/monitor.ts';
import { StatusReport } from './health/schemas.ts';

/** The state is that of the background: a request neither waits for a check nor causes one. */
export const statusEndpoints = (health: HealthSource): readonly Endpoint[] => [
  endpoint({
    operationId: 'getStatus',
    method: 'get',
    path: '/v1/status',
    summary: 'Reports the health of the API, and whether a key is valid.',
    description:
      'Answers with and without a key, also under maintenance. `degraded` names in `checks` what is ' +
      'not well. A key that is not valid is no error here: `authenticated` is then false.',
    auth: 'optional',
    permissions: [],
    perMinute: 120,
    errors: [],
    response: { status: 200, schema: StatusReport },
    async handle({ ctx, caller }) {
      const { status, checks } = ctx.config.maintenance ? MAINTENANCE : await healthOf(health);
      return reply(200, {
        status,
        version: VERSION,
        timestamp: ctx.now().toISOString(),
        ...(ctx.config.simulateLive ? { simulated: true } : {}),
        ...(checks.length === 0 ? {} : { checks }),
        authenticated: caller !== null,
        ...(caller === null
          ? {}
          : { merchant_id: caller.merchantId, mode: caller.mode, permissions: caller.permissions }),
      });
    },
  }),
];

interface Health {
  readonly status: 'ok' | 'degraded' | 'maintenance';
  readonly checks: readonly Fault[];
}

const MAINTENANCE: Health = { status: 'maintenance', checks: [] };

/** Throws ApiError unavailable while Postgres does not respond. */
async function healthOf(health: HealthSource): Promise<Health> {
  const { isReachable, faults } = await health.report();
  if (!isReachable) throw new ApiError('unavailable');
  return { status: faults.length === 0 ? 'ok' : 'degraded', checks: faults };
}
