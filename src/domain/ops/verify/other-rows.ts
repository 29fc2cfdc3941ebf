import { walletFault } from '../../chain/wallets/open.ts';
import type { Wallet } from '../../chain/wallets/store.ts';
import { holdsItem, STATUSES } from '../../payments/lifecycle/states.ts';
import { IS_PARKED } from '../../schedule/parking.ts';
import { IS_WAITING } from '../../schedule/rows.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { ADDRESS_ROWS } from './addresses.ts';
import type { OtherInvariant, OtherPage } from './invariant.ts';

/** A row with what is wrong with it; null: nothing. */
export interface ReadRow {
  readonly id: string;
  readonly detail: string | null;
  readonly last: string[];
  readonly is_parked: boolean;
}

/** Returns the page of rows that were read with a limit. */
export function toPage(rows: readonly ReadRow[], limit: number): OtherPage {
  return {
    rows: rows.length,
    next: rows.length < limit ? null : (rows.at(-1)?.last ?? null),
    offenders: rows.flatMap(({ id, detail }) => (detail === null ? [] : [{ id, detail }])),
    parked: rows.filter(({ is_parked }) => is_parked).length,
  };
}

const jobPage = sql<ReadRow, { job: string; key: string; limit: number }>(
  'verify_scheduled_jobs',
  (p) => `
    SELECT j.job || ' ' || j.key AS id, ARRAY[j.job, j.key] AS last, ${IS_PARKED} AS is_parked, CASE
      WHEN j.visible_at = 'infinity' AND NOT (${IS_PARKED}) AND NOT (${IS_WAITING('j')})
        THEN 'it is never due: neither parked nor waiting for a turn'
      WHEN ${IS_WAITING('j')} AND m.id IS NULL
        THEN format('it waits for a turn of merchant %s, which does not exist', j.turn_of)
      WHEN j.test_clock IS NOT NULL AND p.id IS NULL
        THEN format('its test clock is of payment %s, which does not exist', j.test_clock) END AS detail
    FROM (
      SELECT * FROM scheduled_jobs WHERE (job, key) > (${p.job}, ${p.key})
      ORDER BY job, key LIMIT ${p.limit}
    ) j LEFT JOIN merchants m ON m.id = j.turn_of
      LEFT JOIN LATERAL (SELECT id FROM payments WHERE id = j.test_clock LIMIT 1) p ON true
    ORDER BY j.job, j.key`,
);

interface ClaimKey {
  readonly merchant: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly limit: number;
}

// The reply of a creation begins with the payment's id.
const claimPage = sql<ReadRow, ClaimKey>(
  'verify_idempotency_keys',
  (p) => `
    SELECT concat_ws(' ', k.merchant_id, k.method, k.path, k.key) AS id, false AS is_parked,
      ARRAY[k.merchant_id, k.key, k.method, k.path] AS last,
      CASE WHEN k.status IS NULL OR k.body IS NULL THEN 'it has no reply'
        WHEN k.path = '/v1/payment' AND k.status = 201 AND p.id IS NULL
          THEN 'its reply names a payment that does not exist' END AS detail
    FROM (
      SELECT * FROM idempotency_keys
      WHERE (merchant_id, key, method, path) > (${p.merchant}, ${p.key}, ${p.method}, ${p.path})
      ORDER BY merchant_id, key, method, path LIMIT ${p.limit}
    ) k LEFT JOIN LATERAL (
      SELECT id FROM payments
      WHERE id = substring(k.body FROM '"id":"(pay_[0-9A-Z]{26})"') AND merchant_id = k.merchant_id LIMIT 1
    ) p ON true
    ORDER BY k.merchant_id, k.key, k.method, k.path`,
);

const walletPage = sql<Wallet, { after: string; limit: number }>(
  'verify_wallets',
  (p) => `SELECT * FROM wallets WHERE id > ${p.after} ORDER BY id LIMIT ${p.limit}`,
);

// By the index of orders: the order of such a payment is its link.
const linkPage = sql<ReadRow, { after: string; holding: readonly string[]; limit: number }>(
  'verify_payment_links',
  (p) => `
    SELECT l.id, ARRAY[l.id] AS last, false AS is_parked,
      CASE WHEN l.taken <> held.count
        THEN format('it counts %s as taken, and %s payments hold an item', l.taken, held.count) END AS detail
    FROM (
      SELECT * FROM payment_links WHERE id > ${p.after} ORDER BY id LIMIT ${p.limit}
    ) l CROSS JOIN LATERAL (
      SELECT count(*) FROM payments p WHERE p.merchant_id = l.merchant_id AND p.order_id = l.id
        AND p.link_id = l.id AND p.status = ANY (${p.holding})
    ) held
    ORDER BY l.id`,
);

/** The rows that are read by their own keys. */
export const OTHER_ROWS: readonly OtherInvariant[] = [
  {
    name: 'scheduled jobs',
    of: 'scheduled jobs',
    meaning: 'a job is due some day, is parked, or waits for the turn of a merchant that exists',
    remedy:
      'npm run ops -- requeue --job JOB --key KEY makes it due; delete the job of a payment that is gone.',
    first: ['', ''],
    read: async (tx, [job = '', key = ''], limit) =>
      toPage(await run(tx, jobPage, { job, key, limit }), limit),
  },
  {
    name: 'idempotency keys',
    of: 'idempotency keys',
    meaning: 'a stored Idempotency-Key has its reply, and that of a creation names a payment of its merchant',
    remedy: 'A payment was deleted or lost by a restore: its merchant was promised it. Tell the merchant.',
    first: ['', '', '', ''],
    read: async (tx, [merchant = '', key = '', method = '', path = ''], limit) =>
      toPage(await run(tx, claimPage, { merchant, key, method, path, limit }), limit),
  },
  {
    name: 'wallets',
    of: 'wallets',
    meaning: 'a wallet is as the command stored it: its MAC is right under a key of SECRETS_KEY',
    remedy: 'Its live payments get 503. Find out who changed it, and set it again (operations/wallets.md).',
    first: [''],
    async read(tx, [after = ''], limit, config) {
      const rows = (await run(tx, walletPage, { after, limit })).map((wallet) => ({
        id: wallet.id,
        detail: walletFault(config, wallet),
        last: [wallet.id],
        is_parked: false,
      }));
      return toPage(rows, limit);
    },
  },
  {
    name: 'payment links',
    of: 'payment links',
    meaning: 'a payment link counts as taken what its payments hold',
    remedy:
      'A previous release has expired some of its payments, or the row was changed: set taken to the number.',
    first: [''],
    read: async (tx, [after = ''], limit) =>
      toPage(await run(tx, linkPage, { after, holding: STATUSES.filter(holdsItem), limit }), limit),
  },
  ADDRESS_ROWS,
];
