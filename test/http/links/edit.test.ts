import { expect } from 'chai';
import { ALL_LANGUAGES } from '../../../src/domain/languages/languages.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { expectError } from '../../support/http.ts';
import { buyByLink, createLink, openLink, pathOf, postLink, type Link } from '../../support/links.ts';

describe('POST /v1/links/:id', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const edit = (link: Link, body: object) => harness.api('post', `/v1/links/${link.id}`).send(body);
  const edited = async (link: Link, body: object) =>
    (await edit(link, body).expect(200)).body as Record<string, unknown>;
  const page = async (link: Link) => (await harness.api('get', pathOf(link), null).expect(200)).text;
  const buy = (link: Link, form: object = {}) => {
    harness.advance(1);
    return buyByLink(harness, link, form);
  };

  it('changes what it names, leaves the rest, and is written down with what was before', async () => {
    const link = await createLink(harness, { stock: 5, description: 'Hot' });
    const changed = await edited(link, { title: 'Green tea', expires_at: '2026-12-24T18:00:00.000Z' });
    expect(changed).to.deep.equal({ ...link, title: 'Green tea', expires_at: '2026-12-24T18:00:00.000Z' });
    expect(await edited(link, { description: null, expires_at: null })).to.deep.equal({
      ...link,
      title: 'Green tea',
      description: null,
    });
    expect((await harness.api('get', `/v1/links/${link.id}`)).body).to.include({ title: 'Green tea' });
    const entry = await harness.ctx
      .db('operator_actions')
      .where({ command: 'payment link changed' })
      .orderBy('id')
      .first<{ kind: string; details: { before: object; after: object } }>();
    expect(entry?.kind).to.equal('key');
    expect([entry?.details.before, entry?.details.after]).to.deep.equal([
      {
        title: 'Tea',
        description: 'Hot',
        prices: link.prices,
        stock: 5,
        max_uses: null,
        expires_at: null,
        paused_at: null,
      },
      {
        title: 'Green tea',
        description: 'Hot',
        prices: link.prices,
        stock: 5,
        max_uses: null,
        expires_at: '2026-12-24T18:00:00.000Z',
        paused_at: null,
      },
    ]);
  });

  it('restocks by a change, which a sale of the same moment does not falsify', async () => {
    const link = await createLink(harness, { stock: 1 });
    await buy(link);
    expect(await page(link)).to.include('Sold out');
    expect(await edited(link, { stock_change: 3 })).to.include({ stock: 4, stock_left: 3, is_open: true });
    const forms = await Promise.all([1, 2, 3].map(() => openLink(harness, link)));
    const [changed, ...bought] = await Promise.all([
      edit(link, { stock_change: -1 }),
      ...forms.map(({ nonce }) => postLink(harness, link, { nonce, price: '0' })),
    ]);
    const sold = bought.filter(({ status }) => status === 303).length;
    const { body } = await harness.api('get', `/v1/links/${link.id}`);
    expect(body.uses).to.equal(1 + sold);
    // Either the last one was taken away before it was sold, or it was sold and stays.
    expect([
      [200, 2, 3],
      [400, 3, 4],
    ]).to.deep.include([changed?.status, sold, (body as { stock: number }).stock]);
  });

  it('sets no count below what is taken', async () => {
    const link = await createLink(harness, { stock: 5, max_uses: 5 });
    await buy(link);
    await buy(link);
    for (const [body, field] of [
      [{ stock: 1 }, 'stock'],
      [{ max_uses: 1 }, 'max_uses'],
      [{ stock_change: -4 }, 'stock_change'],
    ] as const)
      expectError(harness, await edit(link, body), 400, { field, constraint: 'minimum' });
    expect(await edited(link, { stock: 2, max_uses: null })).to.include({ stock_left: 0, is_open: false });
    expect(await edited(link, { stock: null })).to.include({ stock: null, stock_left: null, is_open: true });
    expectError(harness, await edit(link, { stock_change: 1 }), 400, {
      field: 'stock_change',
      constraint: 'not',
    });
    expectError(harness, await edit(link, { stock: 9, stock_change: 1 }), 400, {
      field: 'stock_change',
      constraint: 'not',
    });
    expect(await edited(link, { stock: 2 })).to.include({ stock: 2 });
  });

  it('restocks to no more than a stock can be', async () => {
    const link = await createLink(harness, { stock: 999_999 });
    expect(await edited(link, { stock_change: 1 })).to.include({ stock: 1_000_000 });
    const fault = { field: 'stock_change', constraint: 'maximum' };
    expectError(harness, await edit(link, { stock_change: 1 }), 400, fault);
    expectError(harness, await edit(link, { stock_change: 1_000_000 }), 400, fault);
    expect(await edited(link, { stock_change: -1 })).to.include({ stock: 999_999 });
  });

  it('closes a price and opens it again: its button is gone meanwhile, and an old page does not buy it', async () => {
    const prices = [
      { name: 'Small', amount: '1' },
      { name: 'Large', amount: '2' },
    ];
    const link = await createLink(harness, { prices });
    const [small, large] = prices;
    const old = await openLink(harness, link);
    await edited(link, { prices: [small, { ...large, closed: true }] });
    expect(await page(link))
      .to.include('Small: 1')
      .and.not.include('Large');
    expect((await postLink(harness, link, { nonce: old.nonce, price: '1' })).status).to.equal(400);
    expectError(harness, await edit(link, { prices: [{ ...small, closed: true }] }), 400, {
      field: 'prices',
      constraint: 'not',
    });
    await edited(link, { prices });
    expect(await page(link)).to.include('Large: 2');
  });

  it('changes a price: who opened the page before looks again, and pays nothing that they have not read', async () => {
    const link = await createLink(harness);
    const { nonce, text } = await openLink(harness, link);
    const [, offer = ''] = /name="offer" value="([\w-]+)"/.exec(text) ?? [];
    await edited(link, { prices: [{ amount: '99' }] });
    const late = await postLink(harness, link, { nonce, offer, price: '0' });
    expect(late.status).to.equal(400);
    expect(late.text).to.include('Pay 99 USDC').and.include('Please check what you have entered');
    expect(await buy(link)).to.be.a('string');
    const [payment] = (await harness.ctx.db('payments')) as { pay_amount: string }[];
    expect(payment?.pay_amount).to.equal('99');
  });

  it('pauses a link, and lets it go on', async () => {
    const link = await createLink(harness);
    const open = await openLink(harness, link);
    const paused = await edited(link, { is_active: false });
    expect(paused).to.include({ paused_at: harness.ctx.now().toISOString(), is_open: false });
    harness.advance(1);
    expect(await edited(link, { is_active: false })).to.deep.equal(paused);
    const refused = await postLink(harness, link, { nonce: open.nonce, price: '0' });
    expect([refused.status, refused.text.includes('has paused this link')]).to.deep.equal([409, true]);
    expect(await edited(link, { is_active: true })).to.include({ paused_at: null, is_open: true });
    expect((await postLink(harness, link, { nonce: open.nonce, price: '0' })).status).to.equal(303);
  });

  it('says in every language that a paused link goes on, and of one that has ended that it does not', async () => {
    const link = await createLink(harness, { expires_at: new Date(harness.ctx.now().getTime() + 60_000) });
    await edited(link, { is_active: false });
    const textOf = async (language: string) =>
      (await harness.api('get', `${pathOf(link)}?lang=${language}`, null).expect(200)).text;
    const said = async (
      title: 'linkPausedTitle' | 'linkOverTitle',
      text: 'linkPausedText' | 'linkOverText',
    ) => {
      for (const { id, page } of ALL_LANGUAGES) {
        const shown = await textOf(id);
        expect(shown, id).to.include(page[title]).and.include(page[text]).and.not.include('<form');
      }
    };
    await said('linkPausedTitle', 'linkPausedText');
    harness.advance(60);
    await said('linkOverTitle', 'linkOverText');
  });

  it('leaves an archived link closed', async () => {
    const link = await createLink(harness);
    await harness.api('post', `/v1/links/${link.id}/archive`).expect(200);
    expect(await edited(link, { is_active: true })).to.include({ is_open: false });
  });

  it('with an Idempotency-Key restocks once', async () => {
    const link = await createLink(harness, { stock: 1 });
    const restock = () => edit(link, { stock_change: 5 }).set('Idempotency-Key', 'a');
    const [one, two] = await Promise.all([restock(), restock()]);
    expect(one.text).to.equal(two.text);
    expect((await harness.api('get', `/v1/links/${link.id}`)).body).to.include({ stock: 6 });
  });

  it('refuses what a creation refuses, and a request without a change', async () => {
    const link = await createLink(harness, { prices: [{ amount: '1' }], price_currency: 'JPY' });
    const open = await createLink(harness, { open_amount: { min: '1', max: '2' } });
    for (const [one, body, field, constraint] of [
      [link, {}, 'body', 'minProperties'],
      [link, { titel: 'Tea' }, 'titel', 'additionalProperties'],
      [link, { title: '' }, 'title', 'minLength'],
      [link, { prices: [{ amount: '1.5' }] }, 'prices.0.amount', 'multipleOf'],
      [link, { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'minimum'],
      [link, { stock: 0 }, 'stock', 'minimum'],
      [open, { prices: [{ amount: '1' }] }, 'prices', 'not'],
    ] as const)
      expectError(harness, await edit(one, body), 400, { field, constraint });
  });

  it("does not find another merchant's", async () => {
    const link = await createLink(harness);
    const other = await harness.addMerchant();
    const answer = await harness.api('post', `/v1/links/${link.id}`, other.apiKey).send({ title: 'Mine' });
    expectError(harness, answer, 404);
    expect((await harness.api('get', `/v1/links/${link.id}`)).body).to.include({ title: 'Tea' });
  });
});
