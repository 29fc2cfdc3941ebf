import { expect } from 'chai';
import { createHarness, type Harness } from '../../support/harness.ts';
import { expectError } from '../../support/http.ts';
import { createLink, type Link } from '../../support/links.ts';

describe('/v1/links', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  it('creates a link with its defaults, and returns it again, alone and in the list', async () => {
    const link = await createLink(harness, { title: 'Tea', prices: [{ amount: '10.50' }] });
    expect(link.id).to.match(/^lnk_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(link.url).to.match(/\/l\/[\w-]{32}$/);
    expect(link).to.include({ code_url: `${link.url}/code.svg`, uses: 0, is_open: true, stock_left: null });
    expect(link.prices).to.deep.equal([{ amount: '10.50' }]);
    expect((await harness.api('get', `/v1/links/${link.id}`).expect(200)).body).to.deep.equal(link);
    const { body } = await harness.api('get', '/v1/links').expect(200);
    expect(body).to.deep.equal({
      data: [link],
      pagination: { limit: 20, has_more: false, next_cursor: null },
    });
  });

  it('lists the newest first, page by page', async () => {
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) {
      ids.unshift((await createLink(harness, { title })).id);
      harness.advance(1);
    }
    const first = (await harness.api('get', '/v1/links?limit=2').expect(200)).body as Page;
    const next = `/v1/links?limit=2&cursor=${first.pagination.next_cursor ?? ''}`;
    const second = (await harness.api('get', next).expect(200)).body as Page;
    expect([...first.data, ...second.data].map(({ id }) => id)).to.deep.equal(ids);
    expect(second.pagination.has_more).to.equal(false);
    expectError(harness, await harness.api('get', '/v1/links?cursor=bm9uZQ'), 400, {
      field: 'cursor',
      constraint: 'format',
    });
  });

  it('with an Idempotency-Key creates one', async () => {
    const create = () =>
      harness
        .api('post', '/v1/links')
        .set('Idempotency-Key', 'a')
        .send({ title: 'Tea', prices: [{ amount: '1' }] });
    const [one, two] = await Promise.all([create(), create()]);
    expect(one.text).to.equal(two.text);
    expect(((await harness.api('get', '/v1/links')).body as Page).data).to.have.length(1);
  });

  it('is archived for good, and again is the same', async () => {
    const { id } = await createLink(harness);
    const first = await harness.api('post', `/v1/links/${id}/archive`).expect(200);
    expect(first.body).to.include({ archived_at: harness.ctx.now().toISOString(), is_open: false });
    harness.advance(10);
    expect((await harness.api('post', `/v1/links/${id}/archive`).expect(200)).body).to.deep.equal(first.body);
  });

  it("of another merchant is not found, nor archived, nor in one's list", async () => {
    const { id } = await createLink(harness);
    const other = await harness.addMerchant();
    for (const [method, path] of [
      ['get', ''],
      ['post', '/archive'],
    ] as const)
      expectError(harness, await harness.api(method, `/v1/links/${id}${path}`, other.apiKey), 404);
    expect(((await harness.api('get', '/v1/links', other.apiKey)).body as Page).data).to.deep.equal([]);
    expect((await harness.api('get', `/v1/links/${id}`)).body).to.include({ archived_at: null });
  });

  const price = { amount: '1' };
  const field = { key: 'size', label: 'Size' };
  for (const [what, body, details] of [
    ['neither prices nor an open amount', {}, ['prices', 'required']],
    ['both', { prices: [price], open_amount: { min: '1', max: '2' } }, ['prices', 'not']],
    [
      'several prices of which one has no name',
      { prices: [{ ...price, name: 'S' }, price] },
      ['prices.1.name', 'required'],
    ],
    ['bounds in the wrong order', { open_amount: { min: '3', max: '2' } }, ['open_amount.max', 'minimum']],
    [
      'more decimals than its currency has',
      { prices: [{ amount: '1.5' }], price_currency: 'JPY' },
      ['prices.0.amount', 'multipleOf'],
    ],
    [
      'more decimals than its currency has, though the last is 0',
      { open_amount: { min: '1', max: '10.500' }, price_currency: 'EUR' },
      ['open_amount.max', 'multipleOf'],
    ],
    [
      'an end in the past',
      { prices: [price], expires_at: '2020-01-01T00:00:00Z' },
      ['expires_at', 'minimum'],
    ],
    ['a field twice', { prices: [price], fields: [field, field] }, ['fields.1.key', 'not']],
    [
      'a field that the link itself has',
      { prices: [price], fields: [{ ...field, key: 'link_id' }] },
      ['fields.0.key', 'not'],
    ],
    [
      'the reserved key of events',
      { prices: [price], fields: [{ ...field, key: 'orderId' }] },
      ['fields.0.key', 'pattern'],
    ],
    ['an empty stock', { prices: [price], stock: 0 }, ['stock', 'minimum']],
    ['a number', { prices: [{ amount: 1 }] }, ['prices.0.amount', 'type']],
    ...[
      'javascript:alert(1)',
      'data:text/html,hello',
      '//shop.example/thanks',
      '/thanks',
      'https:shop.example',
      'https://pay.example@shop.example/',
      'https://shop.example\\@pay.example/',
    ].map(
      (success_url) =>
        [
          `${success_url} as where customers go`,
          { prices: [price], success_url },
          ['success_url', 'format'],
        ] as const,
    ),
  ] as const)
    it(`refuses ${what}`, async () => {
      const answer = await harness.api('post', '/v1/links').send({ title: 'Tea', ...body });
      expectError(harness, answer, 400, { field: details[0], constraint: details[1] });
    });
});

interface Page {
  readonly data: Link[];
  readonly pagination: { has_more: boolean; next_cursor: string | null };
}
