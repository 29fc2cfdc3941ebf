import { expect } from 'chai';
import { TRANSITIONS, type Status, type Transition } from '../../src/domain/payments/lifecycle/states.ts';
import { readLedger, type Account, type LedgerEntry } from '../../src/domain/payments/ledger/ledger.ts';
import { run, sql, type Connection } from '../../src/platform/postgres/db.ts';
import { compare, plain, subtract, sum } from '../../src/platform/values/money.ts';

interface PaymentRow {
  readonly id: string;
  readonly status: Status;
  readonly sequence: number;
  readonly pay_amount: string;
  readonly amount_received: string;
  readonly amount_refunded: string;
  readonly settled_at: Date | null;
}

const allPayments = sql<PaymentRow>(
  'test_all_payments',
  'SELECT id, status, sequence, pay_amount, amount_received, amount_refunded, settled_at FROM payments ORDER BY id',
);
const creditsOf = sql<{ credit: string }>(
  'test_credits_of',
  'SELECT coalesce(sum(credit), 0) AS credit FROM transfers WHERE payment_id = $1 AND dropped_at IS NULL',
);
/** Per coin and network: what confirmed, and what became of it. */
const coinsOf = sql<{
  coin: string;
  network: string;
  confirmed: string;
  converted: string;
  returned: string;
}>(
  'test_coins_of',
  `SELECT coin, network, sum(CASE WHEN confirmed_at IS NOT NULL AND dropped_at IS NULL THEN amount ELSE 0 END) AS confirmed,
     (SELECT coalesce(sum(c.amount), 0) FROM conversions c WHERE c.payment_id = t.payment_id AND c.coin = t.coin
        AND c.network = t.network AND c.status = 'CONVERTED') AS converted,
     (SELECT coalesce(sum(r.coin_amount::numeric), 0) FROM refunds r WHERE r.payment_id = t.payment_id AND r.coin = t.coin
        AND r.network = t.network AND r.source = 'held' AND r.status = 'COMPLETED') AS returned
   FROM transfers t WHERE payment_id = $1 GROUP BY payment_id, coin, network`,
);
const refundsOf = sql<{ status: string; amount: string }>(
  'test_refunds_of',
  'SELECT status, sum(amount::numeric) AS amount FROM refunds WHERE payment_id = $1 GROUP BY status',
);
const eventsOf = sql<{ type: string; sequence: number; status: Status; id: string; body_id: string }>(
  'test_events_of',
  `SELECT id, type, sequence, body::jsonb #>> '{data,checkout,status}' AS status, body::jsonb ->> 'id' AS body_id
   FROM events WHERE payment_id = $1 ORDER BY sequence`,
);

/**
 * Asserts the invariants of every payment in the database: its amounts agree with its transfers and refunds,
 * the ledger's accounts sum to zero and agree with the payment, refunds do not exceed receipts, the events
 * are numbered 1, 2, 3 ..., and each step from one event to the next is a row of the transition table.
 */
export async function checkInvariants(connection: Connection): Promise<void> {
  for (const payment of await run(connection, allPayments, [])) {
    const what = `${payment.id} (${payment.status})`;
    const [money] = await run(connection, creditsOf, [payment.id]);
    expect(compare(payment.amount_received, money?.credit ?? '0'), `received by ${what}`).to.equal(0);

    const refunds = new Map(
      (await run(connection, refundsOf, [payment.id])).map(({ status, amount }) => [status, amount]),
    );
    const sentBack = refunds.get('COMPLETED') ?? '0';
    expect(compare(payment.amount_refunded, sentBack), `refunded by ${what}`).to.equal(0);
    const promised = sum([sentBack, refunds.get('PENDING') ?? '0', refunds.get('NEEDS_ADDRESS') ?? '0']);
    expect(compare(subtract(payment.amount_received, promised), '0'), `left of ${what}`).to.not.equal(-1);
    if (payment.status === 'REFUNDED') expect(sentBack, what).to.not.equal('0');

    checkLedger(await readLedger(connection, payment.id), await run(connection, coinsOf, [payment.id]), what);
    checkEvents(payment, await run(connection, eventsOf, [payment.id]), what);
  }
}

/**
 * Asserts, per coin and network, that what came in is what went out and what is held, by the ledger and the
 * rows.
 */
function checkLedger(
  entries: readonly LedgerEntry[],
  coins: readonly { coin: string; network: string; confirmed: string; converted: string; returned: string }[],
  what: string,
): void {
  for (const { coin, network, confirmed, converted, returned } of coins) {
    const own = entries.filter((entry) => entry.coin === coin && entry.network === network);
    const moved = (kind: LedgerEntry['kind'], from: Account, to: Account) =>
      sum(
        own
          .filter((entry) => entry.kind === kind && entry.from_account === from && entry.to_account === to)
          .map(({ amount }) => amount),
      );
    const label = `${coin} on ${network} of ${what}`;
    const booked = subtract(moved('received', 'customer', 'held'), moved('reversed', 'held', 'customer'));
    expect(booked, `confirmed ${label}`).to.equal(plain(confirmed));
    expect(moved('converted', 'held', 'converted'), `converted ${label}`).to.equal(plain(converted));
    expect(moved('refunded', 'held', 'customer'), `sent back ${label}`).to.equal(plain(returned));
  }
}

function checkEvents(
  payment: PaymentRow,
  events: readonly { type: string; sequence: number; status: Status; id: string; body_id: string }[],
  what: string,
): void {
  expect(
    events.map(({ sequence }) => sequence),
    `sequence of ${what}`,
  ).to.deep.equal(Array.from({ length: payment.sequence }, (_, i) => i + 1));
  expect(events.at(-1)?.status, `last event of ${what}`).to.equal(payment.status);
  const table: readonly Transition[] = Object.values(TRANSITIONS);
  events.forEach(({ type, status, id, body_id }, i) => {
    expect(body_id, `the event's id in its body, ${what}`).to.equal(id);
    const before = events[i - 1]?.status;
    const row = table.find(
      ({ from, to, event }) =>
        (to ?? before) === status &&
        event === type &&
        (before === undefined ? from.length === 0 : from.includes(before)),
    );
    expect(row, `${before ?? 'nothing'} -> ${status} by ${type}, ${what}`).to.not.equal(undefined);
  });
}
