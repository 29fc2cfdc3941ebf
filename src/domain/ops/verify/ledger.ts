import type { Invariant, Range } from './invariant.ts';
import { searched, search } from './pages/statements.ts';
import { IS_CONVERTED } from '../../payments/conversions/states.ts';
import { CONVERTS } from '../../payments/lifecycle/settlement.ts';
import { IS_COMPLETED } from '../../payments/refunds/states.ts';

// Both sides in one list: what the ledger has posted, and what the rows that caused it say.
const postings = search<Range>(
  'verify_ledger',
  (within) => `
    SELECT payment_id AS id, format('%s: the ledger has %s %s on %s, the rows say %s', what, sum(posted),
      coin, network, sum(stored)) AS detail
    FROM (
      SELECT payment_id, coin, network,
        CASE kind WHEN 'reversed' THEN 'received' WHEN 'refunded' THEN 'refunded from ' || from_account
          ELSE kind END AS what,
        CASE kind WHEN 'reversed' THEN -amount ELSE amount END AS posted, 0::numeric AS stored
      FROM ledger_entries WHERE ${within('payment_id')}
      UNION ALL
      SELECT payment_id, coin, network, 'received', 0, amount FROM transfers
      WHERE ${within('payment_id')} AND confirmed_at IS NOT NULL AND dropped_at IS NULL
      UNION ALL
      SELECT c.payment_id, c.coin, c.network, 'converted', 0, c.amount - coalesce(c.kept, 0)
      FROM conversions c JOIN payments p ON p.id = c.payment_id
        AND (c.kept IS NOT NULL OR ${CONVERTS('p')})
      WHERE ${within('c.payment_id')} AND ${IS_CONVERTED('c')}
      UNION ALL
      SELECT c.payment_id, p.pay_currency, p.pay_network, 'settled', 0, coalesce(c.settled, c.credit)
      FROM conversions c JOIN payments p ON p.id = c.payment_id
        AND (c.kept IS NOT NULL OR ${CONVERTS('p')})
      WHERE ${within('c.payment_id')} AND ${IS_CONVERTED('c')}
      UNION ALL
      SELECT c.payment_id, c.coin, c.network, 'settled', 0, coalesce(c.kept, c.amount)
      FROM conversions c JOIN payments p ON p.id = c.payment_id
        AND (c.kept IS NOT NULL OR NOT ${CONVERTS('p')})
      WHERE ${within('c.payment_id')} AND ${IS_CONVERTED('c')}
      UNION ALL
      SELECT payment_id, coin, network,
        'refunded from ' || CASE source WHEN 'settled' THEN 'merchant' ELSE source END, 0,
        coin_amount::numeric
      FROM refunds r WHERE ${within('payment_id')} AND ${IS_COMPLETED('r')}
    ) moved
    GROUP BY payment_id, coin, network, what HAVING sum(posted) <> sum(stored)`,
);

// A merchant may send back more than a sale has brought them: the difference is theirs to pay. What was
// confirmed when it was converted or sent back may be lost afterwards: then the account that held it
// shows the loss. Not NOT EXISTS, of which Postgres may hash whole tables (`exists`).
const balances = search<Range>(
  'verify_balances',
  (within) => `
    SELECT payment_id AS id, format('%s on %s: held %s, merchant %s%s', coin, network, held, merchant,
      CASE WHEN is_misposted THEN '; an entry moves between accounts that its kind does not join'
        ELSE '' END) AS detail
    FROM (
      SELECT payment_id, coin, network,
        sum(CASE 'held' WHEN to_account THEN amount WHEN from_account THEN -amount ELSE 0 END) AS held,
        sum(CASE 'merchant' WHEN to_account THEN amount WHEN from_account THEN -amount ELSE 0 END)
          AS merchant,
        bool_or((kind, from_account, to_account) NOT IN (
          ('received', 'customer', 'held'), ('reversed', 'held', 'customer'),
          ('converted', 'held', 'converted'), ('settled', 'converted', 'merchant'),
          ('settled', 'held', 'merchant'),
          ('refunded', 'held', 'customer'), ('refunded', 'merchant', 'customer'))) AS is_misposted
      FROM ledger_entries WHERE ${within('payment_id')} GROUP BY payment_id, coin, network
    ) account
    WHERE is_misposted OR (merchant < 0 AND (
        SELECT 1 FROM conversions c WHERE c.payment_id = account.payment_id AND c.settled IS NOT NULL LIMIT 1
      ) IS NULL) OR (held < 0 AND (
        SELECT 1 FROM payments p WHERE p.id = payment_id AND p.exceptions && ARRAY['reorged', 'replaced']
      ) IS NULL AND (
        SELECT 1 FROM transfers t WHERE t.payment_id = account.payment_id AND t.dropped_at IS NOT NULL LIMIT 1
      ) IS NULL)`,
);

/** The ledger, per payment, coin and network. */
export const ledgerInvariants: readonly Invariant[] = [
  searched(postings, {
    name: 'ledger',
    meaning:
      'per coin, the ledger has posted what confirmed, what was converted and settled, and what was sent back',
    remedy:
      'The rows that cause an entry commit with it. Find which of both was changed by hand or by a restore, ' +
      'and post the difference as a new entry; entries are never updated.',
  }),
  searched(balances, {
    name: 'balances',
    meaning: 'no account sends what it does not have, and each kind of entry joins its two accounts',
    remedy: 'Stop refunds of the payment, and compare its entries with its refunds and conversions.',
  }),
];
