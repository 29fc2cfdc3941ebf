import { expect } from 'chai';
import { createPayment } from '../../../src/domain/payments/create.ts';
import { readPayment } from '../../../src/domain/payments/read.ts';
import { toResource, type ResourceRow } from '../../../src/domain/payments/schemas.ts';
import { ApiError } from '../../../src/domain/api/errors.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { fillPayments } from '../../support/http.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { recordQueries } from '../../support/statements.ts';

const MISSING = `pay_${'0'.repeat(26)}`;

describe('payments that are read at the same moment', () => {
  let harness: Harness;
  let shop: Shop;
  let other: TestMerchant;
  before(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    other = await harness.addMerchant();
  });
  after(() => harness.close());

  const create = async (order: string) => {
    const body = { pay_amount: '10.50', order_id: order, metadata: { order } };
    const { text } = await createPayment(harness.ctx, harness.adapters, shop.caller, body, null);
    return JSON.parse(text) as { id: string };
  };
  const read = (id: string, merchantId = harness.merchant.id) => readPayment(harness.ctx.db, merchantId, id);
  const resourceOf = (row: ResourceRow) => toResource(row, harness.ctx.config.publicUrl);
  const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : error);

  it('share a statement, each its own', async () => {
    const created = await Promise.all(Array.from({ length: 50 }, (_, n) => create(`order-${n}`)));
    let rows: ResourceRow[] = [];
    const queries = await recordQueries(async () => {
      rows = await Promise.all(created.map(({ id }) => read(id)));
    });
    expect(queries).to.have.length(1);
    expect(rows.map(resourceOf)).to.deep.equal(created);
  });

  it('that do not exist, are none, or are of another merchant fail alone', async () => {
    const [{ id }, { id: second }] = [await create('order-a'), await create('order-b')];
    await harness.ctx.db.raw(
      'INSERT INTO payments SELECT (jsonb_populate_record(p, ?::jsonb)).* FROM payments p WHERE id = ?',
      [JSON.stringify({ id: MISSING, token_id: 'other', merchant_id: other.id }), id],
    );
    const asked = [
      read(id),
      read(id, other.id),
      read(MISSING, other.id),
      read(MISSING),
      read(id),
      read(`pay_${'1'.repeat(26)}`),
      read('pay_\0'),
      read(second),
    ];
    const outcomes = (await Promise.allSettled(asked)).map((one) =>
      one.status === 'fulfilled' ? one.value.id : codeOf(one.reason),
    );
    const none = 'payment_not_found';
    expect(outcomes).to.deep.equal([id, none, MISSING, none, id, none, none, second]);
    await harness.ctx.db('payments').where({ id: MISSING }).delete();
    expect(await read(MISSING, other.id).catch(codeOf)).to.equal(none);
  });

  it('show what was committed before they were asked for, also behind a statement that is under way', async () => {
    const { id } = await create('order-late');
    const tx = await harness.ctx.db.transaction();
    await tx('payments').where({ id }).update({ amount_received: '1' });
    const first = read(id);
    await tx.commit();
    const second = read(id);
    expect((await second).amount_received).to.equal('1');
    expect((await first).amount_received).to.be.oneOf(['0', '1']);
  });

  it('are found by their keys among many, whichever plan Postgres chooses', async () => {
    await fillPayments(harness, other.id, 20_000);
    await harness.ctx.db.raw('ANALYZE payments');
    const ids = Array.from({ length: 100 }, (_, n) => `pay_${String(n + 1).padStart(26, '0')}`);
    const plans = await explain(harness.ctx.db, (tx) =>
      Promise.all(ids.map((id) => readPayment(tx, other.id, id))),
    );
    expect(plans).to.have.length(2);
    for (const plan of plans) {
      expect(plan).to.match(/Index Scan using payments_pkey on payments/);
      expect(rowsRead(plan, 'payments'), plan).to.be.at.most(100);
    }
  });
});
