import { expect } from 'chai';
import { TRANSITIONS, type Status, type Transition } from '../../src/domain/payments/lifecycle/states.ts';
import { readLedger, type Account, type LedgerEntry } from '../../src/domain/payments/ledger/ledger.ts';
import { run, sql, type Connection } from '../../src/platform/postgres/db.ts';
import { add, compare, divide, multiply, plain, subtract, sum } from '../../src/platform/values/money.ts';

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
const moneyOf = sql<{ coin: string; crypto_amount: string; amount: string }>(
  'test_money_of',
  `SELECT t.coin, q.crypto_amount, sum(t.amount) AS amount FROM transfers t JOIN quotes q USING (payment_id, coin, network)
   WHERE t.payment_id = $1 AND t.dropped_at IS NULL GROUP BY t.coin, t.network, q.crypto_amount`,
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
    const money = await run(connection, moneyOf, [payment.id]);
    const worth = money.map(({ amount, crypto_amount }) =>
      divide(multiply(payment.pay_amount, amount), crypto_amount, 18, 'down'),
    );
    expect(compare(payment.amount_received, sum(worth)), `received by ${what}`).to.equal(0);

    const refunds = new Map(
      (await run(connection, refundsOf, [payment.id])).map(({ status, amount }) => [status, amount]),
    );
    const sentBack = refunds.get('COMPLETED') ?? '0';
    expect(compare(payment.amount_refunded, sentBack), `refunded by ${what}`).to.equal(0);
    const promised = add(sentBack, refunds.get('PENDING') ?? '0');
    expect(compare(subtract(payment.amount_received, promised), '0'), `left of ${what}`).to.not.equal(-1);
    if (payment.status === 'REFUNDED') expect(sentBack, what).to.not.equal('0');

    checkLedger(payment, await readLedger(connection, payment.id), what);
    checkEvents(payment, await run(connection, eventsOf, [payment.id]), what);
  }
}

/** Asserts that the accounts of each ledger sum to zero, and that the payment agrees with its ledger. */
export function checkLedger(
  payment: Pick<PaymentRow, 'amount_received' | 'amount_refunded' | 'settled_at'>,
  entries: readonly LedgerEntry[],
  what: string,
): void {
  const balance = (account: Account) =>
    subtract(
      sum(entries.filter(({ to_account }) => to_account === account).map(({ amount }) => amount)),
      sum(entries.filter(({ from_account }) => from_account === account).map(({ amount }) => amount)),
    );
  const total = (kind: LedgerEntry['kind']) =>
    sum(entries.filter((entry) => entry.kind === kind).map(({ amount }) => amount));
  const [customer, held, converted, merchant] = (['customer', 'held', 'converted', 'merchant'] as const).map(
    balance,
  );
  expect(sum([customer ?? '', held ?? '', converted ?? '', merchant ?? '']), `balance of ${what}`).to.equal(
    '0',
  );
  expect(subtract(total('received'), total('reversed')), `received in the ledger of ${what}`).to.equal(
    plain(payment.amount_received),
  );
  expect(total('refunded'), `refunded in the ledger of ${what}`).to.equal(plain(payment.amount_refunded));
  expect(converted, `converted and not settled, ${what}`).to.equal('0');
  expect(total('settled'), `settled of ${what}`).to.equal(total('converted'));
  expect(total('settled') !== '0', `something was settled of ${what}`).to.equal(payment.settled_at !== null);
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
        to === status && event === type && (before === undefined ? from.length === 0 : from.includes(before)),
    );
    expect(row, `${before ?? 'nothing'} -> ${status} by ${type}, ${what}`).to.not.equal(undefined);
  });
}
