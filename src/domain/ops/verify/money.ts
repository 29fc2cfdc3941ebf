import type { Invariant, Range } from './invariant.ts';
import { searched, search } from './pages/statements.ts';
import { IS_CONVERTED, TAKES_COINS } from '../../payments/conversions/states.ts';
import { isRefunded, isSettled, statusesThat } from '../../payments/lifecycle/states.ts';
import { IS_COMPLETED, IS_OPEN } from '../../payments/refunds/states.ts';
import { IS_IN_DOUBT, IS_UNSOLD } from '../../payments/sales/states.ts';

const received = search<Range>(
  'verify_received',
  (within) => `
    SELECT p.id, format('amount_received is %s, standing transfers are credited %s', p.amount_received,
      coalesce(t.credit, 0)) AS detail
    FROM payments p CROSS JOIN LATERAL (
      SELECT sum(credit) AS credit FROM transfers WHERE payment_id = p.id AND dropped_at IS NULL
    ) t
    WHERE ${within('p.id')} AND p.amount_received <> coalesce(t.credit, 0)`,
);

const refunded = search<Range>(
  'verify_refunded',
  (within) => `
    SELECT p.id, format('%s: amount_refunded is %s, completed refunds are %s, open ones %s, received %s',
      p.status, p.amount_refunded, coalesce(r.completed, 0), coalesce(r.open, 0), p.amount_received) AS detail
    FROM payments p CROSS JOIN LATERAL (
      SELECT sum(amount::numeric) FILTER (WHERE ${IS_COMPLETED('r')}) AS completed,
        sum(amount::numeric) FILTER (WHERE ${IS_OPEN('r')}) AS open
      FROM refunds r WHERE payment_id = p.id
    ) r
    WHERE ${within('p.id')} AND (
      p.amount_refunded <> coalesce(r.completed, 0)
      OR p.amount_received < coalesce(r.completed, 0) + coalesce(r.open, 0)
      OR (p.status IN (${statusesThat(isRefunded)}) AND r.completed IS NULL))`,
);

const settled = search<Range>(
  'verify_settled',
  (within) => `
    SELECT id, format('status %s, settled_at %s, actually_paid %s %s', status, settled_at, actually_paid,
      actually_paid_currency) AS detail
    FROM payments
    WHERE ${within('id')} AND (status IN (${statusesThat(isSettled)}) OR settled_at IS NOT NULL)
      AND NOT coalesce(settled_at IS NOT NULL AND actually_paid::numeric > 0
        AND actually_paid_currency IS NOT NULL, false)`,
);

// A replacement may move less than the transfer that it replaces; its conversion keeps the amount, which an
// exchange may have seen.
const committed = search<Range>(
  'verify_committed_coins',
  (within) => `
    SELECT c.payment_id AS id, format('conversion %s is %s of %s %s, its transfers commit %s %s', c.number,
      c.status, c.amount, c.coin, coalesce(t.converted, 0), coalesce(t.coins, 'of none')) AS detail
    FROM conversions c CROSS JOIN LATERAL (
      SELECT sum(converted) FILTER (WHERE conversion = c.number) AS converted,
        string_agg(DISTINCT coin, ', ') FILTER (WHERE conversion = c.number) AS coins,
        coalesce(bool_or(replaced_by IS NOT NULL), false) AS is_replaced
      FROM transfers WHERE payment_id = c.payment_id
    ) t
    WHERE ${within('c.payment_id')} AND CASE
      WHEN ${TAKES_COINS('c')} THEN coalesce(t.converted, 0) <> c.amount
        AND NOT (coalesce(t.converted, 0) < c.amount AND t.is_replaced)
      ELSE coalesce(t.converted, 0) <> 0 END
    UNION ALL
    SELECT t.payment_id, format('transfer %s is committed to conversion %s, which does not exist', t.tx_hash,
      t.conversion)
    FROM transfers t
    WHERE ${within('t.payment_id')} AND (t.conversion IS NOT NULL OR t.converted > 0) AND NOT EXISTS (
      SELECT FROM conversions c WHERE c.payment_id = t.payment_id AND c.number = t.conversion)`,
);

// One to which nothing came sold and kept nothing, and is not converted.
const sold = search<Range>(
  'verify_sales',
  (within) => `
    SELECT s.payment_id AS id, format('sale %s: settled %s and kept %s of %s, its orders sold %s for %s%s',
      s.number, c.settled, c.kept, c.amount, o.sold, o.settled,
      CASE WHEN o.is_in_doubt THEN ', and one is in doubt' ELSE '' END) AS detail
    FROM sales s JOIN conversions c USING (payment_id, number) CROSS JOIN LATERAL (
      SELECT coalesce(sum(sold), 0) AS sold, coalesce(sum(proceeds - fee), 0) AS settled,
        coalesce(bool_or(${IS_IN_DOUBT('sent')}), false) AS is_in_doubt
      FROM sale_orders sent WHERE payment_id = s.payment_id AND number = s.number
    ) o
    WHERE ${within('s.payment_id')} AND NOT ${IS_UNSOLD('s')}
      AND NOT coalesce(NOT o.is_in_doubt AND c.settled = o.settled
        AND c.kept IN (c.amount - o.sold, CASE WHEN NOT ${IS_CONVERTED('c')} THEN 0 END), false)`,
);

/** The amounts of payments, against the rows that they summarise. */
export const moneyInvariants: readonly Invariant[] = [
  searched(received, {
    name: 'received',
    meaning: 'amount_received is the sum of the credits of standing transfers',
    remedy: 'Stop refunds of the payment. Compare its transfers with the chain; the credits are the truth.',
  }),
  searched(refunded, {
    name: 'refunded',
    meaning:
      'amount_refunded is the sum of completed refunds, and nothing beyond what was received goes back',
    remedy:
      'More refunds than money: look for a transfer that was dropped after its refund was sent; that money is ' +
      'lost. Any other difference is a bug: stop refunds of the payment.',
  }),
  searched(settled, {
    name: 'settled',
    meaning: 'a payment that was settled says when, what was paid and in which coin',
    remedy: 'Take settled_at and actually_paid from the body of its checkout.settled event.',
  }),
  searched(committed, {
    name: 'conversions',
    meaning: 'the coins that a conversion took are those that its transfers commit to it',
    remedy: 'Ask the exchange what it did under PAYMENT/NUMBER before anything of the payment is moved.',
  }),
  searched(sold, {
    name: 'sales',
    meaning: 'a sale that has ended settled what its orders brought, and kept what they did not sell',
    remedy: 'Look the orders up at the exchange, by their ids in `ops export --kind sales`.',
  }),
];
