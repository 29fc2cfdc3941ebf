import { IS_MOVING } from '../../../moves/steps.ts';
import { runOne, sql, type Db, type Statement } from '../../../../platform/postgres/db.ts';

interface DeleteParams {
  /** Ids below it are older than the retention period. */
  readonly firstKeptId: string;
  readonly horizon: Date;
  readonly limit: number;
}

// A delivery of an old event that was replayed has an old id: its own time decides. The time of a payment
// with a test clock says nothing of its age (scenario events all date from one January, an advanced clock may
// show any year): the transaction of its event decides, compared with that of the latest mark that is old
// enough (events/sweep.ts). What is restarted while the deletion waits for its row is pending, and stays.
const deleteOldDeliveries = sql<{ deleted: number }, DeleteParams>(
  'delete_old_deliveries_of_default',
  (p) => `
   WITH old AS (
     SELECT d.ctid FROM deliveries_default d
     WHERE id < ${p.firstKeptId} AND status <> 'pending' AND NOT ${IS_MOVING('d.merchant_id')}
       AND CASE WHEN starts_with(endpoint_id, 'pay_')
         THEN NOT EXISTS (
           SELECT FROM events e WHERE e.id = event_id AND e.txid >= coalesce(
             (SELECT txid FROM event_marks WHERE at <= ${p.horizon} ORDER BY at DESC LIMIT 1), '0'::xid8))
         ELSE created_at < ${p.horizon} END
     ORDER BY id LIMIT ${p.limit}
   ),
   deleted AS (
     DELETE FROM deliveries_default WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) AND status <> 'pending'
     RETURNING 1
   )
   SELECT count(*)::int AS deleted FROM deleted`,
);
// The attempts of a test clock may be in the future: they go with their delivery, like all others.
const deleteOldAttempts = sql<{ deleted: number }, Omit<DeleteParams, 'horizon'>>(
  'delete_old_attempts_of_default',
  (p) => `
   WITH old AS (
     SELECT ctid FROM delivery_attempts_default
     WHERE delivery_id < ${p.firstKeptId}
       AND NOT EXISTS (SELECT FROM deliveries d WHERE d.id = delivery_id)
     ORDER BY delivery_id LIMIT ${p.limit}
   ),
   deleted AS (
     DELETE FROM delivery_attempts_default WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) RETURNING 1
   )
   SELECT count(*)::int AS deleted FROM deleted`,
);

interface Range {
  readonly first: string;
  readonly end: string;
}
const aheadDelivery = sql<{ id: string }, Range>(
  'delivery_dated_ahead',
  (p) => `SELECT id FROM deliveries_default WHERE id >= ${p.first} AND id < ${p.end} LIMIT 1`,
);
const aheadAttempt = sql<{ id: string }, Range>(
  'attempt_dated_ahead',
  (p) => `
   SELECT delivery_id AS id FROM delivery_attempts_default
   WHERE delivery_id >= ${p.first} AND delivery_id < ${p.end} LIMIT 1`,
);

export interface PartitionedTable {
  readonly table: string;
  /** The column that decides on the partition. */
  readonly key: string;
  readonly storage: string;
  /** Finds a row of a range in the default partition. */
  readonly ahead: Statement<{ id: string }, Range>;
  /** SQL: the rows of a partition that is dropped which stay, in the default partition. */
  readonly kept: (partition: string) => string;
  readonly deleteOld: (db: Db, params: DeleteParams) => Promise<{ deleted: number } | null>;
}

/** The partitioned tables; deliveries first, because attempts go with them. */
export const TABLES: readonly PartitionedTable[] = [
  {
    table: 'deliveries',
    key: 'id',
    storage: 'WITH (fillfactor = 80)',
    ahead: aheadDelivery,
    // A replayed one may have an old id: it is sent, or fails, before it is deleted.
    kept: (partition) => `SELECT * FROM ${partition} WHERE status = 'pending'`,
    deleteOld: (db, params) => runOne(db, deleteOldDeliveries, params),
  },
  {
    table: 'delivery_attempts',
    key: 'delivery_id',
    storage: '',
    ahead: aheadAttempt,
    kept: (partition) => `
      SELECT a.* FROM deliveries_default d JOIN ${partition} a ON a.delivery_id = d.id
      WHERE d.status = 'pending'`,
    deleteOld: (db, params) => runOne(db, deleteOldAttempts, params),
  },
];
