import { run, sql, type Connection } from '../../../../platform/postgres/db.ts';

interface TakeOverParams {
  readonly endpointIds: readonly string[];
  readonly worker: string;
  readonly systemNow: Date;
}

// Sorted, as all who lock endpoints (lock.ts).
const endLeases = sql<never, TakeOverParams>(
  'end_leases_of_worker',
  (p) => `
   UPDATE webhook_endpoints SET leased_until = ${p.systemNow}
   WHERE id = ANY (ARRAY(
     SELECT id FROM webhook_endpoints
     WHERE id = ANY (${p.endpointIds}) AND split_part(leased_by, ':', 1) = ${p.worker}
       AND leased_until > ${p.systemNow}
     ORDER BY id FOR NO KEY UPDATE
   ))`,
);

/** Ends the leases of endpoints that runs of a worker hold that is gone: the next run acquires them. */
export async function endLeasesOf(connection: Connection, params: TakeOverParams): Promise<void> {
  if (params.endpointIds.length > 0) await run(connection, endLeases, params);
}
