import { CHAIN_KEY_OF_TRANSFER } from '../../chain/chain-key.ts';
import {
  applyQuarantined,
  askRefundAddress,
  endHolds,
  expirePayment,
  requotePayment,
  sellPayment,
  sendRefund,
  settlePayment,
  syncChain,
  tellRefundAddress,
} from '../../payments/lifecycle/jobs.ts';
import { HAS_QUARANTINED } from '../../payments/lifecycle/quarantine.ts';
import { REQUOTES } from '../../payments/pricing/schedule-requote.ts';
import { ADDRESS_KEY } from '../../payments/refunds/refund-address.ts';
import { IS_SHORT } from '../../payments/transfers/decide.ts';
import { HOLDS } from '../../payments/transfers/hold.ts';
import { sendAddressRequest, sendReceipt } from '../../receipts/jobs.ts';
import type { Invariant, Range } from './invariant.ts';
import { exists, searched, search } from './pages/statements.ts';
import { IS_BEGUN } from '../../payments/conversions/states.ts';
import { isPending, isProcessing, statusesThat } from '../../payments/lifecycle/states.ts';
import { IS_PENDING } from '../../payments/refunds/states.ts';
import { IS_OPEN_SALE } from '../../payments/sales/states.ts';

// A parked job is there too: it waits for an operator, and is counted apart. A job is deleted in the
// transaction that finishes its work, or after it.
const missing = search<Range>(
  'verify_due_work',
  (within) => `
    SELECT needed.id, format('%s, and the job %s %s does not exist', needed.why, needed.job, needed.key)
      AS detail
    FROM (
      SELECT id, format('status %s, deadline %s', status, deadline_at) AS why,
        '${expirePayment.name}' AS job, id AS key
      FROM payments p
      WHERE ${within('id')} AND ${IS_SHORT}
        AND NOT ${HAS_QUARANTINED('p.id')}
      UNION ALL
      SELECT id, format('its price is locked until %s', ends_at), '${requotePayment.name}', id
      FROM (${REQUOTES(`${within('p.id')} AND ${IS_SHORT}`)}) requotes
      UNION ALL
      SELECT id, 'a transfer is unmined', '${endHolds.name}', id FROM (${HOLDS(within('p.id'))}) holds
      UNION ALL
      SELECT id, 'status PROCESSING', '${settlePayment.name}', id
      FROM payments p
      WHERE ${within('id')} AND status IN (${statusesThat(isProcessing)})
        AND NOT ${HAS_QUARANTINED('p.id')}
      UNION ALL
      SELECT payment_id, format('conversion %s is PENDING', number), '${settlePayment.name}', payment_id
      FROM conversions c
      WHERE ${within('payment_id')} AND ${IS_BEGUN('c')}
        AND NOT ${HAS_QUARANTINED('c.payment_id')}
      UNION ALL
      SELECT DISTINCT payment_id, format('sale %s is OPEN', number), '${sellPayment.name}', payment_id
      FROM sales s WHERE ${within('payment_id')} AND ${IS_OPEN_SALE('s')}
      UNION ALL
      SELECT DISTINCT payment_id, 'transfers are quarantined', '${applyQuarantined.name}', payment_id
      FROM unapplied_transfers WHERE ${within('payment_id')}
      UNION ALL
      SELECT payment_id, 'refund ' || id || ' is PENDING', '${sendRefund.name}', id
      FROM refunds r WHERE ${within('payment_id')} AND ${IS_PENDING('r')}
      UNION ALL
      SELECT DISTINCT p.id, format('PENDING until %s confirms', t.tx_hash), '${syncChain.name}',
        ${CHAIN_KEY_OF_TRANSFER}
      FROM payments p JOIN transfers t ON t.payment_id = p.id
      WHERE ${within('p.id')} AND p.status IN (${statusesThat(isPending)}) AND p.fully_funded
        AND t.confirmed_at IS NULL AND t.dropped_at IS NULL AND NOT t.is_live
      UNION ALL
      SELECT e.payment_id, 'the receipt of event ' || e.id || ' is to be sent', '${sendReceipt.name}', e.id
      FROM events e JOIN receipts r ON r.event_id = e.id
      WHERE ${within('e.payment_id')} AND e.type IN ('checkout.settled', 'checkout.refunded')
        AND r.sent_at IS NULL AND r.given_up_at IS NULL
      UNION ALL
      SELECT r.payment_id, 'the address request of event ' || r.event_id || ' is to be sent',
        '${sendAddressRequest.name}', r.event_id
      FROM address_requests r
      WHERE ${within('r.payment_id')} AND r.sent_at IS NULL AND r.given_up_at IS NULL
        AND EXISTS (SELECT FROM events e WHERE e.id = r.event_id)
      UNION ALL
      SELECT r.payment_id, 'the address of refund ' || r.id || ' is to be asked for',
        '${askRefundAddress.name}', r.id
      FROM refund_requests q JOIN refunds r ON r.id = q.refund_id
      WHERE ${within('r.payment_id')} AND q.sent_at IS NULL AND q.given_up_at IS NULL
      UNION ALL
      SELECT payment_id, 'the notice of a refund address is to be sent',
        '${tellRefundAddress.name}', ${ADDRESS_KEY}
      FROM refund_addresses
      WHERE ${within('payment_id')} AND given_at IS NOT NULL AND sent_at IS NULL AND given_up_at IS NULL
    ) needed
    WHERE NOT (${exists('scheduled_jobs j WHERE j.job = needed.job AND j.key = needed.key')})`,
);

/** What is unfinished has the job that goes on with it. */
export const dueWorkInvariants: readonly Invariant[] = [
  searched(missing, {
    name: 'due work',
    meaning:
      'open payments, those that are processing, rate locks, quarantined transfers, pending conversions, sales, refunds and mails to customers have their jobs',
    remedy:
      'npm run ops -- reconcile schedules what is missing, of the last five days; the start of a worker schedules ' +
      'the syncs of networks.',
  }),
];
