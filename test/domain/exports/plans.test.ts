import { expect } from 'chai';
import type { ExportFilter } from '../../../src/domain/exports/found.ts';
import { exportRows } from '../../../src/domain/exports/rows.ts';
import { EXPORT_KINDS } from '../../../src/domain/exports/statements.ts';
import type { Db } from '../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';

const PAYMENTS = 3_000;

/** What is rare among the others, and what is not. */
const FILTERS: readonly (readonly [index: string, filter: ExportFilter])[] = [
  ['payments_newest', {}],
  ['payments_by_order', { orderId: 'rare' }],
  ['payments_by_order', { orderId: 'rare', statuses: ['FAILED'] }],
  ['payments_by_status', { statuses: ['FAILED'] }],
  ['payments_by_status', { statuses: ['WAITING', 'FAILED'] }],
];

describe('a page of an export', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    const stranger = await harness.addMerchant();
    await createPayment(harness);
    await harness.ctx.db.raw(
      `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', 'pay_' || lpad(i::text, 26, '0'),
         'token_id', 'copy-' || i, 'address', '0x' || lpad(i::text, 40, '0'),
         'merchant_id', CASE WHEN i % 2 = 0 THEN ? ELSE p.merchant_id END))).*
       FROM payments p, generate_series(2, ${PAYMENTS}) AS i`,
      [stranger.id],
    );
    await harness.ctx.db.raw(
      `INSERT INTO ledger_entries (payment_id, kind, from_account, to_account, amount, coin, network, created_at)
       SELECT id, 'received', 'customer', 'held', 1, 'USDC', 'ethereum', created_at FROM payments`,
    );
    await harness.ctx.db.raw(
      `INSERT INTO hourly_rates SELECT coin, hour, 1 FROM unnest(ARRAY['USDC', 'EUR', 'BTC']) AS coin,
         generate_series('2025-01-01'::timestamptz, '2026-02-01', interval '1 hour') AS hour`,
    );
    await harness.ctx.db.raw(
      `UPDATE payments SET order_id = CASE WHEN substr(id, 25)::int % 50 = 25 THEN 'rare' ELSE id END,
         status = CASE WHEN substr(id, 25)::int % 100 = 25 THEN 'FAILED' ELSE status END
       WHERE id LIKE 'pay_0000000000%'`,
    );
    await harness.ctx.db.raw('ANALYZE');
  });
  after(() => harness.close());

  for (const kind of EXPORT_KINDS)
    it(`reads ${kind} by indexes, and no more than it shows`, async () => {
      const plans = await explain(harness.ctx.db, async (tx) => {
        const ctx = { ...harness.ctx, db: tx as unknown as Db };
        const range = { merchantId: harness.merchant.id, from: null, to: null, currency: 'EUR' } as const;
        await exportRows(ctx, kind, range).next();
      });
      const pages = plans.filter((plan) => plan.includes('asked') || plan.includes('payments_newest'));
      expect(pages).to.have.length.of.at.least(4);
      for (const plan of plans) {
        expect(plan).to.not.include('Seq Scan');
        for (const table of ['payments', 'ledger_entries'])
          expect(rowsRead(plan, table), plan).to.be.at.most(200);
        expect(rowsRead(plan, 'hourly_rates'), plan).to.be.at.most(400);
      }
    });

  for (const [index, filter] of FILTERS)
    it(`begins at its position, however far that is behind the begin: ${JSON.stringify(filter)}`, async () => {
      const { rows } = await harness.ctx.db.raw<{ rows: { id: string; created_at: Date }[] }>(
        'SELECT id, created_at FROM payments WHERE merchant_id = ? ORDER BY created_at DESC, id DESC OFFSET 400 LIMIT 1',
        [harness.merchant.id],
      );
      const [{ id, created_at: createdAt } = { id: '', created_at: new Date(0) }] = rows;
      const plans = await explain(harness.ctx.db, async (tx) => {
        // What an index reads and leaves out shows in blocks alone.
        await tx.raw('SET LOCAL auto_explain.log_buffers = on');
        const ctx = { ...harness.ctx, db: tx as unknown as Db };
        const after = { createdAt, id, place: '0' };
        const range = { merchantId: harness.merchant.id, from: new Date(0), to: null, after, ...filter };
        const pages = exportRows(ctx, 'payments', range);
        await pages.next();
        expect((await pages.next()).value).to.have.length.within(5, 25);
      });
      const found = plans.filter((plan) => plan.includes(index));
      expect(found).to.have.lengthOf(2);
      for (const plan of found) {
        expect(rowsRead(plan, 'payments'), plan).to.be.within(5, 50);
        const [, hit = '0', read = '0'] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
        expect(Number(hit) + Number(read), plan).to.be.within(1, 100);
      }
    });
});
