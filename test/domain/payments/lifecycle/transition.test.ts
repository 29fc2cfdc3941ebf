import { expect } from 'chai';
import { dispatchEvent } from '../../../../src/domain/outbox/jobs.ts';
import type { Payment } from '../../../../src/domain/payments/lifecycle/payment.ts';
import {
  allows,
  EXCEPTIONS,
  STATUSES,
  TRANSITIONS,
  type Trigger,
  type Status,
} from '../../../../src/domain/payments/lifecycle/states.ts';
import { transition, type TransitionRequest } from '../../../../src/domain/payments/lifecycle/transition.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { sentBack } from '../../../support/refunds.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

type TransitionTrigger = TransitionRequest['trigger'];
const TRIGGERS = (Object.keys(TRANSITIONS) as Trigger[]).filter(
  (trigger): trigger is TransitionTrigger => trigger !== 'created',
);

const forceStatus = sql(
  'test_force_status',
  `UPDATE payments SET status = $2, settled_at = coalesce(settled_at, created_at), actually_paid = coalesce(actually_paid, '1') WHERE id = ANY ($1)`,
);
const checkOf = sql<{ definition: string }>(
  'test_check_of',
  'SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = $1',
);
const dueOf = sql<{ job: string; run_at: Date }>(
  'test_due_of',
  'SELECT job, run_at FROM scheduled_jobs WHERE key = $1 ORDER BY job',
);

describe('transition', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
  });
  afterEach(() => harness.close());

  const move = (moves: readonly TransitionRequest[], now = harness.ctx.now()): Promise<Payment[]> =>
    harness.ctx.db.transaction((tx) => transition(tx, moves, now));
  const force = (ids: readonly string[], status: Status) => run(harness.ctx.db, forceStatus, [ids, status]);

  it('moves each pair of status and trigger in the table, and changes no other pair', async () => {
    for (const trigger of TRIGGERS)
      for (const status of STATUSES) {
        const id = await shop.create();
        await force([id], status);
        const before = await shop.payment(id);
        // Past the deadline, so that only the table can prevent the expiry.
        const [moved] = await move([{ paymentId: id, trigger }], before.deadline_at);
        const pair = `${trigger} from ${status}`;
        const events = await shop.events(id);
        if (allows(status, trigger)) {
          const next = TRANSITIONS[trigger].to ?? status;
          expect(moved, pair).to.include({ status: next, sequence: 2 });
          expect(events, pair).to.have.length(2);
          expect(events[1], pair).to.deep.include({ type: TRANSITIONS[trigger].event, sequence: 2 });
          expect(events[1]?.data.checkout.status, pair).to.equal(next);
        } else {
          expect(moved, pair).to.equal(undefined);
          expect(await shop.payment(id), pair).to.deep.equal(before);
          expect(events, pair).to.have.length(1);
        }
      }
  });

  it('has the statuses and exceptions that the database knows', async () => {
    const listed = async (constraint: string) => {
      const [check] = await run(harness.ctx.db, checkOf, [constraint]);
      return [...(check?.definition ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name);
    };
    expect(await listed('payments_status_check')).to.deep.equal(STATUSES);
    expect(await listed('payments_exceptions_check')).to.deep.equal(EXCEPTIONS);
  });

  it('200 at once on 50 payments: exactly 50 win, sequences have no gap, one event each', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => shop.create()));
    const winners = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        move([{ paymentId: ids[i % 50] ?? '', trigger: 'deadline_passed' }], late()),
      ),
    );
    expect(winners.flat().map(({ id }) => id)).to.have.members(ids);
    for (const id of ids) {
      expect(await shop.story(id)).to.deep.equal(['created WAITING', 'failed EXPIRED']);
      expect((await shop.events(id)).map(({ sequence }) => sequence)).to.deep.equal([1, 2]);
    }
  });

  it('triggers that exclude each other, at once on one payment: one wins, 40 times', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => shop.create()));
    await force(ids, 'PROCESSING');
    const settled = { actually_paid: '10.50', actually_paid_currency: 'USDC', settled_at: harness.ctx.now() };
    await Promise.all(
      ids.flatMap((paymentId) => [
        move([{ paymentId, trigger: 'settled', changes: settled }]),
        move([{ paymentId, trigger: 'conversion_failed' }]),
        move([{ paymentId, trigger: 'all_lost' }]),
      ]),
    );
    for (const id of ids) {
      const payment = await shop.payment(id);
      const story = await shop.story(id);
      expect(payment.sequence).to.equal(2);
      expect(story).to.have.length(2);
      expect(story[1]).to.be.oneOf(['settled SETTLED', 'failed FAILED']);
      expect(story[1]).to.include(payment.status);
    }
  });

  it('sets that overlap, in opposite orders, at once: no deadlock, every sequence without a gap', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => shop.create()));
    const seen = (order: readonly string[]) =>
      move(order.map((paymentId) => ({ paymentId, trigger: 'transfer_seen' as const })));
    await Promise.all(Array.from({ length: 12 }, (_, i) => seen(i % 2 === 0 ? ids : ids.toReversed())));
    for (const id of ids)
      expect((await shop.events(id)).map(({ sequence }) => sequence)).to.deep.equal(
        Array.from({ length: 13 }, (_, i) => i + 1),
      );
  });

  it('a payment of a set that may not move does not prevent the others from moving', async () => {
    const [waiting, failed] = [await shop.create(), await shop.create()];
    await force([failed], 'FAILED');
    const moved = await move([
      { paymentId: failed, trigger: 'transfer_seen' },
      { paymentId: 'pay_00000000000000000000000000', trigger: 'transfer_seen' },
      { paymentId: waiting, trigger: 'transfer_seen' },
    ]);
    expect(moved.map(({ id, status }) => [id, status])).to.deep.equal([[waiting, 'PENDING']]);
  });

  it("runs in the caller's transaction: after a rollback nothing has happened, and the sequence number is used again", async () => {
    const id = await shop.create();
    const refused = harness.ctx.db.transaction(async (tx) => {
      await transition(tx, [{ paymentId: id, trigger: 'transfer_seen' }], harness.ctx.now());
      throw new Error('changed my mind');
    });
    expect(await refused.catch((error: Error) => error.message)).to.equal('changed my mind');
    expect(await shop.payment(id)).to.include({ status: 'WAITING', sequence: 1 });
    await move([{ paymentId: id, trigger: 'transfer_seen' }]);
    expect((await shop.events(id)).map(({ sequence }) => sequence)).to.deep.equal([1, 2]);
  });

  it('deadline_passed moves nothing before the deadline, and at the deadline every payment that is not fully funded', async () => {
    const [open, covered] = [await shop.create(), await shop.create()];
    await move([{ paymentId: covered, trigger: 'transfer_seen', changes: { fully_funded: true } }]);
    const { deadline_at } = await shop.payment(open);
    const expire = [open, covered].map((paymentId) => ({ paymentId, trigger: 'deadline_passed' as const }));
    expect(await move(expire, new Date(deadline_at.getTime() - 1))).to.deep.equal([]);
    expect((await move(expire, deadline_at)).map(({ id }) => id)).to.deep.equal([open]);
  });

  it('changes the requested columns and no others', async () => {
    const id = await shop.create({ metadata: { sku: 'T-1' } });
    const before = await shop.payment(id);
    const changes = {
      exceptions: ['late', 'overpaid'],
      amount_received: '0.000000000000000001',
      fully_funded: true,
      tx_hash: '0xabc',
      confirmations: 7,
      deadline_at: new Date('2026-02-02T00:00:00.123Z'),
    } as const;
    const [moved] = await move([{ paymentId: id, trigger: 'transfer_seen', changes }]);
    expect(moved).to.deep.equal({ ...before, ...changes, status: 'PENDING', sequence: 2 });
  });

  it('schedules the expiry of open payments, the settlement of confirmed ones, and nothing else', async () => {
    const id = await shop.create();
    const { deadline_at } = await shop.payment(id);
    const now = harness.ctx.now();
    const due = async () => (await run(harness.ctx.db, dueOf, [id])).map(({ job, run_at }) => [job, run_at]);
    expect(await due()).to.deep.equal([['payment.expire', deadline_at]]);

    const later = new Date(deadline_at.getTime() + 86_400_000);
    await move([{ paymentId: id, trigger: 'transfer_seen', changes: { deadline_at: later } }]);
    expect(await due()).to.deep.equal([['payment.expire', later]]);
    await move([{ paymentId: id, trigger: 'transfer_seen', changes: { fully_funded: true } }]);
    expect(await due()).to.deep.equal([]);
    await move([{ paymentId: id, trigger: 'confirmed_in_full' }]);
    expect(await due()).to.deep.equal([['payment.settle', now]]);
  });

  describe('its event', () => {
    it("has every field of the envelope and the contract's additions, null while unknown", async () => {
      const id = await shop.create({ order_id: 'order-7', metadata: { sku: 'T-1', Ärger: '☂' } });
      const [created] = await shop.events(id);
      expect(created).to.deep.equal({
        id: created?.id,
        type: 'checkout.created',
        timestamp: '2026-01-31T12:00:00.000Z',
        sequence: 1,
        data: {
          checkout: {
            id,
            status: 'WAITING',
            amount: '10.50',
            currency: 'USDC',
            cryptoAmount: '10.50',
            cryptoCurrency: 'USDC',
            settledAt: null,
            exceptions: [],
            policy: { underpaid: 'wait', underpaid_tolerance_percent: 0, late: 'honour', overpaid: 'keep' },
          },
          payment: { txHash: null, confirmations: 0, requiredConfirmations: 12, network: 'ethereum' },
          settlement: { mode: 'simulated', coin: 'USDC', network: 'ethereum', amount: null },
          price: null,
        },
        metadata: { orderId: 'order-7', sku: 'T-1', Ärger: '☂' },
      });
      expect(created?.id).to.match(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/);
    });

    it('of a transition has the same fields with their current values, and `refund` on refunds only', async () => {
      const id = await shop.create();
      await force([id], 'PROCESSING');
      harness.advance(61.5);
      await move([
        {
          paymentId: id,
          trigger: 'settled',
          changes: {
            tx_hash: '0xfeed',
            confirmations: 12,
            exceptions: ['overpaid'],
            actually_paid: '11',
            actually_paid_currency: 'USDC',
            settled_at: harness.ctx.now(),
          },
        },
      ]);
      const refund = sentBack('0.50');
      await move([{ paymentId: id, trigger: 'refunded_in_part', refund }]);
      const [created, settled, refunded] = await shop.events(id);
      expect(keysOf(settled)).to.deep.equal(keysOf(created));
      expect(settled).to.deep.include({
        type: 'checkout.settled',
        sequence: 2,
        timestamp: '2026-01-31T12:01:01.500Z',
      });
      expect(settled?.data.checkout).to.include({ status: 'SETTLED' });
      expect(settled?.data.checkout.exceptions).to.deep.equal(['overpaid']);
      expect(settled?.data.payment).to.deep.equal({
        txHash: '0xfeed',
        confirmations: 12,
        requiredConfirmations: 12,
        network: 'ethereum',
      });
      expect(refunded?.data.refund).to.deep.equal(refund);
      expect(keysOf(refunded).filter((key) => !key.startsWith('data.refund'))).to.deep.equal(keysOf(created));
    });

    it('is recorded with its dispatch job, once, under a unique id and sequence', async () => {
      const id = await shop.create({ callback_url: 'https://shop.example/hooks' });
      await move([{ paymentId: id, trigger: 'transfer_seen' }]);
      const rows = await run(
        harness.ctx.db,
        sql<{ id: string; body: string; sequence: number; callback_url: string; job: string; run_at: Date }>(
          'test_event_rows',
          `SELECT e.*, d.job, d.run_at FROM events e LEFT JOIN scheduled_jobs d ON d.key = e.id WHERE payment_id = $1 ORDER BY sequence`,
        ),
        [id],
      );
      expect(rows).to.have.length(2);
      for (const row of rows) {
        expect(row).to.include({ job: dispatchEvent.name, callback_url: 'https://shop.example/hooks' });
        expect(row.run_at).to.deep.equal(harness.ctx.now());
        const body = JSON.parse(row.body) as { id: string; sequence: number };
        // The stored bytes are stable: parsing and serialising them changes nothing.
        expect(JSON.stringify(body)).to.equal(row.body);
        expect(body).to.include({ id: row.id, sequence: row.sequence });
      }
      const again = harness.ctx.db.raw(
        'INSERT INTO events SELECT ?, payment_id, merchant_id, sequence, type, callback_url, body, created_at FROM events WHERE payment_id = ?',
        ['evt_2', id],
      );
      expect(
        await again.then(
          () => null,
          (error: Error & { code?: string }) => error.code,
        ),
      ).to.equal('23505');
    });
  });

  function late(): Date {
    return new Date(harness.ctx.now().getTime() + 3_600_000);
  }
});

/** Every path in dots, so that a missing field differs from one that is null. */
function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, field]) => keysOf(field, path === '' ? key : `${path}.${key}`));
}
