import type { OtherInvariant } from './invariant.ts';
import { pageRows, runOf } from './pages/statements.ts';
import { toPage, type ReadRow } from './other-rows.ts';

interface EntryKey {
  readonly merchant: string;
  readonly number: string;
  readonly limit: number;
}

// Indexes: operator_actions_chained, audit_heads_pkey. Entries from before there were chains have no number,
// and are not read.
const entryPage = pageRows<ReadRow, EntryKey>(
  'verify_audit_entries',
  (own, p) => `
    SELECT a.merchant_id || ' ' || a.number AS id, ARRAY[a.merchant_id, a.number::text] AS last,
      false AS is_parked, CASE
        WHEN a.number = 1 AND head.merchant_id IS NULL
          THEN 'its log has no head, so that no further entry can be written'
        WHEN a.number > 1 AND before.hash IS NULL THEN 'the entry before it is missing'
        WHEN a.hash IS DISTINCT FROM audit_hash(coalesce(before.hash, ''), a)
          THEN 'its hash is not that of its content and of the entry before it' END AS detail
    FROM operator_actions a
      LEFT JOIN operator_actions before
        ON before.merchant_id = a.merchant_id AND before.number = a.number - 1
      LEFT JOIN audit_heads head ON a.number = 1 AND head.merchant_id = a.merchant_id
    WHERE (a.merchant_id, a.number) > (${p.merchant}, ${p.number}::bigint) AND ${own('a.merchant_id')}
    ORDER BY a.merchant_id, a.number LIMIT ${p.limit}`,
);

const headPage = pageRows<ReadRow, { after: string; limit: number }>(
  'verify_audit_heads',
  (own, p) => `
    SELECT h.merchant_id AS id, ARRAY[h.merchant_id] AS last, false AS is_parked, CASE
        WHEN a.hash IS DISTINCT FROM h.hash
          THEN format('its latest entry, %s, is missing or was replaced', h.number)
        WHEN later.id IS NOT NULL THEN format('it has entries behind the latest, %s', h.number) END AS detail
    FROM audit_heads h
      LEFT JOIN operator_actions a ON a.merchant_id = h.merchant_id AND a.number = h.number
      LEFT JOIN operator_actions later ON later.merchant_id = h.merchant_id AND later.number = h.number + 1
    WHERE h.merchant_id > ${p.after} AND ${own('h.merchant_id')}
    ORDER BY h.merchant_id LIMIT ${p.limit}`,
);

const REMEDY =
  'Somebody changed the audit log past the service: find out who had such rights, and compare with a backup.';

/** The audit log: each chain from its first entry to its head. */
export const AUDIT_ROWS: readonly OtherInvariant[] = [
  {
    name: 'audit log',
    of: 'entries of the audit log',
    meaning: 'the entries of an audit log are numbered without a gap, and each hash covers the one before it',
    remedy: REMEDY,
    first: ['', '0'],
    read: async (tx, [merchant = '', number = '0'], limit, scope) =>
      toPage(await runOf(tx, entryPage, { merchant, number, limit, ...scope }), limit),
  },
  {
    name: 'audit heads',
    of: 'audit logs',
    meaning: 'an audit log ends with the entry that was written last',
    remedy: REMEDY,
    first: [''],
    read: async (tx, [after = ''], limit, scope) =>
      toPage(await runOf(tx, headPage, { after, limit, ...scope }), limit),
  },
];
