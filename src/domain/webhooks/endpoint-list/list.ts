import { DEFAULT_LIMIT } from '../../api/schemas.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { foundOr } from '../../api/errors.ts';
import { notACursor, pageOf, parseCursor } from '../../api/pages.ts';
import {
  HEALTH_COLUMNS,
  healthOf,
  rateSince,
  RATES,
  type HealthParams,
  type HealthRow,
} from '../endpoints/health.ts';
import type { EventType } from '../../../sdk/event-types.ts';
import type { Payload } from '../endpoints/registration.ts';
import type { ListEndpointsQuery, WebhookEndpoint, WebhookEndpointList } from './schemas.ts';

type EndpointRow = Omit<HealthRow, 'has_url'> & {
  readonly id: string;
  readonly url: string | null;
  readonly is_default: boolean;
  readonly registration_id: string | null;
  readonly event_types: EventType[] | null;
  readonly description: string | null;
  readonly payload: Payload | null;
  readonly is_enabled: boolean;
  readonly registered_at: Date | null;
};

interface PageParams extends HealthParams {
  /** The last endpoint of the page before; the empty text precedes all. */
  readonly afterId: string;
  readonly state: 'failing' | 'switched_off' | null;
  readonly limit: number;
}

/**
 * SQL: the URL of the endpoint `o` of the merchant `m`. The ids of endpoints that a previous release inserted
 * name it.
 */
const ENDPOINT_URL = `CASE WHEN o.id = m.id THEN m.webhook_url
  ELSE coalesce(o.url, substr(o.id, length(m.id) + 2)) END`;

// The merchant's endpoints are one range of ids, which begins with the default one (`!` follows the space
// behind the merchant's id). Endpoints of isolated payments are not among them. The default one and
// registered ones are listed before they have a row.
const OWN = (merchantId: string) => `own AS (
     SELECT m.id, m.webhook_url AS url, true AS is_default, m.webhooks_enabled AS is_enabled,
       NULL::text AS registration_id, NULL::text[] AS event_types, NULL::text AS description,
       NULL::text AS payload, NULL::timestamptz AS registered_at
     FROM merchants m WHERE m.id = ${merchantId}
     UNION ALL
     SELECT o.id, ${ENDPOINT_URL}, false, m.webhooks_enabled, NULL, NULL, NULL, NULL, NULL
     FROM merchants m JOIN webhook_endpoints o ON o.id > m.id AND o.id < m.id || '!'
     WHERE m.id = ${merchantId} AND o.registration_id IS NULL
     UNION ALL
     SELECT r.merchant_id || ' ' || r.id, r.url, false, r.is_enabled, r.id, r.event_types, r.description,
       r.payload, r.created_at
     FROM endpoint_registrations r WHERE r.merchant_id = ${merchantId} AND r.deleted_at IS NULL
   )`;

const pageOfEndpoints = sql<EndpointRow, PageParams>(
  'page_of_webhook_endpoints',
  (p) => `
   WITH ${RATES(p)}, ${OWN(p.merchantId)}
   SELECT own.*, ${HEALTH_COLUMNS}
   FROM own LEFT JOIN webhook_endpoints o ON o.id = own.id LEFT JOIN rates r ON r.endpoint_id = own.id
   WHERE own.id > ${p.afterId} AND (o.id IS NOT NULL OR own.url IS NOT NULL)
     AND (${p.state}::text IS NULL
       OR ${p.state} = 'failing' AND o.failures > 0
       OR ${p.state} = 'switched_off' AND o.disabled_at IS NOT NULL)
   ORDER BY own.id LIMIT ${p.limit}`,
);

const oneEndpoint = sql<EndpointRow, HealthParams & { id: string }>(
  'webhook_endpoint_of_merchant',
  (p) => `
   WITH ${RATES(p)}, ${OWN(p.merchantId)}
   SELECT own.*, ${HEALTH_COLUMNS}
   FROM own LEFT JOIN webhook_endpoints o ON o.id = own.id LEFT JOIN rates r ON r.endpoint_id = own.id
   WHERE own.id = ${p.id} OR own.registration_id = ${p.id}`,
);

/**
 * One endpoint, by the id of its registration or of its row. Throws ApiError endpoint_not_found, also for
 * another merchant's.
 */
export async function getEndpoint(
  connection: Connection,
  merchantId: string,
  id: string,
  now: Date,
): Promise<WebhookEndpoint> {
  const row = await runOne(connection, oneEndpoint, { merchantId, id, rateSince: rateSince(now) });
  return toEndpoint(foundOr('endpoint_not_found', row), now);
}

/** One page of a merchant's endpoints, the default one first. Throws ValidationError for another's cursor. */
export async function listEndpoints(
  connection: Connection,
  merchantId: string,
  query: ListEndpointsQuery,
  now: Date,
): Promise<WebhookEndpointList> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const rows = await run(connection, pageOfEndpoints, {
    merchantId,
    rateSince: rateSince(now),
    afterId: idAfter(query.cursor, merchantId),
    state: query.state ?? null,
    limit: limit + 1,
  });
  // Ids hold dots, which separate the parts of a cursor.
  const { shown, pagination } = pageOf(rows, limit, ({ id }) => [Buffer.from(id).toString('base64url')]);
  return { data: shown.map((row) => toEndpoint(row, now)), pagination };
}

function toEndpoint(row: EndpointRow, now: Date): WebhookEndpoint {
  const { url, is_default } = row;
  return {
    id: row.registration_id,
    url,
    default: is_default,
    enabled: row.is_enabled,
    event_types: row.event_types,
    description: row.description,
    payload: row.payload ?? 'full',
    created_at: row.registered_at?.toISOString() ?? null,
    health: healthOf({ ...row, has_url: url !== null }, now),
  };
}

/** Empty: from the beginning. */
function idAfter(cursor: string | undefined, merchantId: string): string {
  const position = parseCursor(cursor, { id: /^[\w-]+$/ });
  if (position === null) return '';
  const id = Buffer.from(position.id, 'base64url').toString();
  if (!id.startsWith(merchantId) || id.includes('\0')) throw notACursor();
  return id;
}
