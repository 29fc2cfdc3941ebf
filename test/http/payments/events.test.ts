import { expect } from 'chai';
import { untilFeedsAreWhole } from '../../support/feed.ts';
import { createPayment, expectError, pay } from '../../support/http.ts';
import { recordQueries } from '../../support/statements.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import type { StoredEvent } from '../../support/shop.ts';
import { createHarness, type TestMerchant, type Harness } from '../../support/harness.ts';

const MISSING = `pay_${'0'.repeat(26)}`;

describe('the events of a merchant', () => {
  let harness: Harness;
  let receiver: Receiver;
  let stranger: TestMerchant;
  let settled: string;
  let waiting: string;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    receiver = await startReceiver();
    stranger = await harness.addMerchant();
    await harness
      .api('put', '/v1/webhooks/config')
      .send({ webhookUrl: receiver.url, enabled: true })
      .expect(200);
    // What JSON can write in more than one way: escapes, line separators, the order of keys.
    settled = (await createPayment(harness, { metadata: { z: 'é\u2028"\\/', a: '☂' } })).id;
    await pay(harness, settled);
    waiting = (await createPayment(harness)).id;
    await createPayment(harness, {}, stranger.apiKey);
    await harness.work();
    await untilFeedsAreWhole(harness.ctx.db);
  });
  after(async () => {
    await receiver.close();
    await harness.close();
  });

  const get = (path: string, apiKey?: string) => harness.api('get', path, apiKey);
  const feed = async (query = '', apiKey?: string) =>
    (await get(`/v1/events${query}`, apiKey).expect(200)).body as {
      data: StoredEvent[];
      pagination: { limit: number; has_more: boolean; next_cursor: string | null };
    };
  const storyOf = (events: readonly StoredEvent[]) =>
    events.map(({ data, sequence }) => `${data.checkout.id === settled ? 'settled' : 'waiting'} ${sequence}`);
  const idsOf = (events: readonly StoredEvent[]) => events.map(({ id }) => id);
  const STORY = ['settled 1', 'settled 2', 'settled 3', 'settled 4', 'waiting 1'];

  it('are the bytes that the webhooks sent, in the feed and of a payment, oldest first', async () => {
    const sent = receiver.requests.map(({ rawBody }) => rawBody.toString());
    expect(sent).to.have.length(5);
    const all = await get('/v1/events').expect(200);
    const cursor = (all.body as { pagination: { next_cursor: string } }).pagination.next_cursor;
    expect(all.text).to.equal(
      `{"data":[${sent.join(',')}],"pagination":{"limit":20,"has_more":false,"next_cursor":"${cursor}"}}`,
    );
    const own = await get(`/v1/payment/${settled}/events`).expect(200);
    expect(own.text).to.equal(
      `{"data":[${sent.slice(0, 4).join(',')}],"pagination":{"limit":100,"has_more":false,"next_cursor":null}}`,
    );
  });

  const pagesOf = async (id: string, query: string, apiKey?: string) => {
    const pages: { data: StoredEvent[]; pagination: { has_more: boolean; next_cursor: string | null } }[] =
      [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/v1/payment/${id}/events${query}${cursor && `${query === '' ? '?' : '&'}cursor=${cursor}`}`;
      const page = (await get(path, apiKey).expect(200)).body as (typeof pages)[number];
      pages.push(page);
      expect(page.pagination.has_more).to.equal(page.pagination.next_cursor !== null);
      cursor = page.pagination.next_cursor;
    }
    return pages;
  };

  it('of a payment are read page by page', async () => {
    const pages = await pagesOf(settled, '?limit=3');
    expect(pages.map(({ data }) => data.map(({ sequence }) => sequence))).to.deep.equal([[1, 2, 3], [4]]);
    expect(await pagesOf(settled, '?limit=4')).to.have.length(1);
  });

  /** A payment, of a merchant of its own, with 59 events of 90 kB after its first. */
  const createLarge = async () => {
    const other = await harness.addMerchant();
    const { id } = await createPayment(harness, {}, other.apiKey);
    await harness.ctx.db.raw(
      `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at)
       SELECT 'evt_' || n || payment_id, payment_id, merchant_id, n, 'checkout.pending',
         body::jsonb || jsonb_build_object('sequence', n, 'metadata', jsonb_build_object('orderId', repeat('x', 90000))),
         now()
       FROM events, generate_series(2, 60) AS n
       WHERE payment_id = ?`,
      [id],
    );
    return { id, apiKey: other.apiKey };
  };
  const expectMegabytes = (pages: readonly { data: readonly { sequence: number }[] }[]) => {
    expect(pages.flatMap(({ data }) => data.map(({ sequence }) => sequence))).to.deep.equal(
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
    for (const { data } of pages) expect(JSON.stringify(data).length).to.be.below(1_200_000);
  };

  it('of a payment with very many large ones come in pages of a megabyte, each of them once', async () => {
    const { id, apiKey } = await createLarge();
    expectMegabytes(await pagesOf(id, '', apiKey));
  });

  it('of a merchant with very many large ones come in pages of a megabyte, each of them once', async () => {
    const { id, apiKey } = await createLarge();
    await untilFeedsAreWhole(harness.ctx.db);
    for (const query of [
      '?limit=100',
      `?limit=100&payment_id=${id}`,
      '?limit=100&type=checkout.created,checkout.pending',
    ]) {
      const pages = [await feed(query, apiKey)];
      for (let last = pages[0]; last?.pagination.has_more === true; last = pages.at(-1))
        pages.push(await feed(`${query}&after=${last.pagination.next_cursor}`, apiKey));
      expectMegabytes(pages);
    }
  });

  it('are read page by page; the last page has a cursor too, from which the reader continues later', async () => {
    const listed: StoredEvent[] = [];
    let after = '';
    for (const [count, has_more] of [
      [2, true],
      [2, true],
      [1, false],
      [0, false],
    ] as const) {
      const { data, pagination } = await feed(`?limit=2${after}`);
      expect(data).to.have.length(count);
      expect(pagination).to.include({ limit: 2, has_more });
      if (count === 0) expect(`&after=${pagination.next_cursor}`).to.equal(after);
      after = `&after=${pagination.next_cursor}`;
      listed.push(...data);
    }
    expect(storyOf(listed)).to.deep.equal(STORY);
    const { id } = await createPayment(harness, {}, stranger.apiKey);
    await untilFeedsAreWhole(harness.ctx.db);
    expect((await feed(`?limit=2${after}`)).data).to.deep.equal([]);
    const [, second] = (await feed('', stranger.apiKey)).data;
    expect(second?.data.checkout.id).to.equal(id);
  });

  it('of a merchant without any are an empty page whose cursor is null', async () => {
    const { apiKey } = await harness.addMerchant();
    for (const query of ['', '?type=checkout.settled', `?payment_id=${waiting}`])
      expect(await feed(query, apiKey)).to.deep.equal({
        data: [],
        pagination: { limit: 20, has_more: false, next_cursor: null },
      });
  });

  it('are filtered by type, one or several, and by payment', async () => {
    const types = async (query: string) => (await feed(query)).data.map(({ type }) => type);
    expect(await types('?type=checkout.settled')).to.deep.equal(['checkout.settled']);
    expect(await types('?type=checkout.settled,checkout.pending')).to.deep.equal([
      'checkout.pending',
      'checkout.settled',
    ]);
    expect(storyOf((await feed(`?payment_id=${waiting}`)).data)).to.deep.equal(['waiting 1']);
    expect(storyOf((await feed(`?payment_id=${settled}`)).data)).to.deep.equal(STORY.slice(0, 4));
    expect(await types(`?payment_id=${settled}&type=checkout.created,checkout.settled`)).to.deep.equal([
      'checkout.created',
      'checkout.settled',
    ]);
    const first = await feed(`?payment_id=${settled}&limit=3`);
    expect(first.pagination.has_more).to.equal(true);
    const rest = await feed(`?payment_id=${settled}&limit=3&after=${first.pagination.next_cursor}`);
    expect(storyOf(rest.data)).to.deep.equal(['settled 4']);
    expect(rest.pagination.has_more).to.equal(false);
  });

  it('are hidden from other merchants: nothing in the feed, 404 for a payment', async () => {
    expect((await feed(`?payment_id=${settled}`, stranger.apiKey)).data).to.deep.equal([]);
    expect((await feed(`?payment_id=${MISSING}`)).data).to.deep.equal([]);
    for (const [path, apiKey] of [
      [`/v1/payment/${settled}/events`, stranger.apiKey],
      [`/v1/payment/${MISSING}/events`, undefined],
      ['/v1/payment/%00/events', undefined],
    ] as const)
      expectError(harness, await get(path, apiKey), 404);
  });

  it('cost one round trip to Postgres a page', async () => {
    expect(await recordQueries(() => feed(`?limit=2`))).to.have.length(1);
  });

  it('of test payments are included, whatever their clocks, and none of scenarios that failed', async () => {
    const { apiKey } = await harness.addMerchant();
    const story = (body: object) => harness.api('post', '/v1/sandbox/scenarios', apiKey).send(body);
    const scenario = await story({ story: 'late-after-partial' }).expect(200);
    await untilFeedsAreWhole(harness.ctx.db);
    const before = await feed('', apiKey);
    // The scenario's report has deterministic hashes, the same in each run.
    expect(idsOf(before.data)).to.deep.equal(idsOf(scenario.body.events));
    const payment = { pay_amount: '1', order_id: 'x' };
    await story({
      payment,
      script: [
        { at: '0s', do: 'transfer', amount: '0.5' },
        { at: '1s', do: 'refund' },
      ],
    }).expect(400);
    const { id } = await createPayment(harness, {}, apiKey);
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`, apiKey).send({ by: '2d' }).expect(200);
    await untilFeedsAreWhole(harness.ctx.db);
    const { data } = await feed(`?after=${before.pagination.next_cursor}`, apiKey);
    expect(data.map(({ type, data: { checkout } }) => [checkout.id, type])).to.deep.equal([
      [id, 'checkout.created'],
      [id, 'checkout.failed'],
    ]);
  });

  describe('bad input: 400, never an empty page', () => {
    const cursorOf = (text: string) => `after=${Buffer.from(text).toString('base64url')}`;
    for (const [query, field, constraint] of [
      ['limit=0', 'limit', 'minimum'],
      ['limit=101', 'limit', 'maximum'],
      ['limit=x', 'limit', 'type'],
      ['limit=1&limit=1', 'limit', 'type'],
      ['after=', 'after', 'minLength'],
      ['after=abc', 'after', 'format'],
      ['after=%00', 'after', 'pattern'],
      [`after=${'x'.repeat(101)}`, 'after', 'maxLength'],
      [cursorOf('1'), 'after', 'format'],
      [cursorOf('-1.1'), 'after', 'format'],
      [cursorOf('1.1 '), 'after', 'format'],
      [cursorOf(`1.${'9'.repeat(19)}`), 'after', 'format'],
      // A cursor without an epoch is from before a restore.
      [cursorOf(`${'9'.repeat(18)}.1`), 'after', 'epoch'],
      [`${cursorOf('1.1')}&${cursorOf('1.1')}`, 'after', 'type'],
      [`payment_id=${MISSING}&${cursorOf(`${'9'.repeat(18)}.1`)}`, 'after', 'epoch'],
      ['type=', 'type', 'enum'],
      ['type=checkout.paid', 'type', 'enum'],
      ['type=checkout.settled,', 'type', 'enum'],
      ['type=checkout.settled&type=checkout.created', 'type', 'type'],
      ['payment_id=', 'payment_id', 'pattern'],
      ['payment_id=pay_1', 'payment_id', 'pattern'],
      ['payment_id=%00', 'payment_id', 'pattern'],
      ['cursor=1', 'cursor', 'additionalProperties'],
      ['page=1', 'page', 'additionalProperties'],
    ] as const)
      it(`?${query.slice(0, 60)}`, async () => {
        expectError(harness, await get(`/v1/events?${query}`), 400, { field, constraint });
      });

    for (const [query, field, constraint] of [
      ['limit=0', 'limit', 'minimum'],
      ['limit=101', 'limit', 'maximum'],
      ['cursor=', 'cursor', 'minLength'],
      ['cursor=abc', 'cursor', 'format'],
      [cursorOf('1.1').replace('after', 'cursor'), 'cursor', 'format'],
      [cursorOf('9'.repeat(10)).replace('after', 'cursor'), 'cursor', 'format'],
      ['after=1', 'after', 'additionalProperties'],
    ] as const)
      it(`of a payment: ?${query}`, async () => {
        const answer = await get(`/v1/payment/${settled}/events?${query}`);
        expectError(harness, answer, 400, { field, constraint });
      });
  });
});
