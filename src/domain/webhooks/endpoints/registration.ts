import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { foundOr } from '../../api/errors.ts';
import { isId } from '../../../platform/values/ids.ts';
import type { EventType } from '../../../sdk/event-types.ts';

/** `full`: the whole event. `thin`: its id, its type and a link, for receivers that read it themselves. */
export const PAYLOADS = ['full', 'thin'] as const;
export type Payload = (typeof PAYLOADS)[number];

/** A registered endpoint, as stored. */
export interface Registration {
  readonly id: string;
  readonly url: string;
  readonly event_types: EventType[] | null;
  readonly description: string | null;
  readonly payload: Payload;
  readonly is_enabled: boolean;
  readonly created_at: Date;
}

type Find = (connection: Connection, merchantId: string, id: string) => Promise<Registration>;

/** A merchant's registered endpoint. Throws ApiError endpoint_not_found, also for another merchant's. */
export const readRegistration = finderOf('find', '');

/**
 * The same, locked until the transaction ends: serializes the requests of one endpoint, and those of runs
 * that find it disabled (leases/release.ts).
 */
export const lockRegistration = finderOf('find_and_lock', 'FOR NO KEY UPDATE');

const registered = sql<Pick<Registration, 'id' | 'url'>, { merchantId: string }>(
  'urls_of_endpoint_registrations',
  (p) => `
   SELECT id, url FROM endpoint_registrations
   WHERE merchant_id = ${p.merchantId} AND deleted_at IS NULL ORDER BY id`,
);

/** The endpoints that a merchant has registered, oldest first. */
export function listRegistrations(
  connection: Connection,
  merchantId: string,
): Promise<Pick<Registration, 'id' | 'url'>[]> {
  return run(connection, registered, { merchantId });
}

const payloadOfEndpoint = sql<Pick<Registration, 'payload'>, { merchantId: string; id: string }>(
  'payload_of_endpoint',
  (p) => `
   SELECT payload FROM endpoint_registrations WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
);

/** What an endpoint of the merchant is sent, also a deleted one; null is none that was registered. */
export async function readPayload(
  connection: Connection,
  merchantId: string,
  id: string | null,
): Promise<Payload> {
  const found = id === null ? null : await runOne(connection, payloadOfEndpoint, { merchantId, id });
  return found?.payload ?? 'full';
}

function finderOf(verb: string, lock: string): Find {
  const find = sql<Registration, { merchantId: string; id: string }>(
    `${verb}_endpoint_registration`,
    (p) => `
     SELECT id, url, event_types, description, payload, is_enabled, created_at FROM endpoint_registrations
     WHERE id = ${p.id} AND merchant_id = ${p.merchantId} AND deleted_at IS NULL ${lock}`,
  );
  return async (connection, merchantId, id) =>
    foundOr(
      'endpoint_not_found',
      isId('whe', id) ? await runOne(connection, find, { merchantId, id }) : null,
    );
}
