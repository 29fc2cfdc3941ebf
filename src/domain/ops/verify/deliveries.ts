import { dispatchEvent } from '../../outbox/jobs.ts';
import { deliverWebhook } from '../../webhooks/endpoints/jobs.ts';
import type { Invariant, Page, Range } from './invariant.ts';
import { DROPPED_ELSEWHERE } from './pages/kept.ts';
import { searched, search } from './pages/statements.ts';

// A delivery that is not sent has failed with the reason, so every event has one. Index:
// deliveries_of_payment.
const undelivered = search<Range & Pick<Page, 'deliveredFrom' | 'deliveredPayments'>>(
  'verify_deliveries_of_events',
  (within, p) => `
    SELECT lacking.id, format('event %s of %s has neither a delivery nor the job %s', lacking.sequence,
      lacking.payment_id, '${dispatchEvent.name}') AS detail
    FROM (
      SELECT e.id, e.sequence, e.payment_id, p.merchant_id,
        CASE WHEN p.test_clock IS NULL THEN e.created_at ELSE p.created_at END AS created_at
      FROM events e JOIN payments p ON p.id = e.payment_id
      WHERE ${within('e.payment_id')} AND e.txid >= ${p.deliveredFrom}::xid8
        AND (p.test_clock IS NULL OR e.payment_id >= ${p.deliveredPayments})
        AND NOT EXISTS (
          SELECT FROM deliveries d WHERE d.payment_id = e.payment_id AND d.event_id = e.id)
        AND NOT EXISTS (
          SELECT FROM scheduled_jobs j WHERE j.job = '${dispatchEvent.name}' AND j.key = e.id)
      OFFSET 0
    ) lacking
    WHERE NOT ${DROPPED_ELSEWHERE}`,
);

const pending = search<Range>(
  'verify_pending_deliveries',
  (within) => `
    SELECT d.id, CASE WHEN p.id IS NULL THEN format('payment %s does not exist', d.payment_id)
      WHEN e.id IS NULL THEN format('it is pending, and event %s does not exist', d.event_id)
      ELSE format('it is pending, and the job %s of %s does not exist', '${deliverWebhook.name}',
        d.endpoint_id) END AS detail
    FROM deliveries d
      LEFT JOIN payments p ON p.id = d.payment_id
      LEFT JOIN events e ON e.id = d.event_id AND d.status = 'pending'
      LEFT JOIN scheduled_jobs j ON j.job = '${deliverWebhook.name}' AND j.key = d.endpoint_id
        AND d.status = 'pending'
    WHERE ${within('d.payment_id')}
      AND (p.id IS NULL OR (d.status = 'pending' AND (e.id IS NULL OR j.key IS NULL)))`,
);

/** The deliveries of events. */
export const deliveryInvariants: readonly Invariant[] = [
  searched(undelivered, {
    name: 'deliveries',
    meaning: 'every event has its delivery, sent or failed with a reason, or is about to be dispatched',
    remedy: `Schedule the job ${dispatchEvent.name} for the event; the merchant can read it from the feed meanwhile.`,
  }),
  searched(pending, {
    name: 'pending deliveries',
    meaning: 'a pending delivery has its event, and the job of its endpoint',
    remedy: 'npm run ops -- reconcile schedules the job. A delivery without its event can only be deleted.',
  }),
];
