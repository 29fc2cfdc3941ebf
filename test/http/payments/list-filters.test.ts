import { expect } from 'chai';
import { listPayments } from '../../../src/domain/payments/list.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { clearPayments, createPayment, fillPayments, listPage, pay, type Page } from '../../support/http.ts';
import { createHarness, type TestMerchant, type Harness } from '../../support/harness.ts';

describe('specification: the filters of GET /v1/payments', () => {
  let harness: Harness;
  let merchant: TestMerchant;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  beforeEach(async () => {
    merchant = await harness.addMerchant();
  });
  afterEach(() => clearPayments(harness));
  after(() => harness.close());

  const list = (query = '', apiKey = merchant.apiKey) => listPage(harness, apiKey, query);
  const create = (fields: object = {}) => createPayment(harness, fields, merchant.apiKey);
  const idsOf = ({ data }: Page) => data.map(({ id }) => id);
  const fill = (count: number, every?: number) => fillPayments(harness, merchant.id, count, every);

  it('status: one value, or several separated by commas', async () => {
    const { id: waiting } = await createPayment(harness);
    const { id: settled } = await createPayment(harness);
    await pay(harness, settled);
    const mine = (query: string) => list(query, harness.merchant.apiKey);
    expect(idsOf(await mine('?status=WAITING'))).to.deep.equal([waiting]);
    expect(idsOf(await mine('?status=SETTLED'))).to.deep.equal([settled]);
    expect(idsOf(await mine('?status=WAITING,SETTLED'))).to.have.members([waiting, settled]);
    expect(idsOf(await mine('?status=SETTLED%2CWAITING,SETTLED'))).to.have.members([waiting, settled]);
    expect(idsOf(await mine('?status=FAILED,EXPIRED'))).to.deep.equal([]);
  });

  for (const orderId of [
    'INV 1',
    'a+b',
    'é😀',
    '100%',
    'a,b',
    'a&b=c',
    "'; DROP TABLE payments; --",
    '\u202e',
  ])
    it(`order_id: ${orderId}`, async () => {
      const { id } = await create({ order_id: orderId });
      await create({ order_id: `${orderId}.` });
      expect(idsOf(await list(`?order_id=${encodeURIComponent(orderId)}`))).to.deep.equal([id]);
    });

  it('order_id: exactly, in case and form, with "+" for a space', async () => {
    const { id } = await create({ order_id: 'Order 1' });
    await create({ order_id: 'order 1' });
    expect(idsOf(await list('?order_id=Order+1'))).to.deep.equal([id]);
    expect(idsOf(await list('?order_id=Order'))).to.deep.equal([]);
    expect(idsOf(await list('?order_id=Order%25'))).to.deep.equal([]);
  });

  describe('from_date and to_date are inclusive', () => {
    const DAY = '2026-01-31';
    const created: string[] = [];
    // Around midnight: each a millisecond inside or outside the day.
    const TIMES = [
      '2026-01-30T23:59:59.999Z',
      `${DAY}T00:00:00.000Z`,
      `${DAY}T23:59:59.999Z`,
      '2026-02-01T00:00:00.000Z',
    ];
    let dated: TestMerchant;
    before(async () => {
      dated = await harness.addMerchant();
      for (const time of TIMES) {
        const { id } = await createPayment(harness, {}, dated.apiKey);
        await harness.ctx.db.raw('UPDATE payments SET created_at = ? WHERE id = ?', [time, id]);
        created.push(id);
      }
    });
    const CASES: readonly [query: string, expected: number[]][] = [
      ['', [3, 2, 1, 0]],
      [`from_date=${DAY}`, [3, 2, 1]],
      [`to_date=${DAY}`, [2, 1, 0]],
      [`from_date=${DAY}&to_date=${DAY}`, [2, 1]],
      [`from_date=2026-02-01&to_date=2026-02-01`, [3]],
      [`from_date=${DAY}T00:00:00.000Z`, [3, 2, 1]],
      [`from_date=${DAY}T00:00:00.001Z`, [3, 2]],
      [`to_date=${DAY}T23:59:59.999Z`, [2, 1, 0]],
      [`to_date=${DAY}T23:59:59.998Z`, [1, 0]],
      [`from_date=${DAY}T00:00:00Z&to_date=${DAY}T00:00:00Z`, [1]],
      [`from_date=2026-01-31T01:00:00%2B01:00&to_date=2026-01-30T19:00:00-05:00`, [1]],
      [`from_date=${DAY}t00:00:00z`, [3, 2, 1]],
      ['from_date=2027-01-01', []],
      ['to_date=2025-12-31', []],
      ['from_date=0000-01-01&to_date=9999-12-31', [3, 2, 1, 0]],
    ];
    for (const [query, expected] of CASES)
      it(query || 'none', async () => {
        const page = await list(`?${query}`, dated.apiKey);
        expect(idsOf(page)).to.deep.equal(expected.map((index) => created[index]));
        expect(page.pagination.total).to.equal(expected.length);
      });

    it('beside a cursor, which may be newer than the end of the range or older', async () => {
      const at = (index: number) =>
        Buffer.from(`${Date.parse(TIMES[index] ?? '')}.${created[index] ?? ''}`).toString('base64url');
      for (const [index, expected] of [
        [3, [2, 1, 0]],
        [2, [1, 0]],
        [1, [0]],
      ] as const) {
        const page = await list(`?to_date=${DAY}&cursor=${at(index)}`, dated.apiKey);
        expect(idsOf(page)).to.deep.equal(expected.map((one) => created[one]));
        expect(page.pagination.total).to.equal(3);
      }
      const until = `to_date=${TIMES[1] ?? ''}`;
      expect(idsOf(await list(`?${until}&cursor=${at(2)}`, dated.apiKey))).to.deep.equal([
        created[1],
        created[0],
      ]);
    });
  });

  it('combine freely', async () => {
    await fill(3000, 60);
    const FILTERS = {
      order_id: 'order_id=bulk+7',
      status: 'status=WAITING,PENDING',
      from_date: 'from_date=2026-01-01T17:00:00Z',
      to_date: 'to_date=2026-01-02',
    };
    // bulk 7 is every thousandth payment, from the seventh minute of the year on: 00:07 on the 1st, 16:47 on
    // the 1st, 09:27 on the 2nd.
    const counts: Record<string, number> = {
      '': 3000,
      order_id: 3,
      status: 3000,
      from_date: 3000 - 1019,
      to_date: 2879,
      'order_id status': 3,
      'order_id from_date': 1,
      'order_id to_date': 3,
      'status from_date': 1981,
      'status to_date': 2879,
      'from_date to_date': 2879 - 1019,
      'order_id status from_date': 1,
      'order_id status to_date': 3,
      'order_id from_date to_date': 1,
      'status from_date to_date': 1860,
      'order_id status from_date to_date': 1,
    };
    for (const [names, total] of Object.entries(counts)) {
      const chosen = Object.entries(FILTERS).filter(([name]) => names.split(' ').includes(name));
      const query = chosen.map(([, filter]) => filter).join('&');
      const page = await list(`?limit=1&${query}`);
      expect(page.pagination.total, names).to.equal(total);
      if (page.pagination.next_cursor !== null) {
        const next = await list(`?limit=1&${query}&cursor=${page.pagination.next_cursor}`);
        expect(next.pagination.total, names).to.equal(total);
        expect(idsOf(next), names).to.not.deep.equal(idsOf(page));
      }
    }
  });

  describe('are served by indexes among many payments', () => {
    const MERCHANTS = 50;
    before(async () => {
      await harness.ctx.db.raw(
        `INSERT INTO merchants (id, name, settlement_currency, settlement_network, webhooks_updated_at, created_at)
         SELECT 'mer_many_' || n, 'x', 'USDC', 'ethereum', now(), now() FROM generate_series(0, ? - 1) n`,
        [MERCHANTS],
      );
      await fillPayments(harness, 'mer_many_0', 50_000);
      await harness.ctx.db.raw(
        `UPDATE payments SET merchant_id = 'mer_many_' || n % ?, order_id = 'many ' || n, token_id = 'many ' || n
         FROM (SELECT id AS numbered, right(id, 6)::int AS n FROM payments WHERE merchant_id = 'mer_many_0') numbers WHERE id = numbered`,
        [MERCHANTS],
      );
      await harness.ctx.db.raw('VACUUM ANALYZE payments');
    });

    const plansOf = (query: Parameters<typeof listPayments>[2]) =>
      explain(harness.ctx.db, (tx) => listPayments(tx, 'mer_many_1', query, ''));

    it('none: newest first, by merchant', async () => {
      for (const plan of await plansOf({})) {
        expect(plan).to.match(/Index (Only )?Scan using payments_newest/);
        expect(plan).to.not.match(/Seq Scan|Sort Key: payments\.created_at/);
      }
    });

    it('order_id: by order, for the page and for the total', async () => {
      for (const plan of await plansOf({ order_id: 'many 101' })) {
        expect(plan.match(/Index (Only )?Scan using payments_by_order/g), plan).to.have.length(2);
        expect(plan).to.not.match(/Seq Scan|payments_newest/);
      }
    });

    it('status: by status, however rare it is, for the page and for the total', async () => {
      for (const status of [['FAILED'], ['PENDING', 'FAILED']] as const)
        for (const plan of await plansOf({ status: [...status] })) {
          expect(plan.match(/Index (Only )?Scan using payments_by_status/g), plan).to.have.length(2);
          expect(plan).to.not.match(/Seq Scan|payments_newest/);
          expect(rowsRead(plan, 'payments'), plan).to.equal(0);
        }
    });

    it('a page by number: by the index alone up to it, and the payments of the page', async () => {
      for (const plan of await plansOf({ page: 20 })) {
        expect(plan).to.match(/Index Only Scan using payments_newest/);
        expect(plan, plan).to.match(/Index Scan using payments_pkey/);
        expect(plan).to.not.match(/Seq Scan|Index Scan using payments_newest/);
      }
    });

    it('a cursor: from there on, not from the newest', async () => {
      const cursor = Buffer.from(`1767225700000.pay_${'0'.repeat(26)}`).toString('base64url');
      for (const query of [{ cursor }, { cursor, to_date: '2026-01-02' }])
        for (const plan of await plansOf(query)) {
          expect(plan).to.match(/Index Cond: .*ROW\(created_at, id\)/);
          expect(plan, 'begins at the end of the range').to.not.match(
            /Index Cond: .*\(created_at < .*ROW\(created_at, id\)/,
          );
        }
    });
  });
});
