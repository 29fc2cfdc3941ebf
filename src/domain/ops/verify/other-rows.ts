import { walletFault } from '../../chain/wallets/open.ts';
import type { Wallet } from '../../chain/wallets/store.ts';
import { holdsItem, STATUSES } from '../../payments/lifecycle/states.ts';
import { IS_PARKED } from '../../schedule/parking.ts';
import { IS_WAITING } from '../../schedule/rows.ts';
import { IS_MOVING } from '../../moves/steps.ts';
import { OWNER_OF_JOB } from '../move/tables/owners.ts';
import type { OtherInvariant, OtherPage } from './invariant.ts';
import { pageRows, runOf } from './pages/statements.ts';

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

/** SQL: whose a job `t` is; null: the cell's. */
const OWNER = `coalesce(t.for_merchant, ${OWNER_OF_JOB})`;

// Jobs of a merchant who moves are never due here: the target lets its own run, when the merchant is there.
const jobPage = pageRows<ReadRow, { job: string; key: string; limit: number }>(
  'verify_scheduled_jobs',
  (own, p) => `
    SELECT t.job || ' ' || t.key AS id, ARRAY[t.job, t.key] AS last, ${IS_PARKED} AS is_parked, CASE
      WHEN t.visible_at = 'infinity' AND NOT (${IS_PARKED}) AND NOT (${IS_WAITING('t')})
          AND NOT ${IS_MOVING(OWNER)}
        THEN 'it is never due: neither parked nor waiting for a turn'
      WHEN ${IS_WAITING('t')} AND m.id IS NULL
        THEN format('it waits for a turn of merchant %s, which does not exist', t.turn_of)
      WHEN t.test_clock IS NOT NULL AND p.id IS NULL
        THEN format('its test clock is of payment %s, which does not exist', t.test_clock) END AS detail
    FROM (
      SELECT t.* FROM scheduled_jobs t
      WHERE (t.job, t.key) > (${p.job}, ${p.key}) AND ${own(OWNER)}
      ORDER BY t.job, t.key LIMIT ${p.limit}
    ) t LEFT JOIN merchants m ON m.id = t.turn_of
      LEFT JOIN LATERAL (SELECT id FROM payments WHERE id = t.test_clock LIMIT 1) p ON true
    ORDER BY t.job, t.key`,
);

interface ClaimKey {
  readonly merchant: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly limit: number;
}

// The reply of a creation begins with the payment's id.
const claimPage = pageRows<ReadRow, ClaimKey>(
  'verify_idempotency_keys',
  (own, p) => `
    SELECT concat_ws(' ', k.merchant_id, k.method, k.path, k.key) AS id, false AS is_parked,
      ARRAY[k.merchant_id, k.key, k.method, k.path] AS last,
      CASE WHEN k.status IS NULL OR k.body IS NULL THEN 'it has no reply'
        WHEN k.path = '/v1/payment' AND k.status = 201 AND p.id IS NULL
          THEN 'its reply names a payment that does not exist' END AS detail
    FROM (
      SELECT * FROM idempotency_keys
      WHERE (merchant_id, key, method, path) > (${p.merchant}, ${p.key}, ${p.method}, ${p.path})
        AND ${own('merchant_id')}
      ORDER BY merchant_id, key, method, path LIMIT ${p.limit}
    ) k LEFT JOIN LATERAL (
      SELECT id FROM payments
      WHERE id = substring(k.body FROM '"id":"(pay_[0-9A-Z]{26})"') AND merchant_id = k.merchant_id LIMIT 1
    ) p ON true
    ORDER BY k.merchant_id, k.key, k.method, k.path`,
);

const walletPage = pageRows<Wallet, { after: string; limit: number }>(
  'verify_wallets',
  (own, p) => `
    SELECT * FROM wallets WHERE id > ${p.after} AND ${own('merchant_id')} ORDER BY id LIMIT ${p.limit}`,
);

// By the index of orders: the order of such a payment is its link.
const linkPage = pageRows<ReadRow, { after: string; holding: readonly string[]; limit: number }>(
  'verify_payment_links',
  (own, p) => `
    SELECT l.id, ARRAY[l.id] AS last, false AS is_parked,
      CASE WHEN l.taken <> held.count
        THEN format('it counts %s as taken, and %s payments hold an item', l.taken, held.count) END AS detail
    FROM (
      SELECT * FROM payment_links WHERE id > ${p.after} AND ${own('merchant_id')}
      ORDER BY id LIMIT ${p.limit}
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
    read: async (tx, [job = '', key = ''], limit, scope) =>
      toPage(await runOf(tx, jobPage, { job, key, limit, ...scope }), limit),
  },
  {
    name: 'idempotency keys',
    of: 'idempotency keys',
    meaning: 'a stored Idempotency-Key has its reply, and that of a creation names a payment of its merchant',
    remedy: 'A payment was deleted or lost by a restore: its merchant was promised it. Tell the merchant.',
    first: ['', '', '', ''],
    read: async (tx, [merchant = '', key = '', method = '', path = ''], limit, scope) =>
      toPage(await runOf(tx, claimPage, { merchant, key, method, path, limit, ...scope }), limit),
  },
  {
    name: 'wallets',
    of: 'wallets',
    meaning: 'a wallet is as the command stored it: its MAC is right under a key of SECRETS_KEY',
    remedy: 'Its live payments get 503. Find out who changed it, and set it again (operations/wallets.md).',
    first: [''],
    async read(tx, [after = ''], limit, scope) {
      const rows = (await runOf(tx, walletPage, { after, limit, ...scope })).map((wallet) => ({
        id: wallet.id,
        detail: walletFault(scope.config, wallet),
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
    read: async (tx, [after = ''], limit, scope) =>
      toPage(
        await runOf(tx, linkPage, { after, holding: STATUSES.filter(holdsItem), limit, ...scope }),
        limit,
      ),
  },
];
