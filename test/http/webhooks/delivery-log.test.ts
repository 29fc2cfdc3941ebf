import { expect } from 'chai';
import { listDeliveries } from '../../../src/domain/webhooks/deliveries/list.ts';
import type {
  Delivery,
  DeliveryList,
  ListDeliveriesQuery,
} from '../../../src/domain/webhooks/deliveries/schemas.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { firstIdAt } from '../../../src/platform/values/ids.ts';
import { configure, createPaymentsWithDeliveries } from '../../support/deliveries.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { expectError, expectLimitHeaders, withoutPlace } from '../../support/http.ts';
import { recordQueries } from '../../support/statements.ts';
import { openShop } from '../../support/shop.ts';
import { createHarness, type TestMerchant, type Harness } from '../../support/harness.ts';

const BEGIN = new Date('2026-01-30T00:00:00.000Z');
const TYPES = ['checkout.created', 'checkout.pending', 'checkout.settled'] as const;
const statusOf = (n: number) => (n % 500 === 7 ? 'failed' : n % 90 === 3 ? 'pending' : 'delivered');

/** Inserts `count` deliveries, a second apart, four of each payment. Returns their ids, oldest first. */
async function fill(harness: Harness, merchantId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => firstIdAt('dlv', addSeconds(BEGIN, n)));
  await harness.ctx.db.raw(
    `INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status,
       failed_because, next_attempt_at, created_at)
     SELECT id, replace(id, 'dlv_', 'evt_'), ?, 'pay_' || lpad((n / 4)::text, 26, '0'), ?, 1, type, status,
       CASE WHEN status = 'failed' THEN 'retries_exhausted' END,
       CASE WHEN status = 'pending' THEN now() END, now()
     FROM unnest(?::text[], ?::text[], ?::text[]) WITH ORDINALITY AS d (id, type, status, ordinal),
       LATERAL (SELECT ordinal - 1 AS n) t`,
    [merchantId, merchantId, ids, ids.map((_, n) => TYPES[n % 3] ?? ''), ids.map((_, n) => statusOf(n))],
  );
  return ids;
}

describe('GET /v1/webhooks/deliveries', () => {
  let harness: Harness;
  let merchant: TestMerchant;
  before(async () => {
    harness = await createHarness();
  });
  beforeEach(async () => {
    merchant = await harness.addMerchant();
  });
  afterEach(() => harness.ctx.db.raw('DELETE FROM deliveries'));
  after(() => harness.close());

  const list = async (query = '', apiKey = merchant.apiKey) =>
    (await harness.api('get', `/v1/webhooks/deliveries${query}`, apiKey).expect(200)).body as DeliveryList;
  const idsOf = ({ data }: DeliveryList) => data.map(({ id }) => id);
  const walk = async (query: string, between: () => Promise<unknown> = async () => {}) => {
    const ids: string[] = [];
    let page = await list(`?${query}`);
    for (;;) {
      ids.push(...idsOf(page));
      expect(page.pagination.has_more).to.equal(page.pagination.next_cursor !== null);
      if (page.pagination.next_cursor === null) return ids;
      await between();
      page = await list(`?${query}&cursor=${page.pagination.next_cursor}`);
    }
  };

  it('returns data and pagination, newest first, twenty at a time, in one round trip', async () => {
    expect(await list()).to.deep.equal({
      data: [],
      pagination: { limit: 20, has_more: false, next_cursor: null },
    });
    const ids = await fill(harness, merchant.id, 25);
    const page = await list();
    expect(idsOf(page)).to.deep.equal(ids.toReversed().slice(0, 20));
    expect(page.pagination).to.include({ limit: 20, has_more: true });
    expect(Object.keys(page.data[0] ?? {}).join()).to.equal(
      'id,event_id,type,payment_id,endpoint_id,sequence,status,failed_because,attempts,next_attempt_at,created_at,finished_at,last_status_code,last_error',
    );
    expect(await recordQueries(() => list('?status=failed&type=checkout.pending'))).to.have.length(1);
    expectLimitHeaders(await harness.api('get', '/v1/webhooks/deliveries', merchant.apiKey));
  });

  describe('filters, each alone and with others:', () => {
    type Case = [query: string, keeps: (delivery: Delivery, n: number) => boolean];
    const payment = `pay_${'5'.padStart(26, '0')}`;
    const cases: Case[] = [
      [`payment_id=${payment}`, ({ payment_id }) => payment_id === payment],
      ['status=failed', ({ status }) => status === 'failed'],
      ['status=pending,failed', ({ status }) => status !== 'delivered'],
      ['status=failed,delivered,pending', () => true],
      ['type=checkout.pending', ({ type }) => type === 'checkout.pending'],
      ['type=checkout.pending,checkout.created', ({ type }) => type !== 'checkout.settled'],
      ['from_date=2026-01-30T00:03:20Z', (_, n) => n >= 200],
      ['to_date=2026-01-30T00:03:20Z', (_, n) => n <= 200],
      ['to_date=2026-01-29', () => false],
      ['from_date=2026-01-30&to_date=2026-01-30', () => true],
      [
        'status=pending&type=checkout.created&from_date=2026-01-30T00:01:00Z&to_date=2026-01-30T00:05:00Z',
        ({ status, type }, n) => status === 'pending' && type === 'checkout.created' && n >= 60 && n <= 300,
      ],
      [
        `payment_id=${payment}&type=checkout.pending`,
        (d) => d.payment_id === payment && d.type === 'checkout.pending',
      ],
    ];
    for (const [query, keeps] of cases)
      it(query, async () => {
        const ids = await fill(harness, merchant.id, 600);
        const stranger = await harness.addMerchant();
        const all = new Map<string, Delivery>();
        let cursor = '';
        do {
          const page = await list(`?limit=100${cursor}`);
          for (const delivery of page.data) all.set(delivery.id, delivery);
          cursor = page.pagination.next_cursor === null ? '' : `&cursor=${page.pagination.next_cursor}`;
        } while (cursor !== '');
        const expected = ids.filter((id, n) => {
          const delivery = all.get(id);
          return delivery !== undefined && keeps(delivery, n);
        });
        expect(await walk(`limit=77&${query}`)).to.deep.equal(expected.toReversed());
        expect(idsOf(await list(`?${query}`, stranger.apiKey))).to.deep.equal([]);
      });

    it('event_id', async () => {
      await configure(harness, 'http://127.0.0.1:9/hooks');
      const shop = await openShop(harness);
      const [id = ''] = await createPaymentsWithDeliveries(harness, shop, 2);
      const [event] = await shop.events(id);
      const page = await list(`?event_id=${event?.id}`, harness.merchant.apiKey);
      expect(page.data.map(({ event_id, payment_id }) => [event_id, payment_id])).to.deep.equal([
        [event?.id, id],
      ]);
      expect(
        (await list(`?event_id=${event?.id}&payment_id=${payment}`, harness.merchant.apiKey)).data,
      ).to.have.length(0);
      expect((await list(`?event_id=${event?.id}`)).data, "another merchant's").to.have.length(0);
    });
  });

  it('filters that differ at the end of their names have statements of their own on one connection', async () => {
    const ids = await fill(harness, merchant.id, 8);
    const query: ListDeliveriesQuery = {
      payment_id: `pay_${'1'.padStart(26, '0')}`,
      event_id: (ids[5] ?? '').replace('dlv_', 'evt_'),
      status: ['pending', 'delivered', 'failed'],
      type: [...TYPES],
      from_date: BEGIN.toISOString(),
    };
    await harness.ctx.db.transaction(async (tx) => {
      for (const to_date of [undefined, addSeconds(BEGIN, 60).toISOString()])
        expect(
          (await listDeliveries(tx, merchant.id, to_date === undefined ? query : { ...query, to_date })).data,
        ).to.deep.equal([]);
    });
  });

  it('pages by cursor return every delivery once, while new ones are inserted', async () => {
    const ids = await fill(harness, merchant.id, 23);
    const walked = await walk('limit=5', async () => {
      await harness.ctx.db.raw(
        `INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status,
           created_at)
         SELECT 'dlv_7' || lpad((count(*))::text, 25, '0'), 'e', ?, 'p', 'o', 1, 'checkout.pending',
           'delivered', now() FROM deliveries`,
        [merchant.id],
      );
    });
    expect(walked).to.deep.equal(ids.toReversed());
    expect((await list('?limit=100')).data).to.have.length(27);
  });

  for (const [query, field, constraint] of [
    ['limit=0', 'limit', 'minimum'],
    ['limit=101', 'limit', 'maximum'],
    ['limit=x', 'limit', 'type'],
    ['payment_id=pay_1', 'payment_id', 'pattern'],
    ['event_id=1', 'event_id', 'pattern'],
    ['status=lost', 'status', 'enum'],
    ['type=checkout.gone', 'type', 'enum'],
    ['from_date=yesterday', 'from_date', 'format'],
    ['to_date=2026-13-01', 'to_date', 'format'],
    ['from_date=2026-02-02&to_date=2026-02-01', 'from_date', 'maximum'],
    ['cursor=x', 'cursor', 'format'],
    [`cursor=${Buffer.from(firstIdAt('pay', BEGIN)).toString('base64url')}`, 'cursor', 'format'],
    ['page=1', 'page', 'additionalProperties'],
  ] as const)
    it(`${query}: 400`, async () => {
      const answer = await harness.api('get', `/v1/webhooks/deliveries?${query}`, merchant.apiKey);
      expectError(harness, answer, 400, { field, constraint });
    });

  it('reads few of 20,000 deliveries, for every query', async () => {
    const ids = await fill(harness, merchant.id, 20_000);
    await harness.ctx.db.raw('ANALYZE deliveries');
    const cursor = Buffer.from(ids[9_000] ?? '').toString('base64url');
    const payment_id = `pay_${'4000'.padStart(26, '0')}`;
    const queries: ListDeliveriesQuery[] = [
      {},
      { cursor },
      { payment_id },
      { event_id: (ids[9_000] ?? '').replace('dlv_', 'evt_') },
      { status: ['failed'] },
      { status: ['failed'], cursor },
      { type: ['checkout.pending'], cursor },
      { from_date: '2026-01-30T02:00:00Z', to_date: '2026-01-30T02:00:05Z' },
      { from_date: addSeconds(BEGIN, 19_995).toISOString() },
    ];
    for (const query of queries) {
      const plans = await explain(harness.ctx.db, (tx) => listDeliveries(tx, merchant.id, query));
      expect(plans).to.have.length(2);
      for (const plan of plans)
        expect(rowsRead(plan, 'deliveries_default'), `${JSON.stringify(query)}\n${plan}`).to.be.lessThan(100);
    }
  });

  it("one that does not exist, and another merchant's, are 404 with the same bytes", async () => {
    const [id = ''] = await fill(harness, merchant.id, 1);
    const get = (path: string, apiKey: string) =>
      harness.api('get', `/v1/webhooks/deliveries/${path}`, apiKey);
    await get(id, merchant.apiKey).expect(200);
    const stranger = await harness.addMerchant();
    const missing = await get(firstIdAt('dlv', addSeconds(BEGIN, 1)), stranger.apiKey);
    expectError(harness, missing, 404);
    for (const answer of [await get(id, stranger.apiKey), await get('no-id', stranger.apiKey)]) {
      expectError(harness, answer, 404);
      expect(withoutPlace(answer.body)).to.deep.equal(withoutPlace(missing.body));
    }
  });
});
