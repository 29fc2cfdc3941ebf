import { expect } from 'chai';
import { hiddenField, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the views that people keep of payments', () => {
  let harness: Harness;
  let ann: DeskPerson;
  let bob: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness();
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'read-only' });
    bob = await joinDesk(harness, 'bob@shop.example');
  });
  afterEach(() => harness.close());

  const page = (rest = '') => `/dashboard/${harness.merchant.id}/payments${rest}`;
  const keep = (person: DeskPerson, name: string, filters = 'status=SETTLED') =>
    person.post(page('/views'), { name, filters });
  const viewsOf = async (person: DeskPerson) => {
    const { text } = await person.get(page());
    return [...text.matchAll(/<a href="([^"]*payments\?[^"]*)"\s*><bdi>([^<]*)<\/bdi>/g)].map(
      ([, to, name]) => [name, to],
    );
  };
  const idOf = async (name: string) =>
    (await harness.ctx.db('payment_views').where({ name }).first<{ id: string }>('id'))?.id ?? '';

  it('keep the filters that are shown by a name, and lead back to them', async () => {
    const shown = await ann.get(page('?status=EXPIRED&status=FAILED&order_id=&from_date=2026-01-01'));
    const filters = hiddenField(shown.text, 'filters').replaceAll('&#38;', '&');
    expect(filters).to.equal('status=EXPIRED&status=FAILED&from_date=2026-01-01');
    const kept = await keep(ann, ' Lost <b>ones</b> ', filters);
    expect([kept.status, kept.location]).to.deep.equal([303, page(`?${filters}`)]);
    const { text } = await ann.get(kept.location ?? '');
    expect(text).to.include('aria-current="page"><bdi>Lost &#60;b&#62;ones').and.not.include('<b>ones');
    await keep(ann, 'Lost <b>ones</b>', 'status=FAILED');
    expect(await viewsOf(ann)).to.deep.equal([['Lost &#60;b&#62;ones&#60;/b&#62;', page('?status=FAILED')]]);
  });

  it('have no search, which may name a customer, and no unknown filter', async () => {
    expect((await ann.get(page('?q=carla&status=SETTLED'))).text).to.not.include('name="filters"');
    expect((await keep(ann, 'one', 'q=carla&status=SETTLED&x=1')).location).to.equal(page('?status=SETTLED'));
    expect((await keep(ann, 'two', 'status=GONE')).status).to.equal(400);
  });

  it('are renamed and deleted by their own person alone, and gone when the person is', async () => {
    await keep(ann, 'mine');
    await keep(ann, 'other');
    const [mine, other] = [await idOf('mine'), await idOf('other')];
    for (const [path, fields] of [
      ['rename', { name: 'stolen' }],
      ['delete', {}],
    ] as const) {
      const missing = await bob.post(page(`/views/99/${path}`), fields);
      for (const id of [mine, '%00', 'x', '9'.repeat(30)]) {
        const refused = await bob.post(page(`/views/${id}/${path}`), fields);
        expect([refused.status, refused.text], `${path} ${id}`).to.deep.equal([404, missing.text]);
      }
    }
    expect((await ann.post(page(`/views/${mine}/rename`), { name: 'other' })).text).to.include(
      'has this name',
    );
    expect((await ann.post(page(`/views/${mine}/rename`), { name: 'x'.repeat(61) })).status).to.equal(400);
    expect((await ann.post(page(`/views/${mine}/rename`), { name: 'ours' })).status).to.equal(303);
    expect((await ann.post(page(`/views/${other}/delete`))).status).to.equal(303);
    expect((await viewsOf(ann)).map(([name]) => name)).to.deep.equal(['ours']);
    expect(await viewsOf(bob)).to.deep.equal([]);
    await bob.post(`/dashboard/${harness.merchant.id}/people/${ann.id}/remove`);
    expect(await harness.ctx.db('payment_views').select()).to.deep.equal([]);
  });

  it('are twenty at most, also when they are kept at once', async () => {
    await Promise.all(Array.from({ length: 22 }, (_, i) => keep(ann, `view ${i}`)));
    expect(await viewsOf(ann)).to.have.lengthOf(20);
    expect((await keep(ann, 'one more')).text).to.include('You have 20 views.');
    expect((await keep(ann, ' ')).text).to.include('A view needs a name');
  });
});
