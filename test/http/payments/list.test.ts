import { expect } from 'chai';
import {
  clearPayments,
  createPayment,
  expectError,
  fillPayments,
  listPage,
  type Page,
} from '../../support/http.ts';
import { declaredStatements } from '../../../src/platform/postgres/sql.ts';
import { recordQueries, statementsOf } from '../../support/statements.ts';
import { createHarness, type TestMerchant, type Harness } from '../../support/harness.ts';

describe('specification: GET /v1/payments', () => {
  let harness: Harness;
  let merchant: TestMerchant;
  before(async () => {
    harness = await createHarness();
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

  describe('the envelope (contract, "Lists")', () => {
    it('has data and pagination, and in it these fields in this order', async () => {
      const payment = await create();
      const page = await list();
      expect(page).to.deep.equal({
        data: [payment],
        pagination: {
          page: 1,
          limit: 20,
          total: 1,
          total_is_exact: true,
          total_pages: 1,
          has_more: false,
          next_cursor: null,
        },
      });
      expect(Object.keys(page)).to.deep.equal(['data', 'pagination']);
      expect(Object.keys(page.pagination).join()).to.equal(
        'page,limit,total,total_is_exact,total_pages,has_more,next_cursor',
      );
    });

    it('is empty for a merchant without payments, and beyond the last page', async () => {
      const empty = { total: 0, total_is_exact: true, total_pages: 0, has_more: false, next_cursor: null };
      expect(await list()).to.deep.equal({ data: [], pagination: { page: 1, limit: 20, ...empty } });
      await create();
      expect(await list('?page=1000000&limit=100')).to.deep.equal({
        data: [],
        pagination: { page: 1_000_000, limit: 100, ...empty, total: 1, total_pages: 1 },
      });
    });

    it('costs one round trip to Postgres with a known key', async () => {
      await list();
      expect(await recordQueries(() => list('?status=WAITING'))).to.have.length(1);
    });
  });

  describe('page and limit', () => {
    it('page is 1-indexed and defaults to 1; limit defaults to 20', async () => {
      await fill(45);
      const [first, second, third] = [await list(), await list('?page=2'), await list('?page=3')];
      expect([first, second, third].map(({ data }) => data.length)).to.deep.equal([20, 20, 5]);
      expect([first, second, third].map(({ pagination }) => pagination.has_more)).to.deep.equal([
        true,
        true,
        false,
      ]);
      expect(first.pagination).to.include({ page: 1, limit: 20, total: 45, total_pages: 3 });
      expect(third.pagination).to.include({ page: 3, total: 45, total_pages: 3, next_cursor: null });
      expect(new Set([first, second, third].flatMap(idsOf))).to.have.property('size', 45);
      expect((await list('?page=1')).data).to.deep.equal(first.data);
    });

    it('limit is 1 to 100', async () => {
      await fill(101);
      expect((await list('?limit=1')).data).to.have.length(1);
      const full = await list('?limit=100');
      expect(full.data).to.have.length(100);
      expect(full.pagination).to.include({ has_more: true, total_pages: 2 });
    });

    it('a full last page is the last', async () => {
      await fill(20);
      expect((await list()).pagination).to.include({ has_more: false, next_cursor: null, total_pages: 1 });
    });
  });

  describe('above 10,000 payments', () => {
    it('10,000 are counted exactly', async () => {
      await fill(10_000);
      expect((await list('?limit=100')).pagination).to.include({
        total: 10_000,
        total_is_exact: true,
        total_pages: 100,
      });
    });

    it('beyond, total is 10000, total_is_exact false and total_pages null; pages and cursors continue', async () => {
      await fill(10_001);
      const first = await list('?limit=100');
      expect(first.pagination).to.include({
        total: 10_000,
        total_is_exact: false,
        total_pages: null,
        has_more: true,
      });
      const last = await list('?limit=100&page=101');
      expect(last.data).to.have.length(1);
      expect(last.pagination).to.include({ has_more: false, next_cursor: null, total_is_exact: false });
      expect((await list('?order_id=bulk+1')).pagination).to.include({ total: 11, total_is_exact: true });
    });

    it('they are not counted again: one statement reads the page alone, and filters count as before', async () => {
      await fill(10_001);
      const first = await list();
      const names = await statementsOf(async () => {
        expect(await list()).to.deep.equal(first);
        const next = await list(`?cursor=${first.pagination.next_cursor}`);
        expect(next.pagination).to.include({ total: 10_000, total_is_exact: false, has_more: true });
        expect(idsOf(next)).to.deep.equal(idsOf(await list('?page=2')));
        expect((await list('?page=1000000')).pagination).to.include({ total: 10_000, has_more: false });
      });
      expect(new Set(names)).to.deep.equal(
        new Set([
          'page_of_payments_uncounted_merchant',
          'page_of_payments_uncounted_merchant_after',
          'page_of_payments_far_uncounted_merchant',
        ]),
      );
      const filtered = await list('?to_date=2026-01-01T00:00:30Z&status=WAITING');
      expect(filtered.pagination).to.include({ total: 30, total_is_exact: true });
      expect((await list('', (await harness.addMerchant()).apiKey)).pagination.total).to.equal(0);
    });

    it('those of scenarios, which are deleted one day, are counted each time', async () => {
      await fill(10_001);
      await harness.ctx.db('payments').where({ order_id: 'bulk 1' }).update({ test_clock: 'a scenario' });
      expect((await list()).pagination).to.include({ total: 10_000, total_is_exact: false });
      await harness.ctx.db('payments').where({ test_clock: 'a scenario' }).delete();
      expect((await list()).pagination).to.include({ total: 9_990, total_is_exact: true });
    });

    it('no statement but that of scenarios deletes payments, and none takes their test clock', () => {
      const statements = [...declaredStatements.values()];
      const matching = (text: RegExp) =>
        statements.filter((statement) => text.test(statement.text)).map(({ name }) => name);
      const SET = String.raw`UPDATE payments\s+SET(?:(?!WHERE|FROM)[^;])*\b`;
      expect(matching(/DELETE FROM payments\b/i)).to.deep.equal(['discard_payments']);
      expect(matching(/\btest_clock = (NULL|DEFAULT)/i)).to.deep.equal([]);
      expect(matching(new RegExp(`${SET}test_clock = `))).to.deep.equal(['update_clock']);
      expect(matching(new RegExp(`${SET}merchant_id = `))).to.deep.equal([]);
    });
  });

  describe('order', () => {
    it('is newest first', async () => {
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        ids.unshift((await create()).id);
        harness.advance(1);
      }
      expect(idsOf(await list())).to.deep.equal(ids);
    });

    it('is by id, descending, among payments of the same time', async () => {
      const ids = [(await create()).id, (await create()).id, (await create()).id];
      expect(idsOf(await list())).to.deep.equal(ids.sort().reverse());
    });
  });

  describe('reading by cursor', () => {
    const walk = async (query: string, between: () => Promise<unknown> = async () => {}) => {
      const ids: string[] = [];
      let page = await list(`?${query}`);
      for (;;) {
        ids.push(...idsOf(page));
        expect(page.pagination.has_more).to.equal(page.pagination.next_cursor !== null);
        if (page.pagination.next_cursor === null) return ids;
        await between();
        page = await list(`?${query}&cursor=${page.pagination.next_cursor}`);
        expect(page.pagination.page).to.equal(null);
      }
    };

    it('returns every payment once, across ties of created_at', async () => {
      await fill(25, 0);
      const ids = await walk('limit=4');
      const expected = Array.from({ length: 25 }, (_, n) => `pay_${String(25 - n).padStart(26, '0')}`);
      expect(ids).to.deep.equal(expected);
    });

    it('is not disturbed by payments that are created meanwhile', async () => {
      await fill(9);
      const ids = await walk('limit=2', () => create());
      expect(ids).to.have.length(9);
      expect(new Set(ids)).to.have.property('size', 9);
    });

    it('keeps its filters', async () => {
      await fill(12);
      const query = 'limit=5&from_date=2026-01-01T00:00:02Z&to_date=2026-01-01T00:00:11Z&status=WAITING';
      const ids = await walk(query);
      expect(ids).to.deep.equal(
        Array.from({ length: 10 }, (_, n) => `pay_${String(11 - n).padStart(26, '0')}`),
      );
    });

    it("hides other merchants' payments", async () => {
      await fill(3);
      const { pagination } = await list('?limit=1');
      const stranger = await harness.addMerchant();
      expect((await list(`?cursor=${pagination.next_cursor}`, stranger.apiKey)).data).to.deep.equal([]);
    });
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const { headers } = await harness.api('get', '/v1/payments', merchant.apiKey).expect(200);
    const head = await harness.api('head', '/v1/payments', merchant.apiKey).expect(200);
    expect(head.headers['content-length']).to.equal(headers['content-length']);
    expect(head.text ?? '').to.equal('');
  });

  it('page and cursor together: 400', async () => {
    await fill(2);
    const { pagination } = await list('?limit=1');
    const answer = await harness.api(
      'get',
      `/v1/payments?page=1&cursor=${pagination.next_cursor}`,
      merchant.apiKey,
    );
    expectError(harness, answer, 400, { field: 'cursor', constraint: 'not' });
  });
});
