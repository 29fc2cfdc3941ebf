import { expect } from 'chai';
import { MAX_FOUND, searchPayments } from '../../../src/domain/payments/search.ts';
import { openDb, type Db } from '../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';

/** Of all merchants, and all begin alike. */
const MANY = 100_000;
const MIDDLE = 10_000;
const BRANCHES = 11;
const TABLES = ['payments', 'payment_terms', 'quotes', 'transfers', 'refunds'];

/** SQL: whose the payment `i` is: half are of one merchant, a tenth of another, the rest have four each. */
const merchantOf = (large: string) => `CASE WHEN i <= ${MANY / 2} THEN '${large}'
  WHEN i <= ${MANY / 2 + MIDDLE} THEN 'mer_middle' WHEN i <= ${MANY} THEN 'mer_small_' || i / 4 ELSE 'mer_young' END`;

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
    await fill(db, 1, MANY);
    // With the map of what all can see: without it Postgres would not read indexes alone.
    await db.raw('VACUUM (ANALYZE)');
    // Postgres knows nothing of this one yet, whose id is behind all others.
    await fill(db, MANY + 1, MIDDLE);
    await db.destroy();
  });
  after(() => harness.close());

  async function fill(db: Db, from: number, count: number): Promise<void> {
    const range = `generate_series(${from}, ${from + count - 1}) AS i`;
    const number = `lpad(i::text, 22, '0')`;
    const merchant = merchantOf(harness.merchant.id);
    await db.raw(
      `INSERT INTO merchants
       SELECT o.* FROM merchants m, (SELECT DISTINCT ${merchant} AS id FROM ${range}) new,
         LATERAL jsonb_populate_record(m, jsonb_build_object('id', new.id)) o
       WHERE m.id = '${harness.merchant.id}' AND new.id <> m.id`,
    );
    for (const [table, changed] of [
      [
        'payments',
        `'id', 'pay_01KF' || ${number}, 'token_id', 'copy' || i, 'order_id', 'copy-' || i,
         'customer_email', 'copy-' || i || '@shop.example', 'metadata', json_build_object('sku', 'copy-' || i),
         'merchant_id', ${merchant}`,
      ],
      ['quotes', `'payment_id', 'pay_01KF' || ${number}, 'address', '0x' || ${number}`],
    ] as const)
      await db.raw(
        `INSERT INTO ${table}
         SELECT c.* FROM ${table} r, ${range}, LATERAL jsonb_populate_record(r, jsonb_build_object(${changed})) c
         WHERE r.${table === 'payments' ? 'id' : 'payment_id'} = '${id}'`,
      );
  }

  const search = (text: string) =>
    searchPayments(harness.ctx.db, harness.merchant.id, text, harness.ctx.config.publicUrl);
  /** Of each merchant what it finds, what finds many of its payments, and what finds none. */
  const expectBounded = async () => {
    const numbers = [
      [harness.merchant.id, 77],
      ['mer_middle', MANY / 2 + 777],
      [`mer_small_${MANY / 4 - 1}`, MANY - 2],
      ['mer_young', MANY + 777],
    ] as const;
    for (const [merchantId, own] of numbers)
      for (const text of ['copy', 'c', `copy-${own}`, `copy-${own}@shop.example`, id, '0x1', 'nothing']) {
        const plans = await explain(harness.ctx.db, (tx) =>
          searchPayments(tx, merchantId, text, harness.ctx.config.publicUrl),
        );
        expect(plans).to.have.lengthOf(2);
        for (const plan of plans) {
          expect(plan, text).to.not.include('Seq Scan on p');
          for (const table of TABLES)
            expect(rowsRead(plan, table), `${merchantId}, ${text}, ${table}: ${plan}`).to.be.at.most(
              BRANCHES * (MAX_FOUND + 1),
            );
        }
      }
  };

  it('reads no more than it shows of each index, whichever plan Postgres chooses', expectBounded);

  it('finds the one that is meant, and a page of many', async () => {
    expect((await search('copy-44444')).found.map(({ payment }) => payment.order_id)).to.deep.equal([
      'copy-44444',
    ]);
    const { found, hasMore } = await search('copy-');
    expect([found.length, hasMore]).to.deep.equal([MAX_FOUND, true]);
  });

  it('has the same plans where Postgres believes that each merchant has one payment, or some', async () => {
    for (const merchants of [-1, MANY / 10, 100]) {
      await harness.ctx.db.raw(`ALTER TABLE payments ALTER merchant_id SET (n_distinct = ${merchants})`);
      await harness.ctx.db.raw('ANALYZE payments (merchant_id)');
      await expectBounded();
    }
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
