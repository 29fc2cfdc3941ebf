import { pageOf, parseCursor } from '../../api/pages.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { HASH_OF } from '../../chain/transaction-hashes.ts';
import { CHAIN_KEY_OF_TRANSFER } from '../../chain/chain-key.ts';
import type { Facts, Happened } from './facts.ts';

type Row = Happened & { readonly rank: number; readonly key: string };

/** More than a person reads at once; an ordinary payment has a tenth of it. */
const PAGE = 100;

/**
 * Returns a page of what happened to a payment of the merchant, of these kinds, oldest first, in one
 * statement; `next` is the cursor of the page behind it. The caller has checked that the payment is the
 * merchant's. Throws ValidationError for a cursor of another list.
 */
export async function readTimeline(
  connection: Connection,
  { merchantId, paymentId, kinds }: Pick<Page, 'merchantId' | 'paymentId' | 'kinds'>,
  cursor: string | undefined,
): Promise<{ readonly shown: readonly Happened[]; readonly next: string | null }> {
  const after = parseCursor(cursor, { time: /^\d{1,15}$/, rank: /^\d$/, key: /^[\w/: -]{1,200}$/ }, 'after');
  const rows = await run(connection, pageOfTimeline, {
    merchantId,
    paymentId,
    kinds,
    time: new Date(Number(after?.time ?? -1)),
    rank: Number(after?.rank ?? 0),
    key: after?.key ?? '',
    limit: PAGE + 1,
  });
  const { shown, pagination } = pageOf(rows, PAGE, ({ at, rank, key }) => [at.getTime(), rank, key]);
  return { shown, next: pagination.next_cursor };
}

interface Page {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly kinds: readonly (keyof Facts)[];
  readonly time: Date;
  readonly rank: number;
  readonly key: string;
  readonly limit: number;
}

/** What moved a payment stands before what the payment says of it, and the creation before all. */
const RANKS = { created: 0, transfer: 1, refund: 2, action: 3, event: 4, ledger: 5, delivery: 6, mail: 7 };

/**
 * SQL: rows of a kind that stand behind the cursor; each branch is of one payment, by an index. A kind that
 * is not asked for is not read: its condition is of no row, and Postgres looks at it once.
 */
const branch = (p: Record<keyof Page, string>, kind: string, rank: number, query: string) => `(
      SELECT '${kind}' AS kind, at, ${rank} AS rank, key, facts FROM (${query}) AS all_of (at, key, facts)
      WHERE '${kind}' = ANY (${p.kinds}::text[])
        AND (at, ${rank}, key COLLATE "C") > (${p.time}::timestamptz, ${p.rank}::int, ${p.key}::text)
      ORDER BY at, key COLLATE "C" LIMIT ${p.limit}
    )`;

/** SQL: mails to the customer of a table `x`; `due`: of one that was neither sent nor given up. */
const mails = (about: string, key: string, from: string, due: string) => `
      SELECT coalesce(x.sent_at, x.given_up_at, ${due}), '${about} ' || ${key}, json_build_object('about', '${about}',
        'is_sent', x.sent_at IS NOT NULL, 'error', x.last_error)
      FROM ${from}`;

// Indexes: events_payment_id_sequence_key, transfers_pkey, refunds_of_payment, ledger_entries_of_payment,
// deliveries_of_payment, operator_actions_of_payments, and the keys of the mails.
const pageOfTimeline = sql<Row, Page>('page_of_timeline', (p) => {
  const event = `json_build_object('type', type, 'sequence', sequence,
          'status', body::json->'data'->'checkout'->>'status')`;
  const events = (which: string) => `
        SELECT created_at, lpad(sequence::text, 10, '0'), ${event}
        FROM events WHERE payment_id = ${p.paymentId} AND ${which}`;
  const branches = [
    branch(p, 'event', RANKS.created, events('sequence = 1')),
    branch(p, 'event', RANKS.event, events('sequence > 1')),
    branch(
      p,
      'transfer',
      RANKS.transfer,
      `
        SELECT t.seen_at, t.network || '/' || t.tx_hash || '/' || t.coin, json_build_object(
          'amount', t.amount::text, 'coin', t.coin, 'network', t.network, 'tx_hash', ${HASH_OF('t.tx_hash')},
          'confirmations', coalesce(greatest(0, c.head - t.block_height + 1), 0)::int,
          'is_final', t.confirmed_at IS NOT NULL, 'is_dropped', t.dropped_at IS NOT NULL)
        FROM transfers t JOIN payments p ON p.id = t.payment_id
          LEFT JOIN chain_cursors c ON c.chain = ${CHAIN_KEY_OF_TRANSFER}
        WHERE t.payment_id = ${p.paymentId}`,
    ),
    branch(
      p,
      'refund',
      RANKS.refund,
      `
        SELECT created_at, id, json_build_object('coin_amount', coin_amount, 'coin', coin, 'network', network,
          'status', status, 'tx_hash', tx_hash, 'reason', reason)
        FROM refunds WHERE payment_id = ${p.paymentId}`,
    ),
    branch(
      p,
      'action',
      RANKS.action,
      `
        SELECT a.at, lpad(a.number::text, 19, '0'), json_build_object('command', a.command,
          'by', coalesce(who.email, a.actor))
        FROM operator_actions a LEFT JOIN people who ON who.id = a.actor
        WHERE a.merchant_id = ${p.merchantId} AND a.details->>'payment_id' = ${p.paymentId}`,
    ),
    branch(
      p,
      'ledger',
      RANKS.ledger,
      `
        SELECT created_at, lpad(id::text, 19, '0'), json_build_object('from', from_account, 'to', to_account,
          'amount', amount::text, 'coin', coin, 'network', network)
        FROM ledger_entries WHERE payment_id = ${p.paymentId}`,
    ),
    branch(
      p,
      'delivery',
      RANKS.delivery,
      `
        SELECT d.created_at, d.id, json_build_object('id', d.id, 'type', d.type, 'sequence', d.sequence,
          'status', d.status, 'attempts', d.attempts, 'status_code', a.status_code, 'error', a.error_class)
        FROM deliveries d
          LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts
        WHERE d.payment_id = ${p.paymentId}`,
    ),
    branch(
      p,
      'mail',
      RANKS.mail,
      [
        mails(
          'receipt',
          'x.event_id',
          `events e JOIN receipts x ON x.event_id = e.id WHERE e.payment_id = ${p.paymentId}`,
          'e.created_at',
        ),
        mails(
          'address',
          'x.event_id',
          `events e JOIN address_requests x ON x.event_id = e.id WHERE e.payment_id = ${p.paymentId}`,
          'e.created_at',
        ),
        mails(
          'refund',
          'x.refund_id',
          `refunds r JOIN refund_requests x ON x.refund_id = r.id WHERE r.payment_id = ${p.paymentId}`,
          'r.created_at',
        ),
        mails(
          'given',
          'x.network',
          `refund_addresses x WHERE x.payment_id = ${p.paymentId} AND x.given_at IS NOT NULL`,
          'x.given_at',
        ),
      ].join(' UNION ALL '),
    ),
  ];
  return `
    SELECT * FROM (${branches.join(' UNION ALL ')}) AS happened
    ORDER BY at, rank, key COLLATE "C" LIMIT ${p.limit}`;
});
