import type { Context } from '../../../../platform/context.ts';
import { attemptsTotal } from '../../../../platform/metrics/measures.ts';
import { run, sql } from '../../../../platform/postgres/db.ts';
import { REGISTRATION, URL_OF_EVENT } from '../destination.ts';
import { withEndpointsLocked, type AcquiredEndpoint, type EndpointLease } from './lease.ts';

interface InterruptedParams {
  readonly endpointId: string;
  readonly owner: string;
  readonly now: Date;
  readonly receiver: string | null;
}

// Its caller has locked the endpoint (lease.ts), as whoever records an outcome: else one would hold the
// endpoint and the other the delivery, and they would wait for each other for ever. An attempt whose outcome
// was recorded has its row, so the conflict skips it. The retry schedule does not
// advance: restarted_after grows with attempts. A run that was only frozen may still record the outcome: it
// replaces this row (deliveries/record.ts).
const recordAttempts = sql<{ delivery_id: string }, InterruptedParams>(
  'record_interrupted_attempts',
  (p) => `
   WITH endpoint AS (
     SELECT merchant_id, registration_id, in_flight FROM webhook_endpoints
     WHERE id = ${p.endpointId} AND leased_by = ${p.owner}
   ),
   lost AS (
     SELECT d.id, (f.value ->> 0)::int AS number, (f.value ->> 1)::timestamptz AS started_at,
       coalesce(${p.receiver}, ${URL_OF_EVENT()}, '') AS url, d.next_attempt_at
     FROM endpoint o JOIN merchants m ON m.id = o.merchant_id ${REGISTRATION}
       CROSS JOIN LATERAL jsonb_each(o.in_flight) f
       JOIN deliveries d ON d.id = f.key
       LEFT JOIN events e ON e.id = d.event_id
   ),
   attempt AS (
     INSERT INTO delivery_attempts (delivery_id, number, url, started_at, duration_ms, error_class,
       error_detail, next_attempt_at)
     SELECT id, number, url, started_at,
       greatest(0, extract(epoch FROM ${p.now}::timestamptz - started_at) * 1000)::int, 'interrupted',
       'the service stopped before it recorded a response', next_attempt_at
     FROM lost
     ON CONFLICT DO NOTHING
     RETURNING delivery_id, number
   ),
   delivery AS (
     UPDATE deliveries d SET attempts = a.number, restarted_after = d.restarted_after + 1
     FROM attempt a WHERE d.id = a.delivery_id AND d.attempts < a.number
   ),
   cleared AS (
     UPDATE webhook_endpoints SET in_flight = '{}'
     WHERE id = ${p.endpointId} AND leased_by = ${p.owner}
   )
   SELECT delivery_id FROM attempt`,
);

/**
 * Logs what was sent before the lease began and has no outcome, and leaves what is due to the next read: it
 * is not written down as sent yet. Where a PUT has ended the lease of this run itself, the outcomes of its
 * requests replace what is logged here.
 */
export async function withoutInterrupted(
  ctx: Context,
  lease: EndpointLease,
  endpoint: AcquiredEndpoint,
  receiver: string | null,
): Promise<AcquiredEndpoint> {
  if (!endpoint.has_interrupted) return endpoint;
  await recordInterrupted(ctx, lease, receiver);
  return { ...endpoint, due: [], has_interrupted: false, has_more: true };
}

/**
 * Logs what an earlier run sent and recorded no outcome of: each is an attempt with the error `interrupted`.
 * The receiver may have handled it; the delivery is sent again.
 */
async function recordInterrupted(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  receiver: string | null,
): Promise<void> {
  const params = { endpointId, owner, now: ctx.now(), receiver };
  const recorded = await withEndpointsLocked(ctx.db, [endpointId], (on) => run(on, recordAttempts, params));
  if (recorded.length > 0)
    attemptsTotal.inc({ outcome: 'interrupted', error: 'interrupted' }, recorded.length);
  for (const { delivery_id } of recorded)
    ctx.log.warn('webhook attempt interrupted: a worker stopped during it; it will be sent again', {
      delivery_id,
      endpoint_id: endpointId,
    });
}
