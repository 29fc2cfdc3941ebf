import { IS_BEGUN } from '../../../payments/conversions/states.ts';
import { isUnderWay, statusesThat } from '../../../payments/lifecycle/states.ts';
import { IS_OPEN } from '../../../payments/refunds/states.ts';
import { IS_UNSOLD } from '../../../payments/sales/states.ts';
import type { Tx } from '../../../../platform/postgres/db.ts';
import { ask } from '../tables/rows.ts';
import { IS_COPIED } from './notes.ts';

/** How far payments were looked through, oldest first. */
export interface Place {
  readonly created_at: string;
  readonly id: string;
}

export const FIRST: Place = { created_at: '-infinity', id: '' };

const IS_UNSENT = 'sent_at IS NULL AND given_up_at IS NULL';

/**
 * What has no work to come: no job, no delivery, mail or refund that is to be sent, and no transfer that is
 * to be final. In the target nothing finds it, so nothing is done for it there. Each set is short and has an
 * index; refunds and deliveries are looked for by payment. A test clock's jobs are its own.
 */
const RESTS = `p.test_clock IS NULL
    AND p.status NOT IN (${statusesThat(isUnderWay)})
    AND p.id NOT IN (SELECT payment_id FROM transfers WHERE confirmed_at IS NULL AND dropped_at IS NULL)
    AND p.id NOT IN (SELECT payment_id FROM unapplied_transfers WHERE merchant_id = $1)
    AND p.id NOT IN (SELECT payment_id FROM conversions c WHERE ${IS_BEGUN('c')})
    AND p.id NOT IN (SELECT payment_id FROM sales s WHERE ${IS_UNSOLD('s')})
    AND p.id NOT IN (SELECT payment_id FROM receipts WHERE ${IS_UNSENT})
    AND p.id NOT IN (SELECT payment_id FROM address_requests WHERE ${IS_UNSENT})
    AND p.id NOT IN (SELECT payment_id FROM refund_addresses WHERE given_at IS NOT NULL AND ${IS_UNSENT})
    AND NOT EXISTS (SELECT FROM refunds r WHERE r.payment_id = p.id AND ${IS_OPEN('r')})
    AND NOT EXISTS (SELECT FROM deliveries d WHERE d.payment_id = p.id AND d.status = 'pending')
    AND NOT EXISTS (SELECT FROM awaited_transactions a WHERE a.payment_id = p.id AND NOT a.is_lost)`;

const PAGE = `
  SELECT p.id, p.created_at::text AS created_at, ${RESTS} AND NOT ${IS_COPIED} AS is_due
  FROM (
    SELECT * FROM payments WHERE merchant_id = $1 AND (created_at, id) > ($2::timestamptz, $3)
    ORDER BY created_at, id LIMIT $4
  ) p ORDER BY p.created_at, p.id`;

/** A page of payments. */
export interface Resting {
  /** Those that rest and are not in the target as they are. */
  readonly ids: readonly string[];
  /** The last of the page; null: there are no more. */
  readonly last: Place | null;
}

/** Looks through the next payments of a merchant. Index: payments_newest. */
export async function findResting(
  tx: Tx,
  merchantId: string,
  { created_at: createdAt, id }: Place,
  limit: number,
): Promise<Resting> {
  await ask(tx, joins('off'));
  const page = await ask<Place & { is_due: boolean }>(tx, PAGE, [merchantId, createdAt, id, limit]);
  await ask(tx, joins('on'));
  return {
    ids: page.filter(({ is_due }) => is_due).map(({ id }) => id),
    last: page.length < limit ? null : (page.at(-1) ?? null),
  };
}

/** One payment is looked up after the other here, as the service does: there is an index for each. */
const joins = (value: 'on' | 'off') => `SELECT set_config(name, '${value}', true)
  FROM (VALUES ('enable_seqscan'), ('enable_hashjoin'), ('enable_mergejoin')) AS s (name)`;
