import { run, sql, type Db } from '../../../../platform/postgres/db.ts';
import type { RedeliverBody } from '../schemas.ts';
import {
  assertReplayable,
  inTurn,
  MAX_AT_ONCE,
  rangeOf,
  tooMany,
  WANTED,
  type Range,
  type RangeParams,
} from './wanted.ts';

/** How many deliveries of an endpoint would begin again. */
export interface CountedEndpoint {
  readonly url: string | null;
  readonly count: number;
  /** It gets none of them. */
  readonly is_switched_off: boolean;
}

const countOf = (which: Range['which']) =>
  sql<CountedEndpoint, RangeParams>(
    `count_${which}_deliveries_to_restart`,
    (p) => `
   WITH wanted AS (${WANTED(which, p)}
     LIMIT ${MAX_AT_ONCE + 1})
   SELECT coalesce(r.url, w.endpoint_url, m.webhook_url) AS url, o.id IS NOT NULL AS is_switched_off,
     count(*)::int AS count
   FROM wanted w
     JOIN merchants m ON m.id = w.merchant_id
     LEFT JOIN endpoint_registrations r ON r.id = w.registration_id
     LEFT JOIN webhook_endpoints o ON o.id = w.endpoint_id AND o.disabled_at IS NOT NULL
   GROUP BY w.endpoint_id, 1, o.id ORDER BY w.endpoint_id`,
  );
const COUNTS = { failed: countOf('failed'), all: countOf('all') } as const;

/**
 * Counts what `redeliverRange` would restart now, by endpoint, and changes nothing. Throws as that does.
 */
export async function countRange(
  db: Db,
  merchantId: string,
  body: RedeliverBody,
  now: Date,
): Promise<CountedEndpoint[]> {
  const range = rangeOf(merchantId, body);
  return inTurn(db, range, async () => {
    const endpoints = await run(db, COUNTS[range.which], await assertReplayable(db, range, now));
    if (endpoints.reduce((sum, { count }) => sum + count, 0) > MAX_AT_ONCE) throw tooMany();
    return endpoints;
  });
}
