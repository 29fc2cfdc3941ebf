import {
  applyQuarantined,
  endHolds,
  expirePayment,
  requotePayment,
  sendRefund,
  settlePayment,
} from '../../../src/domain/payments/lifecycle/jobs.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { paymentHandlers } from '../../../src/domain/payments/worker.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import type { Harness } from '../harness.ts';
import { leaseAll } from '../lease.ts';
import { checkInvariants } from '../invariants.ts';
import { at, type RacedPayment } from './actors.ts';

const JOBS = new Set(
  [applyQuarantined, endHolds, expirePayment, requotePayment, settlePayment, sendRefund].map(
    ({ name }) => name,
  ),
);

const outcome = sql<{ outcome: string }>(
  'test_outcome_of_race',
  `SELECT jsonb_build_object(
     'status', status, 'exceptions', (SELECT array_agg(e ORDER BY e) FROM unnest(exceptions) AS e),
     'method', coin || ' on ' || network, 'received', amount_received::numeric,
     'refunded', amount_refunded::numeric, 'paid', actually_paid,
     'events', (SELECT array_agg(type ORDER BY type) FROM events WHERE payment_id = p.id),
     'refunds', (SELECT array_agg(status || ' ' || amount ORDER BY amount, status) FROM refunds
        WHERE payment_id = p.id)
   )::text AS outcome FROM payments p WHERE id = $1`,
);

/**
 * Does all work on payments that is due, on the networks of the races and by jobs, checks the invariants, and
 * returns what the payment has become. The order of events is that of the actors' transactions, of which
 * there are more than two orders; that each follows from the one before is an invariant.
 */
export async function outcomeOf(
  { ctx, adapters }: Pick<Harness, 'ctx' | 'adapters'>,
  payment: RacedPayment,
): Promise<string> {
  const time = payment.now > payment.deadline ? payment.now : payment.deadline;
  const later = at(ctx, time);
  const handlers = paymentHandlers(adapters);
  for (;;) {
    for (const network of ['bitcoin', 'ethereum'] as const)
      while (await syncNetwork(later, adapters, network));
    const due = await leaseAll(ctx.db, time, addSeconds(time, 0.001), JOBS);
    if (due.length === 0) break;
    for (const { job, key } of due) await handlers.find((one) => one.job.name === job)?.handle(later, [key]);
  }
  await checkInvariants(ctx.db);
  const [row] = await run(ctx.db, outcome, [payment.id]);
  return row?.outcome ?? '';
}
