import { expect } from 'chai';
import { MAX_FOUND, searchPayments } from '../../../src/domain/payments/search.ts';
import { openDb } from '../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';

/** All of one merchant, and all begin alike. */
const MANY = 100_000;
const BRANCHES = 8;

describe(`the search among ${MANY} payments that begin alike`, () => {
  let harness: Harness;
  let id: string;
  before(async () => {
    harness = await createHarness();
    ({ id } = await createPayment(harness, {
      order_id: 'copy-0',
      customer_email: 'copy-0@shop.example',
      metadata: { sku: 'copy-0' },
    }));
    const url = harness.ctx.config.databaseUrl;
    const db = openDb({ url, poolSize: 1, acquireMs: 10_000, queryMs: 120_000, name: 'fixture' });
    const number = `lpad(i::text, 22, '0')`;
    for (const [table, changed] of [
      [
        'payments',
        `'id', 'pay_01KF' || ${number}, 'token_id', 'copy' || i, 'order_id', 'copy-' || i,
         'customer_email', 'copy-' || i || '@shop.example', 'metadata', json_build_object('sku', 'copy-' || i)`,
      ],
      ['quotes', `'payment_id', 'pay_01KF' || ${number}, 'address', '0x' || ${number}`],
    ] as const)
      await db.raw(
        `INSERT INTO ${table}
         SELECT c.* FROM ${table} r, generate_series(1, ${MANY}) AS i,
           LATERAL jsonb_populate_record(r, jsonb_build_object(${changed})) c
         WHERE r.${table === 'payments' ? 'id' : 'payment_id'} = '${id}'`,
      );
    await db.raw('ANALYZE');
    await db.destroy();
  });
  after(() => harness.close());

  const search = (text: string) =>
    searchPayments(harness.ctx.db, harness.merchant.id, text, harness.ctx.config.publicUrl);
  const expectBounded = async () => {
    for (const text of ['copy', 'copy-77', 'copy-77@shop.example', id, '0x1', 'nothing']) {
      const plans = await explain(harness.ctx.db, (tx) =>
        searchPayments(tx, harness.merchant.id, text, harness.ctx.config.publicUrl),
      );
      expect(plans).to.have.lengthOf(2);
      for (const plan of plans) {
        expect(plan, text).to.not.include('Seq Scan on p');
        for (const table of ['payments', 'payment_terms', 'quotes', 'transfers', 'refunds'])
          expect(rowsRead(plan, table), `${text}, ${table}: ${plan}`).to.be.at.most(
            BRANCHES * (MAX_FOUND + 1),
          );
      }
    }
  };

  it('reads no more than it shows of each index, whichever plan Postgres chooses', expectBounded);

  it('finds the one that is meant, and a page of many', async () => {
    expect((await search('copy-77777')).found.map(({ payment }) => payment.order_id)).to.deep.equal([
      'copy-77777',
    ]);
    const { found, hasMore } = await search('copy-');
    expect([found.length, hasMore]).to.deep.equal([MAX_FOUND, true]);
  });

  it('has the same plans where Postgres believes that the tables have 10,000,000 payments', async () => {
    // The planner takes the density of a table from here, and its size from the file.
    await harness.ctx.db.raw(
      `UPDATE pg_class SET reltuples = reltuples * 100
       WHERE relname ~ '^(payments|payment_terms|quotes)' AND reltuples > 0`,
    );
    await expectBounded();
  });
});
